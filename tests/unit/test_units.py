import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mesonet.units import (
    Rate,
    Size,
    UnitError,
    format_rate,
    format_size,
    format_time,
    parse_rate,
    parse_size,
    parse_time,
)

QUANTITIES = st.floats(min_value=0, allow_nan=False, allow_infinity=False, max_value=1e200)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("40 ms", 0.04),
        ("40ms", 0.04),
        ("2 s", 2.0),
        ("25 min", 1500.0),
        ("1 h", 3600.0),
        ("0 s", 0.0),
        ("1e-3 ms", 1e-6),
        ("1_000 us", 0.001),
        ("40 \N{MICRO SIGN}s", 4e-5),
        # What Unicode's normal forms make of it.
        ("40 \N{GREEK SMALL LETTER MU}s", 4e-5),
    ],
)
def test_times(text, seconds):
    assert parse_time(text) == seconds


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("100 Mbit/s", Rate(1e8, "bits")),
        ("100 Mbps", Rate(1e8, "bits")),
        ("9.6 kbit/s", Rate(9600.0, "bits")),
        ("384 Gbit/s", Rate(3.84e11, "bits")),
        ("1200 p/ms", Rate(1.2e6, "packets")),
        ("8000 packets/s", Rate(8000.0, "packets")),
    ],
)
def test_rates(text, rate):
    assert parse_rate(text) == rate


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1 bdp", Size(1.0, "bdp")),
        ("100 packets", Size(100.0, "packets")),
        ("1 segment", Size(1.0, "packets")),
        ("64 KiB", Size(65536.0, "bytes")),
        ("1.5 MB", Size(1.5e6, "bytes")),
    ],
)
def test_sizes(text, size):
    assert parse_size(text, bdp=True) == size


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (40, 'expected a time such as "40 ms" or "2 s", got 40; say the unit, for instance "40 s"'),
        ("40", 'got "40"; say the unit, for instance "40 s"'),
        (0.04, 'got 0.04; say the unit, for instance "0.04 s"'),
        ("40 Ms", 'got "40 Ms" (did you mean "ms"?)'),
        ("-1 s", "not negative"),
        ("soon", 'got "soon"'),
        ("nan s", 'got "nan s"'),
        ("inf s", 'got "inf s"'),
        ("1e999 s", "too large"),
        ("1e-999 s", "too small"),
        ("40 Mbit/s", "known units are"),
        (True, "got true"),
        (None, "got null"),
        ("", 'got ""'),
        ("1" * 400 + " s", "too large"),
        ("1e99999999999999999999 s", "got"),
    ],
)
def test_what_is_not_a_time_says_what_would_be(text, message):
    with pytest.raises(UnitError) as caught:
        parse_time(text)
    assert message in str(caught.value)
    assert "expected a time" in str(caught.value)


@pytest.mark.parametrize(
    "text", ["100 mbit/s", "100 Mb/s", "100", 100, "1 bdp", "-5 Mbit/s", "3 s"]
)
def test_what_is_not_a_rate(text):
    with pytest.raises(UnitError):
        parse_rate(text)


def test_the_unit_proposed_is_the_one_that_is_likely():
    with pytest.raises(UnitError, match="20 ms"):
        parse_time(20, unit="ms")
    with pytest.raises(UnitError, match="1000000 B"):
        parse_size(1_000_000, unit="B")
    with pytest.raises(UnitError, match="100 packets"):
        parse_size(100, bdp=True)


def test_rates_in_bits_are_not_rates_in_packets():
    assert parse_rate("1200 p/ms", of="packets").value == 1.2e6
    with pytest.raises(UnitError):
        parse_rate("100 Mbit/s", of="packets")


def test_bandwidth_delay_products_only_where_they_mean_something():
    with pytest.raises(UnitError):
        parse_size("1 bdp")


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.04, "40 ms"), (2.5, "2.5 s"), (0.0, "0 s"), (1500.0, "1500 s")]
)
def test_times_are_written_as_people_write_them(seconds, text):
    assert format_time(seconds) == text


@given(QUANTITIES)
def test_written_times_parse_back_to_the_same_float(seconds):
    assert parse_time(format_time(seconds)) == seconds


@given(QUANTITIES, st.sampled_from(["bits", "packets"]))
def test_written_rates_parse_back(value, of):
    rate = Rate(value, of)
    assert parse_rate(format_rate(rate)) == rate


@given(QUANTITIES, st.sampled_from(["packets", "bytes", "bdp"]))
def test_written_sizes_parse_back(value, of):
    size = Size(value, of)
    assert parse_size(format_size(size), bdp=True) == size


@given(st.text(alphabet="0123456789.eE+-_ msGMkbit/pKBdhé٣", max_size=20))
@example("0_")  # Underscores are of numbers in TOML and Python, but not at their end.
def test_near_quantities_never_raise_anything_else(text):
    for parse in (parse_time, parse_rate, parse_size):
        try:
            parse(text)
        except UnitError:
            continue


@pytest.mark.parametrize(
    ("number", "rate"),
    [(10e6, "10 Mbit/s"), (10, "10 Mbit/s"), ("10", "10 Mbit/s"), ("1e9", "1 Gbit/s")],
)
def test_a_rate_without_a_unit_is_proposed_with_one(number, rate):
    with pytest.raises(UnitError, match=f'"{rate}"$'):
        parse_rate(number)
    parse_rate(rate)


@pytest.mark.parametrize(
    ("parse", "text", "proposed"),
    [
        (parse_rate, "20 MB/s", '"Mbit/s"'),
        (parse_rate, "2 kBps", '"kbit/s"'),
        (parse_size, "60 Mb", '"MB"'),
        (parse_rate, "20,5 Mbit/s", "point"),
    ],
)
def test_bits_bytes_and_commas_are_told_apart(parse, text, proposed):
    with pytest.raises(UnitError) as caught:
        parse(text)
    assert proposed in str(caught.value)
