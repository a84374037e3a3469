"""Congestion-control modules of Linux, built from C: those of ours beside this file."""

import functools
import sys
from pathlib import Path

import pytest
from refusals import refused
from typer.testing import CliRunner

import mesonet
from mesonet.cli import app
from mesonet.controller import library, name_of
from mesonet.controller.kernel import build_kernel_module
from mesonet.controller.library import SUFFIX
from mesonet.errors import InputError, ScenarioError

SOURCES = Path(__file__).with_name("kernel")


@pytest.fixture(scope="module", autouse=True)
def _forgotten():
    """Tests of other modules know of no library."""
    yield
    library._OPENED.clear()


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """Builds a file of ours, once for the same options; the name of its controller."""

    @functools.cache
    def built(module, **options):
        out = tmp_path_factory.mktemp("built") / f"{module}{SUFFIX}"
        (name,) = build_kernel_module([SOURCES / f"{module}.c"], out=out, **options)
        return name

    return built


class WholeReno(mesonet.Controller):
    """Reno in whole segments: one for every window of them that is acknowledged."""

    credit = 0

    def __init__(self, initial):
        super().__init__(initial)
        self.smss = initial.smss
        self.ssthresh = initial.ssthresh * self.smss
        self.repairs = False

    def on_ack(self, ack, flow):
        acked = ack.delivered // self.smss
        if not flow.cwnd_limited or self.repairs:
            return
        used = min(acked, max(self.ssthresh - self.cwnd, 0) / self.smss)
        self.cwnd += used * self.smss
        if used < acked:
            window = self.cwnd // self.smss
            grows, self.credit = divmod(self.credit + acked - used, window)
            self.cwnd += grows * self.smss

    def on_congestion(self, event, flow):
        self.repairs = event.kind == "enter_recovery"
        if self.repairs:
            self.ssthresh = self.cwnd = max(self.cwnd // self.smss // 2, 2) * self.smss
            self.credit = 0


def lab(name, **changes):
    options = {"rate": "20 Mbit/s", "rtt": "40 ms", "duration": "20 s", "profile": "linux"}
    return mesonet.dumbbell(**options | changes, flows=[mesonet.flow(name, name="it")])


def assert_same(run, other):
    """Windows at every instant, and all counts."""
    assert run.totals == other.totals
    assert run.flows.drop("phase").equals(other.flows.drop("phase"))


@pytest.mark.parametrize(
    "changes", [{}, {"loss": 0.002}, {"rtt": "200 ms", "buffer": "0.3 bdp", "duration": "60 s"}]
)
def test_reno_of_the_shim_is_reno_in_whole_segments(build, changes):
    """`tcp_slow_start`, `tcp_cong_avoid_ai` and `tcp_reno_ssthresh`, beside their meaning."""
    module = mesonet.simulate(lab(build("reno"), interval="10 ms", **changes))
    assert module.totals["recoveries"] > 0
    assert_same(module, mesonet.simulate(lab(WholeReno, interval="10 ms", **changes)))
    usual = mesonet.simulate(lab("reno", **changes))
    assert module.totals["acked"] == pytest.approx(usual.totals["acked"], rel=0.02)


def test_headers_macros_and_clock_are_there(build):
    """The window grows towards the one before the loss, and reaches it two seconds after."""
    frame = mesonet.simulate(lab(build("cubic"), interval="50 ms", duration="30 s")).flows
    window = frame.filter(frame["time"] > 10)["cwnd"].to_numpy()
    assert 0.65 < window.min() / window.max() < 0.8


@pytest.mark.parametrize("kernel", ["6.12", "7.1"])
def test_idle_time_reaches_the_module(build, kernel):
    """`CA_EVENT_TX_START`, an op of its own since 7.1, and `lsndtime`, a second before it."""
    bursts = mesonet.flow(build("events", kernel=kernel), burst="5 packets", pause="1 s")
    frame = mesonet.simulate(
        mesonet.dumbbell(
            rate="20 Mbit/s",
            rtt="40 ms",
            duration="5 s",
            profile="linux",
            transport={"idle_restart": "none", "app_limited_decay": False},
            flows=[bursts],
        )
    ).flows
    assert set(frame.filter(frame["phase"] >= 0)["cwnd"]) == {10, 1010}


@pytest.mark.parametrize("rule", ["linux", "none"])
def test_what_is_taken_back_reaches_the_module(build, rule):
    """A burst delays the flow for three seconds; where that is seen, `undo_cwnd` has the window."""
    scenario = mesonet.dumbbell(
        rate="1 Mbit/s",
        rtt="100 ms",
        buffer="10000 packets",
        duration="40 s",
        profile="linux-4.18",
        initial_window=300,
        transport={"receive_window": 300, "undo": rule, "frto": rule == "linux"},
        flows=[
            mesonet.flow(build("events"), name="first"),
            mesonet.flow("reno", start="20 s", size="300 packets"),
        ],
    )
    frame = mesonet.simulate(scenario).flows
    assert (77 in set(frame.filter(frame["flow"] == "first")["cwnd"])) == (rule == "linux")


def test_a_module_hears_what_is_delivered_while_a_segment_is_on_its_way(build):
    """`ack_sample.in_flight`, in bytes, which NV divides by the round trip."""
    windows = mesonet.simulate(lab(build("delivered"))).flows["cwnd"]
    assert windows[-1] == 21


@pytest.mark.parametrize("ecn_low", [False, True])
def test_marks_reach_modules_that_count_them(ecn_low, tmp_path):
    """`TCP_CONG_NEEDS_ECN` gets ECN, BBR 3 on a route with `ecn_low` alone; the step marks."""
    out = tmp_path / f"marks{SUFFIX}"
    names = build_kernel_module([SOURCES / "marks.c"], out=out, ecn_low=ecn_low)
    queue = {"kind": "step", "threshold": "5 packets"}
    runs = [mesonet.simulate(lab(name, queue=queue, duration="2 s")) for name in names]
    assert [run.flows["cwnd"][-1] for run in runs] == [50, 50 if ecn_low else 101]


def test_ticks_are_those_that_were_asked_for(build):
    runs = [mesonet.simulate(lab(build("cubic", hz=hz), loss=0.001)) for hz in (100, 1000)]
    assert runs[0].totals["acked"] != runs[1].totals["acked"]


def test_many_regions_and_threads_change_nothing(build):
    """The kernel's clock is of a thread, which serves one flow at a time."""
    world = mesonet.internet(
        base_sources=1, speed="4 p/ms", duration="3 s", algorithms=build("cubic"), profile="linux"
    )
    assert world.resolve()["regions"] > 1
    runs = [mesonet.simulate(world, threads=threads) for threads in (1, 2)]
    assert runs[0].totals["recoveries"] > 0
    assert runs[0].totals == runs[1].totals
    assert runs[0].series.equals(runs[1].series)


def test_the_demands_on_every_controller_are_met(build):
    demands = mesonet.check_controller(build("reno"), response=False)
    assert [demand.name for demand in demands if demand.problem] == []


def test_the_same_file_gives_the_same_library(build):
    again = build.__wrapped__("cubic")
    assert again != build("cubic")
    assert library.digest(again) == library.digest(build("cubic"))


def test_a_module_is_compared_and_evaluated_by_its_file(build):
    name = build("reno")
    outcome = mesonet.compare(name, "cubic", replicates=2, duration="5 s", rtt="20 ms")
    assert outcome.to_frame().height > 0
    path = name.removeprefix("library:").rpartition(":")[0]
    assert name_of(path) == name
    assert name_of(f"mine={path}") == f"mine={name}"


def test_the_command_prints_names_that_scenarios_take(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["build-kernel-module", str(SOURCES / "reno.c")])
    assert done.exit_code == 0, done.stderr
    assert done.stdout == f"library:reno{SUFFIX}:whole-reno\n"
    assert mesonet.simulate(lab(done.stdout.strip(), duration="1 s")).totals["delivered"] > 0


def test_everything_wrong_with_a_command_is_told_at_once(tmp_path):
    assert CliRunner().invoke(app, ["build-kernel-module", "nowhere.c"]).exit_code == 2
    with refused(
        InputError,
        ("nowhere.c", "missing"),
        (str(SOURCES / "reno.c"), "duplicate"),
        (str(SOURCES / "reno.c"), "duplicate"),
        ("--kernel", "unknown_kernel"),
        ("--compiler", "missing"),
        ("--out", "suffix"),
    ):
        out = tmp_path / "module.c"
        files = ["nowhere.c", SOURCES / "reno.c", SOURCES / "reno.c"]
        build_kernel_module(files, kernel="2.6", compiler="no-cc", out=out)


OLDER = """\
static void f(struct sock *sk, const struct rate_sample *rs) {}
static struct tcp_congestion_ops ops = {.cong_control = f,
.name = "older", .ssthresh = tcp_reno_ssthresh, .undo_cwnd = tcp_reno_undo_cwnd};
static int load(void) { return tcp_register_congestion_control(&ops); }
module_init(load);
"""
BROKEN = {
    "sends.c": (
        "u32 f(struct sock *sk)\n{\n\treturn tcp_sk(sk)->rx_opt.rcv_tsval;\n}\n",
        4,
        "compile",
    ),
    "header.c": ("#include <linux/ktime.h>\n", 2, "compile"),
    "older.c": (OLDER, 3, "compile"),
    "calls.c": ("void g(void);\nvoid f(void) { g(); }\n", None, "link"),
    "empty.c": ("", None, "no_module"),
    "bytes.c": ("\udcff\n", 2, "compile"),
}
"""What a file has after its includes, the line of the first error, and its kind."""


@pytest.mark.parametrize("name", BROKEN)
def test_the_first_error_of_the_compiler_is_ours(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    text, line, kind = BROKEN[name]
    Path(name).write_bytes(f"#include <net/tcp.h>\n{text}".encode(errors="surrogateescape"))
    with refused(InputError, (f"{name}:{line}" if line else name, kind)):
        build_kernel_module([name])
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_module_of_another_kernel_is_one_of_another_version(tmp_path):
    """`cong_control` has four arguments since 6.10."""
    source = tmp_path / "older.c"
    source.write_text(f"#include <net/tcp.h>\n{OLDER}", encoding="utf-8")
    out = tmp_path / f"older{SUFFIX}"
    with refused(InputError, (f"{source}:3", "compile")):
        build_kernel_module([source], out=out)
    assert build_kernel_module([source], out=out, kernel="6.9") == [f"library:{out}:older"]


def test_a_module_of_another_abi_is_refused(build, tmp_path):
    path = Path(build("reno").removeprefix("library:").rpartition(":")[0])
    content = path.read_bytes()
    at = content.index(b"mesonet plugin\r\n") + 16
    other = tmp_path / "other.so"
    other.write_bytes(content[:at] + (1).to_bytes(4, sys.byteorder) + content[at + 4 :])
    with refused(ScenarioError, ("flows[0].algorithm", "unknown_algorithm")):
        mesonet.simulate(lab(f"library:{other}:whole-reno"))
