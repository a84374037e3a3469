"""What the laboratory refuses, and what it ends."""

import asyncio
import json
import threading
import time

import pytest

from mesonet.lab import bench
from mesonet.lab.job import Job
from mesonet.lab.server import LONGEST_PROGRAM, Laboratory
from mesonet.lab.setting import Setting

PROGRAM = """
import time
import mesonet
{}
class Own(mesonet.Controller):
    def on_ack(self, ack, flow):
        {}
    def on_congestion(self, event, flow):
        pass
"""
OWN = "run?first=own&second=none&duration=2&rate=5"


@pytest.fixture
def single(tmp_path):
    workbench = bench.Bench(1)
    yield lambda code: workbench.submit(
        Job(Setting(first="own", second="none", duration=2, rate=5).model_dump(), code, tmp_path)
    ).result(300)
    workbench.close()


def test_a_program_that_does_not_end_is_ended_and_the_next_one_runs(single, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(bench, "SECONDS", 1.0)
        assert not single(PROGRAM.format("", "while True: pass")).legend
    assert single(PROGRAM.format("", "pass")).legend == ("own",)


def test_a_program_that_takes_too_much_memory_is_ended(single, monkeypatch):
    monkeypatch.setattr(bench, "MEMORY", 600_000_000)
    hungry = PROGRAM.format("much = b'x' * 800_000_000; time.sleep(1000)", "pass")
    assert single(PROGRAM.format("", "pass")).legend
    (problem,) = json.loads(single(hungry).shown)["problems"]
    assert "more than 600 MB" in problem["message"]


def test_what_runs_ends_with_the_laboratory(tmp_path):
    workbench = bench.Bench(1)
    values = Setting(first="own", second="none").model_dump()
    running = workbench.submit(Job(values, PROGRAM.format("", "while True: pass"), tmp_path))
    time.sleep(0.3)
    workbench.close()
    assert not running.result(0).legend


def test_nothing_is_there_without_the_token(served):
    for path in ("/", "/run", "/options.json", f"/{served.token[:-1]}/", "/lab.js"):
        assert served.at(path).status == 404
    assert served.ask("").status == 200


def test_browsers_are_told_to_load_nothing_from_elsewhere(served):
    for path in ("", "lab.js", "vega.js", "run"):
        policy = served.ask(path).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "http" not in policy


def test_the_same_setting_has_the_same_bytes(served):
    first, again = (served.ask("run?rate=20", visitor=name) for name in "ab")
    assert first.status == again.status == 200
    assert first.body == again.body
    assert served.ask("run?rate=10").body != first.body


def test_what_is_wrong_with_a_setting_is_said_by_place(served):
    answer = served.ask("run?rate=0&rtt=x")
    assert answer.status == 422
    assert {it["loc"] for it in answer.json()["problems"]} == {"rate", "rtt"}


def test_a_visitor_has_one_run_at_a_time_and_others_wait_for_nobody(served, tmp_path):
    begun, go = tmp_path / "begun", tmp_path / "go"
    waits = (
        f"import os\nopen({str(begun)!r}, 'w').close()\n"
        f"while not os.path.exists({str(go)!r}): time.sleep(0.05)"
    )
    slow = PROGRAM.format(waits, "pass")
    answers = []
    first = threading.Thread(target=lambda: answers.append(served.ask(OWN, slow)))
    first.start()
    try:
        while not begun.exists():
            assert first.is_alive()
            time.sleep(0.05)
        assert served.ask("run?rate=20").status == 429
        assert served.ask("run?rate=20", visitor="somebody else").status == 200
    finally:
        go.touch()
        first.join()
    assert answers[0].status == 200
    assert served.ask("run?rate=20").status == 200


def test_a_visitor_who_goes_away_while_sending_a_program_is_no_error():
    laboratory, answer = Laboratory(), []
    scope = {"type": "http", "method": "POST", "path": f"/{laboratory.token}/run", "headers": []}

    async def gone():
        return {"type": "http.disconnect"}

    async def send(message):
        answer.append(message)

    try:
        application = laboratory.application()
        asyncio.run(application(scope | {"query_string": b"first=own"}, gone, send))
    finally:
        laboratory.close()
    assert answer[0]["status"] == 400


def test_a_program_runs_only_when_it_is_sent(served):
    assert served.ask(OWN).status == 409
    assert served.ask(OWN, "#" * (LONGEST_PROGRAM + 1)).status == 422


@pytest.mark.parametrize(
    ("code", "place"),
    [
        ("x = 1\nfor", "own.py, line 2"),
        ("x = 1", "own.py"),
        ("class A: pass\x00", "own.py"),
    ],
)
def test_what_is_wrong_with_a_program_has_its_line(served, code, place):
    problems = served.ask(OWN, code).json()["problems"]
    assert [it["loc"] for it in problems] == [place]


def test_an_error_in_a_run_names_the_line_of_the_editor(served):
    code = PROGRAM.format("", "flow.nothing")
    message = served.ask(OWN, code).json()["problems"][0]["message"]
    assert 'File "own.py", line 7' in message
    assert "nothing" in message
    assert "own_" not in message


def test_what_a_program_prints_is_shown_with_a_run_and_with_an_error(served):
    run = served.ask(OWN, PROGRAM.format("", "print('abc')")).json()["run"]
    assert run["printed"].startswith("abc\n")
    refused = served.ask(OWN, PROGRAM.format("", "print('abc'); flow.nothing")).json()
    assert refused["printed"] == "abc\n"


def test_a_program_that_raises_an_interrupt_has_no_picture(served):
    answer = served.ask(OWN, PROGRAM.format("", "raise KeyboardInterrupt"))
    assert answer.status == 422
    assert [it["loc"] for it in answer.json()["problems"]] == ["own.py"]


def test_a_shared_laboratory_runs_no_programs_unless_they_are_trusted(shared):
    assert shared.ask(OWN, PROGRAM.format("", "pass")).status == 403
    assert shared.ask("options.json").json()["own"] is False
    assert shared.ask("run").status == 200
