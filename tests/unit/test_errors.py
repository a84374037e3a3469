import pickle
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError

from mesonet.errors import (
    InputError,
    PlanError,
    Problem,
    ProblemsError,
    ScenarioError,
    did_you_mean,
    from_pydantic,
)


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")
    start: float = 0.0
    colour: str = "red"


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")
    count: int
    inner: tuple[Inner, ...] = ()
    table: dict[str, Inner] = {}


def problems(data, prefix=""):
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate(data)
    error = from_pydantic(caught.value, PlanError, prefix)
    assert isinstance(error, PlanError)
    return {problem.loc: problem.message for problem in error.problems}


def test_every_problem_is_listed_with_its_dotted_path():
    refusals = problems({"inner": [{}, {"start": "soon"}], "table": {"a": {"start": None}}})
    assert set(refusals) == {"count", "inner[1].start", "table.a.start"}
    assert refusals["count"] == "missing; it has no default"
    assert refusals["inner[1].start"] == 'expected a number, got "soon"'


def test_unknown_keys_come_with_a_close_name_of_their_own_table():
    refusals = problems({"count": 1, "inner": [{"color": "blue"}], "cuont": 2})
    assert refusals["inner[0].color"] == 'unknown key (did you mean "colour"?)'
    assert refusals["cuont"] == 'unknown key (did you mean "count"?)'


def test_unknown_keys_without_a_close_name_come_with_all_names():
    refusals = problems({"count": 1, "inner": [{"xyzzy": 1}]})
    assert refusals["inner[0].xyzzy"] == "unknown key; known keys are colour, start"


def test_prefix_goes_before_every_path():
    assert set(problems({}, "scenario")) == {"scenario.count"}


def test_text_has_one_line_per_problem():
    error = ScenarioError([Problem("a.b", "kind", "wrong"), Problem("", "kind", "all wrong")])
    assert str(error) == "a.b: wrong\nall wrong"


def test_errors_survive_pickling():
    error = pickle.loads(pickle.dumps(ScenarioError([Problem("a", "k", "m")])))
    assert isinstance(error, ScenarioError)
    assert error.problems == [Problem("a", "k", "m")]


def test_validators_can_report_several_problems():
    class Model(BaseModel):
        value: int

        def model_post_init(self, context):
            raise ProblemsError([Problem("value", "a", "one"), Problem("", "b", "two")])

    with pytest.raises(ValidationError) as caught:
        Model.model_validate({"value": 1})
    error = from_pydantic(caught.value, InputError, "top")
    assert [problem.loc for problem in error.problems] == ["top.value", "top"]


def test_only_close_names_are_suggested():
    assert did_you_mean("Cubic", ["cubic", "reno"]) == ' (did you mean "cubic"?)'
    assert did_you_mean("bananas", ["cubic", "reno"]) == ""


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"path": 3}, "path: expected text or a list, got 3"),
        ({"path": ["a", 3]}, "path[1]: expected text, got 3"),
        ({"path": "a", "effects": 3}, "effects: expected 'main' or a list, got 3"),
        ({"path": "a", "named": {"b": 3}}, "named.b: expected text or a list, got 3"),
        ({"path": "a", "named": {"b": [3]}}, "named.b[0]: expected text, got 3"),
        ({"path": "a", "either": "b"}, 'either: expected a whole number, got "b"'),
    ],
)
def test_a_value_of_several_types_has_one_error_at_its_own_place(value, told):
    class Table(BaseModel):
        model_config = ConfigDict(strict=True)

        path: str | list[str]
        effects: Literal["main"] | list[str] | None = None
        named: dict[str, str | list[str]] = {}
        either: int | None = None

    with pytest.raises(ValidationError) as caught:
        Table.model_validate(value)
    assert str(from_pydantic(caught.value, InputError, data=value)) == told
    assert str(from_pydantic(caught.value, InputError, "t", data=value)) == f"t.{told}"
