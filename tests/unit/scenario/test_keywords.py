"""Keywords of scenarios and campaigns, as editors and mypy know them."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import mesonet
from mesonet.scenario.flows import Flow

ROOT = Path(__file__).resolve().parents[3]
RIGHT = """
import mesonet
from typing import Any
some: dict[str, Any] = {"duration": "2 s"}
flows = [{"algorithm": "reno", "start": "1 s"}, {"algorithm": "cubic"}]
transport = {"recovery": "rack", "rto_min": "200 ms"}
mesonet.dumbbell(rate="10 Mbit/s", rtt="20 ms", flows=["reno"], **some)
mesonet.dumbbell(rate="10 Mbit/s", rtt="20 ms", flows=flows, transport=transport)
mesonet.dumbbell(
    rate="8 p/ms",
    rtt="20 ms",
    flows=[mesonet.flow("cubic", count=3), mesonet.flow(mesonet.Controller)],
    queue={"kind": "codel", "target": "5 ms"},
    initial_ssthresh=float("inf"),
    profile="linux",
)
mesonet.internet(
    speed="600 p/ms",
    base_sources=20,
    algorithms={"ctcp": 0.5, "reno": 0.5},
    source_distribution="uniform",
    receiver_distribution=(0.5, 0.25, 0.25),
    jumbo="none",
    long_flows=[{"name": "L1", "path": "mean"}],
    queue={"access": {"kind": "fq_codel", "share": 0.6}},
)
mesonet.run_campaign(mesonet.load_plan("plan.toml"), out="here", workers=2, max_seconds=60)
"""
WRONG = {
    'mesonet.dumbbell(rate="10 Mbit/s", rtt="20 ms", flows=["reno"], bufer="1 bdp")': '"bufer"',
    'mesonet.dumbbell(rate="10 Mbit/s", flows=["reno"])': '"rtt"',
    'mesonet.dumbbell(rate="1 p/ms", rtt="2 s", flows=[], profile="bsd")': "Literal['bsd']",
    'mesonet.flow("reno", begin="2 s")': '"begin"',
    'mesonet.flow("reno", count="3")': 'expected "int"',
    "mesonet.internet(thinking_time='5 s')": '"thinking_time"',
    'mesonet.run_campaign(plan, out="x", worker=2)': '"worker"',
    'mesonet.run_campaign(plan, out="x", workers="2")': '"workers"',
}


def test_mypy_finds_wrong_keywords_and_types_and_passes_right_ones(tmp_path):
    before = "import mesonet\n\nplan: mesonet.Plan\n"
    wrong, right = tmp_path / "wrong.py", tmp_path / "right.py"
    wrong.write_text(before + "".join(f"{line}\n" for line in WRONG))
    right.write_text(RIGHT)
    # Types of these libraries stand in no argument that is checked here, and take most of the time.
    libraries = "altair distributed networkx polars rich scipy typer"
    skipped = ",".join(f"{name}.*" for name in libraries.split())
    config = tmp_path / "mypy.ini"
    config.write_text(f"[mypy]\n[mypy-{skipped}]\nfollow_imports = skip\n")
    command = [sys.executable, "-m", "mypy", f"--config-file={config}", "--strict"]
    command += ["--no-error-summary"]
    command += ["--ignore-missing-imports", "--follow-imports=silent", "--allow-any-generics"]
    done = subprocess.run(
        [*command, f"--cache-dir={os.devnull}", str(wrong), str(right)],
        capture_output=True,
        text=True,
        check=False,
        env={"MYPYPATH": str(ROOT / "python")},
    )
    said = re.findall(r"^(.*):(\d+): error: (.*)$", done.stdout, flags=re.MULTILINE)
    first = before.count("\n") + 1
    assert [(file, int(line)) for file, line, _ in said] == [
        (str(wrong), first + here) for here in range(len(WRONG))
    ], done.stdout + done.stderr
    for (_, _, message), words in zip(said, WRONG.values(), strict=True):
        assert words in message


def test_flow_takes_the_fields_of_a_flow():
    assert list(inspect.signature(mesonet.flow).parameters) == list(Flow.model_fields)


def test_what_a_change_does_not_touch_is_not_read_again():
    scenario = mesonet.dumbbell(rate="10 Mbit/s", rtt="40 ms", flows=["reno", "cubic"])
    assert scenario.replace(rtt="50 ms").flows[0] is scenario.flows[0]
    assert scenario.replace({"flows[0].rtt": "50 ms"}).flows[1] == scenario.flows[1]
