"""Pages for everyone: WCAG 2 by axe-core, contrast in charts, keys, narrow screens, paper.

Skipped, and said so, where there is no browser. axe-core (MPL 2.0, Deque Systems) comes from the
package axe-core-python and is run in the page.
"""

import json
from importlib import resources
from pathlib import Path

import browser
import pages as report_pages
import polars as pl
import pytest
from tiny_criteria import tiny_criteria

import mesonet
from mesonet.page.blocks import Notes, Paragraph, Program, Questions, TitledTable
from mesonet.page.simple import Part
from mesonet.page.tables import plain_table
from mesonet.report import build
from mesonet.studies.page import StudyPage, write_study
from mesonet.studies.rules import between
from mesonet.studies.scorecard import Claim, score

EXECUTABLE = browser.find()
pytestmark = pytest.mark.skipif(
    EXECUTABLE is None, reason=f"no browser here to try the pages: none of {browser.NAMES} is found"
)
KINDS = ("run", "comparison", "evaluation", "study", "report")
SECTIONS = ("paired", "condition-response", "main-effects", "design", "runs")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]


def run_page(folder):
    scenario = mesonet.dumbbell(
        rate="5 Mbit/s", rtt="40 ms", queue="codel", flows=["cubic", "reno"], duration="3 s",
        record_queues=True,
    )  # fmt: skip
    return mesonet.simulate(scenario).save(folder / "run.html")


def comparison_page(folder):
    comparison = mesonet.compare(
        "cubic", "reno", rate="5 Mbit/s", replicates=2, duration="3 s", threads=1
    )
    return comparison.save(folder / "comparison.html")


def evaluation_page(folder):
    (folder / "criteria").mkdir()
    with tiny_criteria(folder / "criteria"):
        out = folder / ("evaluation" * 6)  # one word too long for the head of a narrow screen
        mesonet.evaluate("bbr1", baseline=["reno"], out=out, workers=1)
    return out / "index.html"


def study_page(folder):
    frame = pl.DataFrame({f"column {k}": [k, 2 * k] for k in range(20)})
    claims = [
        Claim(
            id=name,
            text=f"The {name}",
            published="1",
            source="p. 1",
            rule=between("a", low, low + 1),
            explanation="Ours is longer.",
        )
        for name, low in (("first", 0.0), ("second", 5.0))
    ]
    text = Paragraph("Some text.", "Some text.")
    blocks = (
        text,
        TitledTable("Wide", plain_table("wide", frame)),
        Program("mesonet run plan.toml"),
        Questions((("Why?", "Because."),)),
        Notes((text,)),
    )
    page = StudyPage(
        title="A study", question="Is it so?", size="Two runs.", facts={"Runs": "2"},
        sections=[Part("more", "More", blocks)], settings={"Rate": "1 Mbit/s"},
        scorecard=score("study", "pocket", claims, {"a": 0.5}), failures={"one": "it broke"},
        introduction=(text,),
    )  # fmt: skip
    return write_study(page, folder, "study")


def report_page(folder):
    few = ("loss_rate", "queueing_delay", "goodput_FF", "goodput_NN")
    shown = {name: report_pages.about(name) for name in few}
    inputs = report_pages.inputs(key_responses=few[:2], responses=shown, sections=SECTIONS)
    return build(inputs, folder / "report.html")


