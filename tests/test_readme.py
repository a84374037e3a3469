"""The README and the manual do what they say: their examples are executed.

Blocks of a page run in order, in one namespace and one empty folder:

* ```python blocks are executed;
* in ```pycon blocks every line after `>>>` is executed, and must print what stands below it, up
  to white space;
* a block after the comment `<!-- file: NAME -->` is first written to NAME;
* in a ```console block after `<!-- run -->` every line `$ mesonet ...` must exit with 0;
* a block after `<!-- not run: REASON -->` is left alone.

The how-to guides find a small finished campaign in `results/`, and two-flow.md the kept runs of the
study, of which `make studies` simulates a sample again.
"""

import doctest
import re
import runpy
import shlex
import shutil
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path

import kept_runs
import pytest
from typer.testing import CliRunner

from mesonet.campaign import run_campaign
from mesonet.cli import app
from mesonet.plan import load_plan
from mesonet.studies import Options, find_study

ROOT = Path(__file__).resolve().parent.parent
# Notebooks have cells of their own kind: test_notebooks.py.
PAGES = [
    ROOT / "README.md",
    *(p for p in sorted((ROOT / "docs").rglob("*.md")) if p.parent.name != "notebooks"),
]
FENCE = re.compile(
    r"(?:^<!-- (?P<order>[^\n]*?) -->\n\n?)?^```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)

# What the guides analyse: small enough to be simulated in seconds, with the names that they use.
PLAN = """
name = "small"
responses = ["loss_rate", "y1", "y7", "y9", "y13", "y21"]

[scenario]
kind = "internet"
base_sources = 1
duration = "3 s"
startup = "early"
initial_ssthresh = 100
algorithms = "reno"

[factors]
speed = { path = "speed", low = "4 p/ms", high = "8 p/ms" }
think = { path = "think_time", low = "500 ms", high = "2 s" }

[design]
kind = "full_factorial"

[[alternatives]]
label = "reno"

[[alternatives]]
label = "ctcp"
set = { algorithms = "ctcp" }

[[alternatives]]
label = "scalable"
set = { algorithms = "scalable" }
"""


@dataclass(frozen=True)
class Block:
    language: str
    order: str
    text: str
    line: int

    @property
    def runs(self):
        if self.order.startswith("not run: "):
            return False
        return (
            self.language in ("python", "pycon")
            or self.order == "run"
            or self.order.startswith("file: ")
        )


def blocks(page):
    text = page.read_text(encoding="utf-8")
    return [
        Block(
            fence["language"],
            fence["order"] or "",
            fence["text"],
            text.count("\n", 0, fence.start("text")),
        )
        for fence in FENCE.finditer(text)
    ]


def execute(page, block, names):
    if block.order.startswith("file: "):
        target = Path(block.order.removeprefix("file: "))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(block.text, encoding="utf-8")
    if block.language == "python":
        # The blank lines make a traceback point into the page.
        exec(compile("\n" * block.line + block.text, str(page), "exec"), names)
    elif block.language == "pycon":
        said = []
        session = doctest.DocTestParser().get_doctest(
            block.text, names, page.name, str(page), block.line
        )
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
        runner.run(session, out=said.append, clear_globs=False)
        assert not said, "".join(said)
        # A session runs in a copy of the names.
        names |= session.globs
    elif block.language == "console":
        for line in block.text.splitlines():
            if line.startswith("$ mesonet "):
                arguments = shlex.split(line.removeprefix("$ mesonet "), comments=True)
                status, said = command(arguments)
                assert status == 0, f"{page}: {line}\n{said}"


def command(arguments):
    """Exit status and output of a command."""
    done = CliRunner().invoke(app, arguments)
    raised = "".join(traceback.format_exception(*done.exc_info)) if done.exc_info else ""
    return done.exit_code, f"{done.output}\n{raised}"


@pytest.fixture(scope="session")
def campaign(tmp_path_factory):
    folder = tmp_path_factory.mktemp("campaign")
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    out = folder / "results"
    run_campaign(load_plan(folder / "plan.toml"), out=out, workers=1)
    return out


def skip_without_extras(file):
    """Skips what needs libraries that are not everywhere."""
    if "mesonet.gym" in file.read_text(encoding="utf-8"):
        for library in ("gymnasium", "onnx", "onnxruntime"):
            pytest.importorskip(library, reason="the extras gym and onnx are not installed")


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=str(page.relative_to(ROOT)))
        for page in PAGES
        if any(block.runs for block in blocks(page))
    ],
)
def test_examples_run(page, tmp_path, monkeypatch, request):
    skip_without_extras(page)
    monkeypatch.chdir(tmp_path)
    # As if the page were a script: modules that it writes can be imported.
    monkeypatch.syspath_prepend(tmp_path)
    known = set(sys.modules)
    if page.parent.name == "howto":
        shutil.copytree(request.getfixturevalue("campaign"), tmp_path / "results")
    if page.name == "two-flow.md":
        runs = kept_runs.read(kept_runs.KEPT / "two-flow.parquet")
        kept_runs.put(runs, find_study("two-flow").prepare(Options("pocket")), Path("two-flow"))
    names = {"__name__": "__main__"}
    for block in blocks(page):
        if block.runs:
            execute(page, block, names)
    for name in set(sys.modules) - known:
        file = getattr(sys.modules[name], "__file__", None)
        if file and Path(file).is_relative_to(tmp_path):
            del sys.modules[name]


def test_the_readme_has_an_example():
    assert any(block.language == "python" for block in blocks(ROOT / "README.md"))


@pytest.mark.parametrize(
    "script", [pytest.param(p, id=p.name) for p in sorted((ROOT / "examples").glob("*.py"))]
)
def test_scripts_in_examples_run(script, tmp_path, monkeypatch):
    skip_without_extras(script)
    monkeypatch.chdir(tmp_path)
    # A short training: that it learns is another test.
    arguments = ["--iterations", "1", "--paths", "4"] if script.stem == "train_policy" else []
    monkeypatch.setattr(sys, "argv", [str(script), *arguments])
    runpy.run_path(str(script), run_name="__main__")
