"""The laboratory in a real browser: lessons, knobs by keys, the address, the editor, a phone.

Skipped, and said so, where there is no browser.
"""

from importlib import resources

import browser
import pytest

from mesonet.lab.lessons import lessons

EXECUTABLE = browser.find()
pytestmark = pytest.mark.skipif(
    EXECUTABLE is None, reason=f"no browser here to try the page: none of {browser.NAMES} is found"
)
AXE = resources.files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
RIGHT = 39


@pytest.fixture(scope="module")
def chromium():
    with browser.Browser(EXECUTABLE) as running:
        yield running
        assert running.errors == []


def texts(page, selector):
    return page.value(f"[...document.querySelectorAll('{selector}')].map((it) => it.textContent)")


def runs(page):
    return int(page.value("document.documentElement.dataset.runs ?? 0"))


def after_runs(page, count, act):
    before = runs(page)
    act()
    page.wait(f"Number(document.documentElement.dataset.runs) >= {before + count}")


def turn(page, name, *, side="a", key="ArrowRight", code=RIGHT):
    page.value(f"document.querySelector('[data-side={side}] [name={name}]').focus()")
    page.press(key, code=code)


def click(page, selector):
    page.value(f"document.querySelector('{selector}').click()")


@pytest.mark.parametrize("lesson", lessons(), ids=lambda it: it.id)
def test_each_lesson_shows_its_runs_and_that_its_claims_hold(chromium, served, lesson):
    chromium.open(served.address, fragment=f"#lesson={lesson.id}")
    if lesson.program:
        assert runs(chromium) == 0
        after_runs(chromium, 1, lambda: click(chromium, "#execute"))
    assert runs(chromium) == (1 if lesson.b is None else 2)
    assert texts(chromium, ".claims b") == ["Holds: "] * len(lesson.claims)
    paths = "[...document.querySelectorAll('.chart svg .mark-line path')]"
    lines = chromium.value(f"{paths}.map((it) => it.getAttribute('d').length)")
    assert len(lines) >= 4 * runs(chromium)
    assert min(lines) > 500


def test_a_knob_is_turned_by_keys_and_the_address_brings_it_back(chromium, served):
    chromium.open(served.address)
    numbers = texts(chromium, ".numbers dd")
    labelled = "[...document.querySelectorAll('.knobs input')].every((it) => it.labels.length)"
    assert chromium.value(labelled)
    after_runs(chromium, 1, lambda: turn(chromium, "buffer"))
    assert chromium.value("location.hash") == "#buffer=2"
    assert texts(chromium, ".numbers dd") != numbers
    after_runs(chromium, 1, lambda: click(chromium, "#beside"))
    after_runs(chromium, 1, lambda: turn(chromium, "rtt", side="b"))
    address = chromium.value("location.hash")
    assert address == "#buffer=2&b=1&b.rtt=80"
    numbers = texts(chromium, ".numbers dd")
    knobs = texts(chromium, ".knobs b")
    chromium.open(served.address, fragment=address)
    assert texts(chromium, ".numbers dd") == numbers
    assert texts(chromium, ".knobs b") == knobs
    assert chromium.value("location.hash") == address


def test_a_lesson_that_is_turned_keeps_only_what_differs(chromium, served):
    chromium.open(served.address, fragment="#lesson=bufferbloat")
    # A smaller buffer in A: its claim no longer holds, and the page says so.
    turn(chromium, "buffer", key="Home", code=36)
    chromium.wait("location.hash === '#lesson=bufferbloat&buffer=0.05'")
    chromium.wait("document.querySelector('.claims li').className === 'no'")
    click(chromium, "#beside")
    chromium.wait("location.hash === '#lesson=bufferbloat&buffer=0.05&b=0'")


def test_the_editor_shows_the_line_of_an_error(chromium, served):
    chromium.open(served.address, fragment="#lesson=own")
    after_runs(chromium, 1, lambda: click(chromium, "#execute"))
    chromium.value("document.getElementById('program').value += '\\n    def on_undo(self) x\\n'")
    click(chromium, "#execute")
    chromium.wait("document.querySelector('#verdict.loud') !== null")
    assert texts(chromium, "#verdict")[0].startswith("own.py, line 18: ")
    assert texts(chromium, ".problems li")
    assert texts(chromium, ".claims b") == [""]
    chromium.errors.clear()


def test_what_an_address_asks_wrongly_is_shown(chromium, served):
    # The laboratory's answer is an error to the console as well.
    chromium.open(served.address, fragment="#rate=5000")
    assert texts(chromium, ".problems li")[0].startswith("rate: ")
    chromium.errors.clear()


def test_copies_are_shown_and_selected(chromium, served):
    chromium.open(served.address)
    click(chromium, "[data-copy=python]")
    chromium.wait("document.querySelector('.copies [role=status]').textContent !== ''")
    assert "mesonet.dumbbell(" in chromium.value("document.querySelector('.copied').value")


# Colours do not depend on the width.
@pytest.mark.parametrize(("width", "dark"), [(390, False), (1280, True)])
def test_a_phone_shows_all_of_it_and_axe_finds_nothing(chromium, served, width, dark):
    chromium.open(served.address, fragment="#lesson=own&b=1", width=width, dark=dark)
    assert chromium.value("document.documentElement.scrollWidth") <= width
    after_runs(chromium, 2, lambda: click(chromium, "#execute"))
    assert chromium.value("document.documentElement.scrollWidth") <= width
    chart = "document.querySelector('.chart svg').getBoundingClientRect()"
    assert chromium.value(f"{chart}.right") <= width
    chromium.value(AXE)
    violations = chromium.value(
        f"axe.run({{ exclude: [['svg.marks']] }}, {{ runOnly: {RULES} }})"
        ".then((all) => all.violations.flatMap((it) => it.nodes.map((node) => it.id + node.html)))"
    )
    assert violations == []
