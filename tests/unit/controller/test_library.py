"""Controllers in Rust: made by one command, built by another, run as built-in ones are."""

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from labs import assert_same, lab, world
from refusals import refused
from tiny_criteria import tiny_criteria
from typer.testing import CliRunner

import mesonet
from mesonet.campaign import Campaign
from mesonet.cli import app
from mesonet.controller import controllers, discipline_for, fingerprint, library
from mesonet.controller.template import new_controller
from mesonet.errors import ControllerError, InputError, ScenarioError, StorageError
from mesonet.writing import write_atomically

ROOT = Path(__file__).resolve().parents[3]
MAGIC = b"mesonet plugin\r\n"

FAULTY = Path(__file__).with_name("faulty.rs").read_text(encoding="utf-8")
"""Controllers beside the template's own, which do what their parameter says."""


@pytest.fixture(scope="module", autouse=True)
def _forgotten():
    """Tests of other modules know of no library."""
    yield
    library._OPENED.clear()


@pytest.fixture(scope="module")
def created(tmp_path_factory):
    """The folder of a new controller, and what `make` printed in it."""
    folder = tmp_path_factory.mktemp("rust") / "my-cc"
    assert CliRunner().invoke(app, ["new-controller", "my-cc", "--out", str(folder)]).exit_code == 0
    done = make(folder)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


