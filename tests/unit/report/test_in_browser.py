"""The page in a real browser: skipped, and said so, where there is neither Chromium nor Chrome."""

import browser
import pages
import pytest

from mesonet.report import ReportInputs, build
from mesonet.simulation import simulate

EXECUTABLE = browser.find()
pytestmark = pytest.mark.skipif(
    EXECUTABLE is None, reason=f"no browser here to draw the page: none of {browser.NAMES} is found"
)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    inputs = pages.inputs(key_responses=("loss_rate", "goodput_FF"))
    return build(inputs, tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """The sections that tests of one thing ask about: charts of all take two seconds to draw."""
    shown = {name: pages.about(name) for name in ("loss_rate", "goodput_FF")}
    sections = ("paired", "ranks", "condition-response", "congestion", "design")
    inputs = pages.inputs(key_responses=tuple(shown), responses=shown, sections=sections)
    return build(inputs, tmp_path_factory.mktemp("few") / "report.html")


@pytest.fixture(scope="module")
def chromium():
    with browser.Browser(EXECUTABLE) as running:
        yield running


@pytest.fixture
def shown(chromium, few):
    """The page of few sections on a wide screen, all its charts drawn."""
    chromium.open(few)
    return chromium


def drawn(condition, *, dimmed):
    """JavaScript that counts marks of a condition, bright or dimmed, in the visible charts."""
    return (
        "[...document.querySelectorAll('section.active .chart svg *')].filter((mark) =>"
        f" mark.__data__?.datum?.condition == {condition} && "
        f"mark.classList.contains('dimmed') === {str(dimmed).lower()}).length"
    )


def test_every_chart_is_drawn_without_an_error_and_every_section_printed(chromium, page):
    chromium.errors.clear()
    chromium.open(page)
    assert chromium.errors == []
    count = chromium.value("document.querySelectorAll('[data-chart]').length")
    assert count > 30
    assert chromium.value("document.querySelectorAll('[data-chart] svg.marks').length") == count
    assert "could not be drawn" not in chromium.value("document.querySelector('main').textContent")
    content = chromium.pdf()
    assert content.startswith(b"%PDF-")
    sections = chromium.value("document.querySelectorAll('section.page').length")
    assert content.count(b"/Type /Page\n") > sections > 10


def test_one_section_is_shown_at_a_time_and_links_lead_to_the_others(shown):
    visible = "[...document.querySelectorAll('section.page')].filter((s) => s.offsetHeight)"
    assert shown.value(f"{visible}.map((s) => s.id)") == ["summary"]
    shown.value("document.querySelector('.toc a[href=\"#ranks\"]').click()")
    shown.wait(f"{visible}.map((s) => s.id).join() === 'ranks'")


def test_a_condition_is_highlighted_everywhere(shown):
    shown.value("location.hash = 'condition-response'")
    shown.wait("document.querySelector('section.active')?.id === 'condition-response'")
    assert shown.value(drawn(7, dimmed=False)) > 0
    assert shown.value(drawn(8, dimmed=True)) == 0
    shown.value(
        "(() => { const select = document.querySelector('[data-highlight=condition]');"
        " select.value = '7'; select.dispatchEvent(new Event('change')); })()"
    )
    assert shown.value(drawn(7, dimmed=True)) == 0
    assert shown.value(drawn(8, dimmed=True)) > 0
    assert shown.value(drawn(8, dimmed=False)) == 0
    assert "Network speed" in shown.value("document.querySelector('[data-settings]').textContent")
    assert shown.value("document.querySelectorAll('#design td.highlighted').length") == 6
    shown.value("document.querySelector('[data-clear]').click()")
    assert shown.value("document.querySelectorAll('.dimmed').length") == 0


def test_an_alternative_is_highlighted_in_charts_that_tell_them_apart(shown):
    shown.value("location.hash = 'congestion'")
    shown.value("document.querySelector('[data-highlight-alternative=ctcp]').click()")
    marks = "[...document.querySelectorAll('#congestion svg *')].filter((m) => m.__data__?.datum"
    assert shown.value(f"{marks}?.alternative === 'reno' && m.matches('.dimmed')).length") > 0
    assert shown.value(f"{marks}?.alternative === 'ctcp' && m.matches('.dimmed')).length") == 0


def test_pointing_at_a_mark_gives_the_command_that_repeats_its_runs(shown):
    shown.value("location.hash = 'congestion'")
    shown.wait("document.querySelector('section.active')?.id === 'congestion'")
    place = shown.value(
        "(() => { const mark = [...document.querySelectorAll('#congestion svg path')].find((m) =>"
        " m.__data__?.mark?.marktype === 'symbol' && m.__data__.datum?.alternative === 'ctcp');"
        " mark.scrollIntoView({block: 'center', behavior: 'instant'});"
        " const box = mark.getBoundingClientRect();"
        " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
    )
    shown.move(place[0] - 60, place[1] - 60)
    shown.move(*place)
    shown.wait("!document.querySelector('.runcard').hidden")
    assert "mesonet replay results " in shown.value(
        "document.querySelector('.runcard').textContent"
    )


def test_dark_is_dark(chromium, few):
    chromium.open(few, dark=True)
    red = chromium.value("getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]")
    assert int(red) < 60


def test_the_map_plays(chromium, tmp_path):
    import mesonet

    world = mesonet.internet(
        base_sources=1, speed="4 p/ms", duration="3 s", buffers="rtt*c/sqrt(n)", algorithms="reno"
    )
    inputs = pages.inputs(
        key_responses=("loss_rate",),
        geometry=world.geometry(),
        recorded=simulate(world, seed=1),
        recorded_name="condition 1, reno, replicate 1",
        sections=("through-time", "network"),
    )
    assert isinstance(inputs, ReportInputs)
    chromium.errors.clear()
    chromium.open(build(inputs, tmp_path / "report.html"), fragment="#through-time")
    slider = "Number(document.querySelector('#through-time input[type=range]').value)"
    begin = chromium.value(slider)
    chromium.value("document.querySelector('[data-play]').click()")
    chromium.wait(f"{slider} !== {begin}")
    chromium.value("document.querySelector('[data-play]').click()")
    assert chromium.value("document.querySelector('[data-play]').textContent") == "Play"
    assert chromium.errors == []