MAKERS = {
    "run": run_page,
    "comparison": comparison_page,
    "evaluation": evaluation_page,
    "study": study_page,
    "report": report_page,
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    return {name: MAKERS[name](folder) for name in KINDS}


@pytest.fixture(scope="module")
def chromium():
    with browser.Browser(EXECUTABLE) as running:
        yield running


def test_explanations_of_verdicts_are_as_wide_as_the_screen(chromium, pages):
    chromium.open(pages["study"], width=390)
    chromium.value("document.querySelector('#scorecard .scroll').scrollLeft = 150")
    text = "document.querySelector('tr.explanation td > div').getBoundingClientRect()"
    left, right = (chromium.value(f"{text}.{side}") for side in ("left", "right"))
    assert chromium.value("document.querySelector('#scorecard table').offsetWidth") > 390
    assert 0 <= left < right <= 390
    assert right - left > 300


AXE = resources.files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
CONTRAST = Path(__file__).with_name("accessible.js").read_text(encoding="utf-8")


def sections(shown):
    """The sections that are shown one at a time; one empty name for a page without."""
    return shown.value("[...document.querySelectorAll('section.page')].map((s) => s.id)") or [""]


def go(shown, section, *, alone=False):
    """Shows a section with all that it folds away; alone, without what the others hold."""
    if section:
        shown.value(f"location.hash = '{section}'")
        shown.wait(f"document.querySelector('section.active')?.id === '{section}'")
    if alone:
        # What nobody sees takes most of axe's time.
        shown.value(LEAVE_ONLY)
    shown.value("for (const fold of document.querySelectorAll('details.fold')) fold.open = true")
    shown.value("new Promise((then) => requestAnimationFrame(() => setTimeout(then, 0)))")


def violations(shown, *rules, outside="", without=""):
    """Sentences on what axe finds in the page as it is shown, outside of some elements."""
    options = {"runOnly": rules, "resultTypes": ["violations"], "selectors": False}
    options |= {"rules": {without: {"enabled": False}}} if without else {}
    context = json.dumps({"exclude": [[outside]]}) if outside else "document"
    encoded = shown.value(
        f"axe.run({context}, {json.dumps(options)}).then((all) => JSON.stringify("
        "all.violations.flatMap((v) => v.nodes.map((n) =>"
        " `${v.id}: ${n.html.slice(0, 160)}: ${n.failureSummary}`))))"
    )
    return list(json.loads(encoded))


def faint(shown):
    """Sentences on contrast that is too low: by axe outside of charts, by us in them.

    Of text in charts axe says, after most of its time, that it cannot tell.
    """
    return [*violations(shown, "color-contrast", outside="svg.marks"), *shown.value(CONTRAST)]


@pytest.mark.parametrize("kind", KINDS)
def test_axe_finds_no_violation_in_light(chromium, pages, kind):
    chromium.open(pages[kind])
    chromium.value(f"{AXE}; 1")
    for section in sections(chromium):
        go(chromium, section, alone=True)
        assert violations(chromium, *RULES, without="color-contrast") == [], section
        assert faint(chromium) == [], section


@pytest.mark.parametrize("kind", ["run", "report"])
def test_contrast_is_enough_in_the_dark(chromium, pages, kind):
    chromium.open(pages[kind], dark=True)
    chromium.value(f"{AXE}; 1")
    for section in sections(chromium):
        go(chromium, section, alone=True)
        assert faint(chromium) == [], section


# Charts of all sections but the active one leave the page, and come back for the next.
LEAVE_ONLY = """(() => {
  window.left ??= [];
  for (const [place, chart] of left.splice(0)) place.append(chart);
  for (const section of document.querySelectorAll("section.page:not(.active)")) {
    for (const place of section.querySelectorAll(".chart, table")) {
      for (const child of [...place.children]) {
        left.push([place, child]);
        child.remove();
      }
    }
  }
})()"""


@pytest.mark.parametrize("kind", KINDS)
def test_charts_have_a_name_and_a_description(chromium, pages, kind):
    chromium.open(pages[kind])
    assert chromium.errors == []
    charts = chromium.value(
        "[...document.querySelectorAll('svg.marks')].map((svg) => [svg.getAttribute('role'),"
        " svg.getAttribute('aria-label') ?? '',"
        " document.getElementById(svg.getAttribute('aria-describedby'))?.textContent.trim() ?? ''])"
    )
    assert (len(charts) > 0) is (kind != "study")
    for role, name, description in charts:
        assert role in ("img", "group")
        assert len(name) > 3
        assert len(description) > 8, name


FOCUSABLE = "a[href], button, select, input, summary, [tabindex='0']"
# Numbers what should be reached, so that what Tab reaches can be told apart.
NUMBERED = f"""(() => {{
  const all = [...document.querySelectorAll("{FOCUSABLE}")].filter((e) => e.checkVisibility({{
    visibilityProperty: true, contentVisibilityAuto: true }}) && !e.disabled);
  all.forEach((e, k) => (e.dataset.order = k));
  return all.map((e) => e.outerHTML.slice(0, 120));
}})()"""


@pytest.mark.parametrize("kind", KINDS)
def test_tab_reaches_every_control_and_none_twice(chromium, pages, kind):
    chromium.open(pages[kind])
    wanted = chromium.value(NUMBERED)
    assert len(wanted) > 5
    reached = []
    for _ in range(len(wanted) + 5):
        chromium.press("Tab", code=9)
        reached.append(chromium.value("Number(document.activeElement.dataset.order ?? -1)"))
    missed = [wanted[k] for k in sorted(set(range(len(wanted))) - set(reached))]
    assert missed == []


def test_keys_zoom_a_chart_and_bring_a_flow_to_the_front(chromium, pages):
    chromium.open(pages["run"])
    zoom = "[...page.drawn.values()][0].signal('zoom_time')"
    chromium.value("document.querySelector('svg.marks[tabindex]').focus()")
    chromium.press("+")
    assert chromium.value(zoom) == pytest.approx([1.05, 1.95], abs=0.01)
    chromium.press("ArrowRight", code=39)
    assert chromium.value(zoom)[0] > 1.1
    chromium.press("0")
    assert chromium.value(zoom) is None
    entry = "document.querySelector('svg.marks text[role=button]')"
    front = "[...page.drawn.values()][0].signal('flow').flow?.[0] ?? ''"
    chromium.value(f"{entry}.focus()")
    chromium.press("Enter", code=13)
    assert chromium.value(front) == chromium.value(f"{entry}.textContent")
    chromium.press("Enter", code=13)
    assert chromium.value(front) == ""


@pytest.mark.parametrize("kind", KINDS)
def test_a_narrow_screen_scrolls_down_only(chromium, pages, kind):
    chromium.open(pages[kind], width=360)
    for section in sections(chromium):
        go(chromium, section)
        assert chromium.value("document.documentElement.scrollWidth") <= 360, section


def test_all_numbers_of_a_comparison_stand_side_by_side(chromium, pages):
    chromium.open(pages["comparison"], width=1200)
    table = "document.querySelector('#numbers table.data').parentElement"
    assert chromium.value(f"{table}.scrollWidth - {table}.clientWidth") == 0


@pytest.mark.parametrize("kind", ["run", "comparison"])
def test_charts_of_runs_fit_a_narrow_screen_with_letters_of_full_size(chromium, pages, kind):
    chromium.open(pages[kind], width=390)
    sizes = chromium.value(
        "[...document.querySelectorAll('svg.marks')].map((svg) => [svg.getBoundingClientRect()"
        ".width, svg.closest('.chart').clientWidth, svg.width.baseVal.value])"
    )
    assert sizes
    for shown, room, drawn in sizes:
        assert shown <= room
        assert shown == pytest.approx(drawn, rel=0.05)
    if kind == "comparison":
        # Panels stand below one another, each with the names of its rows.
        names = "[...document.querySelector('svg.marks').querySelectorAll('text')]"
        assert chromium.value(f"{names}.filter((t) => t.textContent === 'cubic').length") >= 4


@pytest.mark.parametrize("kind", KINDS)
def test_paper_has_everything_and_no_controls(chromium, pages, kind):
    chromium.open(pages[kind])
    chromium.emulate("print")
    shown = chromium.value(
        "[...document.querySelectorAll('button, select, input, .toc, .menu')].filter((e) =>"
        " e.checkVisibility()).map((e) => e.outerHTML.slice(0, 120))"
    )
    hidden = chromium.value(
        "[...document.querySelectorAll('main section')].filter((s) => !s.offsetHeight).map((s) =>"
        " s.id)"
    )
    white = chromium.value("getComputedStyle(document.body).backgroundColor")
    chromium.emulate("")
    assert shown == []
    assert hidden == []
    assert white == "rgb(255, 255, 255)"


def test_the_wheel_scrolls_the_page_and_zooms_with_ctrl(chromium, pages):
    chromium.open(pages["run"])
    turned = """(control => {
      const svg = document.querySelector("svg.marks[tabindex]");
      const box = svg.getBoundingClientRect();
      const event = new WheelEvent("wheel", {deltaY: -100, ctrlKey: control, bubbles: true,
        cancelable: true, clientX: box.left + box.width / 2, clientY: box.top + 100});
      // What is drawn there takes the event, as under a pointer.
      (document.elementFromPoint(event.clientX, event.clientY) ?? svg).dispatchEvent(event);
      return event.defaultPrevented;
    })"""
    zoom = "[...page.drawn.values()][0].signal('zoom_time')"
    chromium.value("document.querySelector('svg[tabindex]').scrollIntoView({behavior: 'instant'})")
    assert chromium.value(f"{turned}(false)") is False
    assert chromium.value(zoom) is None
    assert chromium.value(f"{turned}(true)") is True
    chromium.wait(f"{zoom} !== null")
    begin, end = chromium.value(zoom)
    assert end - begin < 3