def make(folder, *arguments):
    # Nobody debugs what is built here, or builds it for speed; that saves most of the building.
    lean = {
        "CARGO_INCREMENTAL": "0",
        "CARGO_PROFILE_DEV_CODEGEN_UNITS": "1",
        "CARGO_PROFILE_DEV_DEBUG": "0",
        "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "1",
        "CARGO_PROFILE_RELEASE_LTO": "off",
        "CARGO_PROFILE_RELEASE_OPT_LEVEL": "1",
    }
    environment = {**os.environ, **lean, "CARGO_NET_OFFLINE": "true"}
    environment.pop("MAKEFLAGS", None)
    command = ["make", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_the_tests_of_the_template_pass(created):
    done = make(created[0], "test")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "test tests::a_buffer_keeps_the_path_busy ... ok" in done.stdout


@pytest.fixture
def mine(created, monkeypatch):
    """The name of the new controller, in its folder."""
    monkeypatch.chdir(created[0])
    return f"library:{built(created[0]).relative_to(created[0])}:my-cc"


@pytest.fixture(scope="module")
def faulty(created):
    """The name of a controller that fails, in a library that was built again."""
    folder, _ = created
    source, path = folder / "src" / "lib.rs", built(folder)
    text, good = source.read_text(encoding="utf-8"), path.read_bytes()
    exported = "controllers![ALGORITHM, FAULTY, SPEAKER]"
    changed = f"{text.replace('controllers![ALGORITHM]', exported)}\n{FAULTY}"
    source.write_text(changed, encoding="utf-8")
    done = make(folder, "build")
    assert done.returncode == 0, done.stderr
    copy = folder / f"faulty{path.suffix}"
    copy.write_bytes(path.read_bytes())
    source.write_text(text, encoding="utf-8")
    path.write_bytes(good)
    return f"library:{copy}:faulty"


def built(folder):
    (path,) = (folder / "target" / "release").glob("*my_cc.*[!d]")
    return path


def doctored(path, abi, copy):
    """A copy of a library that says that it has another ABI."""
    content = path.read_bytes()
    known = MAGIC + (4).to_bytes(4, sys.byteorder)
    assert content.count(known) == 1
    copy.write_bytes(content.replace(known, MAGIC + abi.to_bytes(4, sys.byteorder)))
    return copy


def problems(scenario):
    with pytest.raises(ScenarioError) as caught:
        mesonet.simulate(scenario, seed=1)
    return [(problem.loc, problem.message) for problem in caught.value.problems]


def test_one_command_builds_tries_and_simulates(created):
    _, printed = created
    assert len(re.findall("^passed ", printed, re.MULTILINE)) == 13
    assert "FAILED" not in printed
    goodput = re.findall(r"^(?:my-cc|reno) +([\d.]+)", printed, re.MULTILINE)
    assert sum(map(float, goodput)) > 0.9 * 20, "of a link of 20 Mbit/s"


@pytest.mark.parametrize(
    "changes",
    [
        {"loss": 0.002, "duration": "20 s"},
        {"loss": 0.03, "duration": "20 s", "profile": "mesonet"},
        {"rate": "2 p/ms", "buffer": "20 p", "profile": "linux"},
        # Packets a round trip late: reductions that are taken back (`window_mut`).
        {"path": {"reordering": {"probability": 0.01, "delay": "60 ms"}}, "profile": "linux"},
    ],
)
@pytest.mark.parametrize("values", [{}, {"increase": 3.0, "decrease": 0.125}])
def test_the_rule_outside_is_the_rule_inside(mine, changes, values):
    flows = [{"algorithm": "aimd", "count": 2}, "reno"]
    scenario = lab(*flows, parameters={"aimd": values}).replace(changes)
    again = lab({"algorithm": mine, "count": 2}, "reno", parameters={mine: values})
    runs = [mesonet.simulate(it, seed=3) for it in (scenario, again.replace(changes))]
    assert runs[0].totals["recoveries"] > 0
    assert_same(*runs)


def test_many_regions_and_threads_change_nothing(mine):
    plain = mesonet.simulate(world("aimd"), seed=1)
    scenario = world(mine)
    assert scenario.resolve()["regions"] > 1
    for threads in (1, 2):
        assert_same(plain, mesonet.simulate(scenario, seed=1, threads=threads))


def test_parameters_are_checked_as_those_of_built_in_algorithms(mine):
    place = f"parameters.{mine}"
    refusals = problems(lab(mine, parameters={mine: {"increas": 1.0, "decrease": 2.0}}))
    hint = f'"{mine}" has no such parameter (did you mean "increase"?)'
    assert refusals == [
        (f"{place}.increas", hint),
        (f"{place}.decrease", "expected a number from 0 to 1, got 2.0"),
    ]
    with pytest.raises(ControllerError, match="decrease: "):
        mesonet.check_controller(mine, parameters={"decrease": 2.0})


def test_libraries_are_listed(mine):
    path = mine.removeprefix("library:").removesuffix(":my-cc")
    listed = CliRunner().invoke(app, ["list", "controllers", "--library", path])
    assert listed.exit_code == 0
    summary = "AIMD: additive increase, multiplicative decrease"
    assert f"{mine} {summary}" in " ".join(listed.stdout.split())
    info = next(info for info in controllers() if info.name == mine)
    assert [(it.name, it.default) for it in info.parameters] == [
        ("increase", 1.0),
        ("decrease", 0.5),
    ]
    refused = CliRunner().invoke(app, ["list", "controllers", "--library", "nowhere.so"])
    assert refused.exit_code == 2
    assert refused.stderr.startswith("error: --library: nowhere.so: no such file in ")


@pytest.mark.parametrize(
    ("fault", "pattern"),
    [
        (1, r"build panicked: no such start \(src/lib\.rs:\d+:\d+\)"),
        (2, r"on_ack panicked: delivered \d+ \(src/lib\.rs:\d+:\d+\)"),
        (3, r"after on_ack, expected cwnd to be at least one segment \(1460 .*, got NaN"),
        (4, r"after on_wakeup, expected a wake-up in the future, got one that was due .* in a row"),
    ],
)
def test_failures_stop_the_run_and_say_whose_and_when(faulty, capfd, fault, pattern):
    bad = mesonet.flow(faulty, name="bad")
    with pytest.raises(ControllerError) as caught:
        mesonet.simulate(lab("reno", bad, parameters={faulty: {"fault": fault}}), seed=1)
    place = r': flow "bad" \(source 1\), at \d+\.\d+ s of simulated time: '
    assert re.fullmatch(re.escape(faulty) + place + pattern, str(caught.value))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("threads", [1, 2])
def test_one_that_never_comes_back_is_left_behind_after_ctrl_c(faulty, threads):
    # In a process of its own, whose end ends the controller.
    code = (
        "import mesonet, signal\n"
        f"bad = mesonet.dumbbell(rate='10 Mbit/s', rtt='40 ms', duration='4 s', flows=[{faulty!r}],"
        f" parameters={{{faulty!r}: {{'fault': 5}}}})\n"
        "def interrupt(_):\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "try:\n"
        f"    mesonet.simulate(bad, threads={threads}, progress=interrupt)\n"
        "except KeyboardInterrupt as end:\n"
        "    print(end)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "the engine did not come back within a second" in done.stdout


def test_one_that_speaks_with_routers_needs_some_that_answer(faulty):
    speaker = faulty.removesuffix("faulty") + "speaker"
    ((_, message),) = problems(lab("reno", speaker))
    assert f'"{speaker}" needs routers with queue = "xcp"' in message
    assert discipline_for(speaker) == "xcp"
    assert discipline_for(faulty) == "droptail"
    ((_, message),) = problems(world(speaker))
    assert 'queue = "xcp"' in message
    assert mesonet.simulate(lab(speaker, queue="xcp"), seed=1).totals["delivered"] > 0


def test_a_library_that_was_built_again_is_opened_again(mine, faulty, tmp_path):
    path = tmp_path / "mine.so"
    name = f"library:{path}:my-cc"
    path.write_bytes(built(Path.cwd()).read_bytes())
    first = library.digest(name)
    assert [*library.names_in(path)] == [name]
    newer = faulty.removeprefix("library:").removesuffix(":faulty")
    path.write_bytes(Path(newer).read_bytes())
    assert library.digest(name) != first
    assert library.names_in(path) == [f"library:{path}:faulty", name, f"library:{path}:speaker"]
    path.unlink()
    with pytest.raises(ControllerError):
        library.load(name)


def test_another_abi_is_refused_by_name_and_version(mine, tmp_path):
    version = importlib.metadata.version("mesonet")
    path = doctored(built(Path.cwd()), 1, tmp_path / "other.so")
    ((place, message),) = problems(lab("reno", f"library:{path}:my-cc"))
    assert place == "flows[1].algorithm"
    assert message == (
        f"{path}: controller library `my-cc` was built for ABI 1 (mesonet-plugin {version}); "
        f"this mesonet has ABI 4 (mesonet-plugin {version}): rebuild the library with the "
        "mesonet-plugin that comes with this mesonet"
    )


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("library:", "library:: expected a name such as library:target/release/libmine.so:mine"),
        ("library:lib.so", "library:lib.so: expected a name such as library:"),
        ("library:nowhere.so:mine", "nowhere.so: no such file in /"),
        ("library:/nowhere.so:mine", "/nowhere.so: no such file"),
        ("library:Makefile:mine", "Makefile: is not a shared library that this machine can load: "),
        ("library:src:mine", "src: no such file"),
        (
            "library:cut.so:mine",
            "cut.so: is not a shared library that this machine can load: it is",
        ),
        (
            "library:MINE:my-c",
            'MINE: this library has no controller "my-c" (did you mean "my-cc"?)',
        ),
        ("library:MINE:else", 'MINE: this library has no controller "else"; it has my-cc'),
        ("libary:MINE:mine", 'expected a congestion controller, got "libary:MINE:mine"'),
    ],
)
def test_names_that_lead_nowhere(mine, name, beginning):
    path = mine.removeprefix("library:").removesuffix(":my-cc")
    Path("cut.so").write_bytes(built(Path.cwd()).read_bytes()[:5000])
    ((place, message),) = problems(lab("reno", name.replace("MINE", path)))
    assert place == "flows[1].algorithm"
    assert message.startswith(beginning.replace("MINE", path))


