"""Messages for the author of a broken controller: the own file and line, the flow and the time."""

import re

import pytest
from labs import lab
from typer.testing import CliRunner

import mesonet
from mesonet.cli import app
from mesonet.errors import ControllerError

LAB = lab("python:mine.Mine", duration="1 s")

pytestmark = pytest.mark.usefixtures("path")

SCENARIO = """
kind = "dumbbell"
rate = "10 Mbit/s"
rtt = "40 ms"
loss = 0.02
flows = ["reno", {{ algorithm = "{name}", name = "mine" }}]
duration = "3 s"
"""

# What a line of a method does, the message, and the line of the file that it names: the line at
# fault where Python knows it, else the first line of the method.
CALL, METHOD = 11, 10
BROKEN = [
    pytest.param("1 / 0", "{method} raised ZeroDivisionError: division by zero", CALL, id="raises"),
    pytest.param("json.loads('x')", "{method} raised json.decoder.JSON", CALL, id="in a library"),
    pytest.param("raise SystemExit(0)", "{method} raised SystemExit: 0", CALL, id="exits"),
    pytest.param("self.cwnd = math.nan", "at least one segment .* got nan", METHOD, id="NaN"),
    pytest.param("self.cwnd = 0", "expected cwnd .* got 0", METHOD, id="zero"),
    pytest.param("self.cwnd = flow.smss - 1", "expected cwnd .* got 1459", METHOD, id="too small"),
    pytest.param("self.cwnd = math.inf", "expected cwnd .* got inf", METHOD, id="infinite"),
    pytest.param(
        "self.cwnd = 1.5e300",
        r"expected cwnd to be at most 16777216 segments \(2\^24\) of 1460 bytes, got 1\.5e300; are "
        "the units bytes",
        METHOD,
        id="too large",
    ),
    pytest.param("self.cwnd = -1e9", "expected cwnd .* got -1000000000.0", METHOD, id="negative"),
    pytest.param("self.cwnd = None", "expected cwnd .* got None", METHOD, id="None"),
    pytest.param("self.cwnd = 99 * 'x'", r"got 'x{{59}}\.\.\. \(", METHOD, id="long"),
    pytest.param("self.cwnd = 10 ** 9999", "got something without a repr", METHOD, id="huge"),
    pytest.param("del self.cwnd", "{method} raised AttributeError", METHOD, id="deleted"),
    pytest.param("flow.base_rtt", "; it has .*min_rtt", CALL, id="no such field"),
    pytest.param("self.pacing_rate = -5", "expected pacing_rate .* got -5", METHOD, id="pacing"),
    pytest.param("self.ssthresh = 'no'", "expected ssthresh .* got 'no'", METHOD, id="threshold"),
    pytest.param("self.ecn = 'l4s'; self.cwnd = 1", "at least one segment", METHOD, id="late l4s"),
    pytest.param(
        "return self.cwnd", "expected .* returns .*self.cwnd\\), got", METHOD, id="returns"
    ),
    pytest.param("self.phase = 3", "expected phase .* got 3", METHOD, id="phase"),
]

MODULE = """
import json
import math
import mesonet

class Mine(mesonet.Controller):
    cadence = "{cadence}"
    def __init__(self, initial):
        super().__init__(initial)
    def {method}(self, sample, flow):
        {line}
    def on_congestion(self, event, flow):
        pass
"""


@pytest.fixture(params=["ack", "round"])
def write(path, request):
    def write(line):
        method = f"on_{request.param}"
        text = MODULE.format(cadence=request.param, method=method, line=line)
        (path / "mine.py").write_text(text, "utf-8")
        return method

    return write


