"""Studies as folders: what is on their page, and its faults."""

import json

import pytest
from study_folders import change

from mesonet.figures import percent
from mesonet.studies import StudyError, run_study


def test_on_a_handout_verdicts_stand_behind_the_lesson(folder, tmp_path):
    pages = []
    for name in ("plain", "handout"):
        pages.append(run_study(folder, out=tmp_path / name).page.read_text("utf-8"))
        change(folder, "study.toml", "question = ", "handout = true\nquestion = ")
    places = [
        [page.index(f'id="{it}"') for it in ("scorecard", "all", "settings")] for page in pages
    ]
    assert places[0] == sorted(places[0])
    scorecard, first, settings = places[1]
    assert first < scorecard < settings
    louds = ['class="loud"' in page.partition("</header>")[0] for page in pages]
    assert louds == [True, False]
    assert ["measured 0" in page.partition('id="all"')[0] for page in pages] == [True, False]


def test_a_folder_runs_scores_and_renders(folder, tmp_path):
    done = run_study(folder, out=tmp_path / "out")
    verdicts = {entry.claim.id: entry.verdict for entry in done.scorecard.entries}
    assert verdicts == {
        "some": "agrees",
        "much-reno": "agrees",
        "much-cubic": "agrees",
        "no-more": "disagrees",
    }
    html = done.page.read_text("utf-8")
    for shown in (
        "<p>Before the <em>first</em> heading.</p>",
        "<p>A paragraph in two lines with 0.</p>",
        "<figcaption>Caption of reno.</figcaption>",
        'data-chart="bars-cubic"',
        '<p class="note">A note.</p><p class="note">Another.</p>',
        '<pre class="program">print(1)\n</pre>',
        "<li>Why?<details><summary>Answer</summary><p>Because.</p></details></li>",
        "CUBIC delivers more than 30.0",
        "<dd>30 packets</dd>",
        "<h3>All of them</h3>",
    ):
        assert shown in html, shown
    assert "Caption of nothing" not in html
    data = json.loads(done.page.with_suffix(".json").read_text("utf-8"))
    assert list(data["sections"]) == ["all", "open"]
    assert data["sections"]["all"]["text"] == ["A paragraph in two lines with 0."]
    assert data["sections"]["all"]["notes"] == ["A note.", "Another."]
    assert data["facts"]["Algorithms"] == "2"
    missed = next(row for row in data["claims"] if row["id"] == "no-more")
    assert missed["account"] == "Zero has no sign."


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("in algorithms", "in algoritms"),
        ("{% endfor %}", ""),
        ('"rows"', '"rws"'),
        ('figures["none"]', 'figures["one"]'),
        ('chart("bars", algorithm=name)', 'chart("bars", algoritm=name)'),
    ],
)
def test_a_fault_of_the_page_names_it(folder, tmp_path, before, after):
    """Runs are kept: mending the page and asking again makes none anew."""
    change(folder, "page.md", before, after)
    with pytest.raises(StudyError) as caught:
        run_study(folder, out=tmp_path / "out", variants=())
    (problem,) = caught.value.problems
    assert problem.loc.partition(":")[0].endswith((".md", ".py"))


def test_a_table_of_figures_needs_no_code(folder, tmp_path):
    line = (
        '{{ table("figures", id="acks", rows=["cubic", "bbr", "reno"], heading="Who", '
        'columns={"Sent": "{}.acked", "Part": "{}.acked", "Said": {"reno": "much"}}, '
        'names={"reno": "Reno"}, '
        'formats={"Sent": ",.1f", "Part": "percent"}) }}\nAcknowledged\n\n'
        '{{ table("figures", id="gone", rows=["bbr"], columns={"Sent": "{}.acked"}) }}\n\n'
    )
    change(folder, "page.md", '{{ chart("nothing") }}', line + '{{ chart("nothing") }}')
    done = run_study(folder, out=tmp_path / "out")
    tables = json.loads(done.page.with_suffix(".json").read_text())["sections"]["all"]["tables"]
    assert "gone" not in tables
    columns = tables["acks"]["columns"]
    assert (columns["Who"], columns["Said"]) == (["cubic", "Reno"], [None, "much"])
    page = done.page.read_text("utf-8")
    assert f"{columns['Sent'][1]:,.1f}" in page
    assert percent(columns["Part"][1]) in page


def test_a_paragraph_after_an_included_file_is_one_of_its_own(folder, tmp_path):
    (folder / "part.md").write_text("A part.\n", encoding="utf-8")
    change(folder, "page.md", "## Open\n", '## Open\n\n{% include "part.md" %}\n')
    run_study(folder, out=tmp_path / "out", variants=())
    report = json.loads((tmp_path / "out" / "tried.json").read_text("utf-8"))
    assert report["sections"]["open"]["text"][0] == "A part."


def test_a_section_of_which_nothing_is_left_is_left_out(folder, tmp_path):
    shown = {
        "none": '{{ chart("nothing") }}\nOne',
        "some": '{{ chart("nothing") }}\nOne\n\n{{ table("rows") }}\nAll',
        "words": '{{ chart("nothing") }}\nOne\n\nText.',
    }
    text = "\n\n".join(f"## {name} {{#{name}}}\n\n{each}" for name, each in shown.items())
    (folder / "page.md").write_text(f"{text}\n", "utf-8")
    run_study(folder, out=tmp_path / "out", variants=())
    page = json.loads((tmp_path / "out" / "tried.json").read_text("utf-8"))
    assert list(page["sections"]) == ["some", "words"]