def plan(name, values):
    return mesonet.plan_from_dict(
        {
            "name": "mine",
            "responses": ["utilization", "goodput"],
            "scenario": {
                "kind": "dumbbell",
                "rate": "10 Mbit/s",
                "rtt": "20 ms",
                "flows": ["aimd"],
                "duration": "1 s",
            },
            "factors": {"rtt": {"path": "rtt", "low": "20 ms", "high": "40 ms"}},
            "design": {"kind": "full_factorial"},
            "alternatives": [
                {"label": "inside"},
                {
                    "label": "outside",
                    "set": {"flows[0].algorithm": name, "parameters": {name: values}},
                },
            ],
        }
    )


def test_campaigns_run_libraries_in_their_workers(mine, faulty, tmp_path):
    campaign = mesonet.run_campaign(plan(mine, {}), out=tmp_path / "out", workers=1)
    frame = campaign.results().sort("condition", "alternative")
    by = frame.partition_by("alternative", as_dict=True)
    assert frame.height == 4
    for response in ("utilization", "goodput"):
        assert by["inside",][response].to_list() == by["outside",][response].to_list()
    bad = mesonet.run_campaign(plan(faulty, {"fault": 2.0}), out=tmp_path / "bad", workers=1)
    assert bad.status()["failed"] == 2
    for error in Campaign.open(tmp_path / "bad").failures().values():
        assert "on_ack panicked: delivered" in error