@pytest.mark.parametrize(("line", "message", "number"), BROKEN)
def test_a_run_stops_with_the_line_the_flow_and_the_time(path, write, line, message, number):
    method = write(line)
    (path / "scenario.toml").write_text(SCENARIO.format(name="python:mine.Mine"), "utf-8")
    done = CliRunner().invoke(app, ["simulate", str(path / "scenario.toml"), "--trust"])
    assert (done.exit_code, done.stdout) == (2, "")
    (text,) = done.stderr.splitlines()
    whose = r'error: python:mine\.Mine: flow "mine" \(source 1\), at 0\.\d{6} s of simulated time: '
    place = rf'File "{re.escape(str(path))}/mine\.py", line {number}, in {method}\)'
    assert re.search(f"^{whose}.*{message.format(method=method)}.*{place}$", text), text


def test_of_a_long_error_the_first_line_and_the_last_are_shown(path, write):
    write("raise ValueError('a' * 999 + '\\n' * 9999 + 'the end')")
    (path / "scenario.toml").write_text(SCENARIO.format(name="python:mine.Mine"), "utf-8")
    text = CliRunner().invoke(app, ["simulate", str(path / "scenario.toml"), "--trust"]).stderr
    assert "ValueError: aaa" in text
    assert "the end (" in text
    assert len(text) < 1000


@pytest.mark.parametrize(
    ("body", "pattern"),
    [
        ("pass", "on_ack.* on_congestion"),
        ("on_ack = print", "on_congestion"),
        (
            "cadence = 'round'; on_ack = on_congestion = print",
            'on_round.*"round"',
        ),
        ("on_round = on_congestion = print", 'on_ack.*"ack"'),
    ],
)
def test_a_class_without_the_methods_that_are_called_is_refused_before_anything_runs(
    path, body, pattern
):
    (path / "mine.py").write_text(
        f"import mesonet\nclass Mine(mesonet.Controller):\n    {body}\n", "utf-8"
    )
    with pytest.raises(mesonet.ScenarioError, match=pattern):
        mesonet.simulate(LAB, seed=1)
    with pytest.raises(ControllerError, match=pattern):
        mesonet.check_controller("python:mine.Mine", steps=10)


@pytest.mark.parametrize(
    "constructor",
    [
        "self.cadence = 'round'",
        "self.on_ack = self.on_round",
        "setattr(self, 'on_ack', self.on_round)",
    ],
)
def test_methods_that_a_constructor_sets_are_there(path, constructor):
    text = (
        "import mesonet\nclass Mine(mesonet.Controller):\n    def __init__(self, initial):\n"
        f"        super().__init__(initial)\n        {constructor}\n"
        "    def on_round(self, sample, flow):\n        self.cwnd = 10 * flow.smss\n"
        "    def on_congestion(self, event, flow):\n        pass\n"
    )
    (path / "mine.py").write_text(text, "utf-8")
    assert mesonet.simulate(LAB, seed=1).responses["utilization"] > 0


@pytest.mark.parametrize(
    ("body", "pattern"),
    [
        (
            "    def on_ack(self, ack, flow):\n        super().on_ack(ack, flow)",
            r"NotImplementedError: .* \(.*line 4, in on_ack\)$",
        ),
        (
            "    def __init__(self):\n        self.on_ack = print",
            r"__init__ .*TypeError: .* \(.*line 3, in __init__\)$",
        ),
        (
            "    def on_ack(self, ack, flow):\n        helper()\ndef helper():\n    1 / 0",
            r"ZeroDivisionError: .* \(.*line 6, in helper\)$",
        ),
    ],
)
def test_the_place_is_the_authors(path, body, pattern):
    text = f"import mesonet\nclass Mine(mesonet.Controller):\n{body}\n"
    text += "Mine.on_congestion = lambda self, event, flow: None\n"
    (path / "mine.py").write_text(text, "utf-8")
    with pytest.raises(ControllerError, match=pattern) as caught:
        mesonet.simulate(LAB, seed=1)
    assert "mesonet/controller" not in str(caught.value)
    problems = [demand.problem for demand in mesonet.check_controller("python:mine.Mine", steps=10)]
    assert re.search(pattern, problems[0] or "")
