"""Each lesson's runs do what its text says."""

import json
from pathlib import Path

import pytest

from mesonet.lab.job import Job, perform
from mesonet.lab.lessons import lessons


def numbers(setting, program, folder):
    answer = json.loads(perform(Job(setting.model_dump(), program, folder)).shown)
    assert "problems" not in answer, answer
    return answer["numbers"]


@pytest.mark.parametrize("lesson", lessons(), ids=lambda it: it.id)
def test_claims_of_a_lesson_hold(lesson, tmp_path, look_in_folders):
    sides = {"a": numbers(lesson.a, lesson.program, tmp_path)}
    if lesson.b is not None:
        sides["b"] = numbers(lesson.b, lesson.program, tmp_path)
    assert lesson.claims
    for claim in lesson.claims:
        value = sides[claim.side[0]][claim.number]
        if claim.side == "b/a":
            value /= sides["a"][claim.number]
        assert claim.above is not None or claim.below is not None
        assert claim.above is None or value > claim.above, claim.text
        assert claim.below is None or value < claim.below, claim.text


def test_the_lessons_are_those_of_the_manual():
    page = Path(__file__).parents[3] / "docs" / "howto" / "lab.md"
    text = page.read_text(encoding="utf-8")
    assert [it.id for it in lessons() if f"| `{it.id}` | {it.title} |" in text] == [
        it.id for it in lessons()
    ]