def test_a_run_is_identified_by_the_content_of_the_library(mine, faulty, tmp_path):
    path = tmp_path / "mine.so"
    name = f"library:{path}:my-cc"
    path.write_bytes(built(Path.cwd()).read_bytes())
    before = {run.alternative: run.id for run in plan(name, {}).runs()}
    assert before == {run.alternative: run.id for run in plan(name, {}).runs()}
    newer = faulty.removeprefix("library:").removesuffix(":faulty")
    path.write_bytes(Path(newer).read_bytes())
    after = {run.alternative: run.id for run in plan(name, {}).runs()}
    assert before["inside"] == after["inside"]
    assert before["outside"] != after["outside"]
    assert fingerprint([{"name": mine, "params": {}}]) != fingerprint([])


def test_from_a_crate_to_an_evaluation_page_are_twenty_lines(created, tmp_path, monkeypatch):
    """Those of docs/howto/ship.md, with a crate that its reader could have."""
    page = (ROOT / "docs" / "howto" / "ship.md").read_text(encoding="utf-8")
    page = page.partition("\n## Your own\n")[2]
    (code,) = re.findall(r"^```rust\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    commands = re.findall(r"^\$ (.*)", page, re.MULTILINE)
    assert len([*filter(None, code.splitlines()), *commands]) <= 20
    new, cd, add, build, evaluate = (command.split() for command in commands)
    crate = tmp_path / "my-transport"
    (crate / "src").mkdir(parents=True)
    shutil.copy(Path(__file__).with_name("my_transport.rs"), crate / "src" / "lib.rs")
    (crate / "Cargo.toml").write_text('package = { name = "my-transport", version = "1.0.0" }\n')
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, new[1:]).exit_code == 0
    monkeypatch.chdir(cd[1])
    # What all controllers are built with is there.
    Path("target").symlink_to(created[0] / "target")
    subprocess.run([*add, "--path", crate, "--offline", "--quiet"], check=True)
    Path("src", "lib.rs").write_text(code, encoding="utf-8")
    done = make(Path.cwd(), *build[1:])
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.findall(r"^passed  (\S+)", done.stdout, re.MULTILINE)
    assert passed == ["simulation", "repetition", "response-function"]
    (tmp_path / "criteria").mkdir()
    with tiny_criteria(tmp_path / "criteria"):
        told = CliRunner().invoke(app, evaluate[1:])
    assert told.exit_code == 0, told.output
    assert Path(told.stdout.split()[-1]).is_file()


def test_wheels_carry_what_a_controller_is_built_with(tmp_path):
    """crates/binding/build.rs lists it; cargo finds nothing missing in it."""
    script = (ROOT / "crates" / "binding" / "build.rs").read_text(encoding="utf-8")
    for source in re.findall(r'^    "(.*)",$', script, re.MULTILINE):
        copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copy2
        (tmp_path / "rust" / source).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / source, tmp_path / "rust" / source)
    folder = new_controller("mine", out=tmp_path / "mine")
    manifest = folder / "Cargo.toml"
    text = manifest.read_text(encoding="utf-8")
    assert text.count(str(ROOT / "crates")) == len(["dependencies", "dev-dependencies"])
    manifest.write_text(text.replace(str(ROOT), str(tmp_path / "rust")), encoding="utf-8")
    command = ["cargo", "metadata", "--offline", "--quiet", "--format-version", "1"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    packages = {package["name"] for package in json.loads(done.stdout)["packages"]}
    assert packages == {"mine", "mesonet-plugin", "congestion", "libm", "strsim"}


def test_what_cannot_be_written_leaves_no_folder(tmp_path, monkeypatch):
    def full(path, content):
        if path.name == "Makefile":
            raise StorageError("full")
        write_atomically(path, content)

    monkeypatch.setattr("mesonet.writing.write_atomically", full)
    with pytest.raises(StorageError):
        new_controller("mine", out=tmp_path / "mine")
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize("name", ["", "9s", "Mine", "a b", "../up", "für", "x" * 65, "congestion"])
def test_a_name_has_to_be_that_of_a_crate(name, tmp_path):
    with refused(InputError, ("NAME", "name")):
        new_controller(name, out=tmp_path / "new")
    assert not (tmp_path / "new").exists()
