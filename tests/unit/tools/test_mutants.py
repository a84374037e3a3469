"""Switching of mutants: `make mutants` itself takes an hour."""

import pytest

SOURCE = """/// A brace in words: {
const fn constant(x: u32) -> u32 { x + 1 }

fn most(a: u32, b: u32) -> u32 {
    let text = "{";
    if a > b { a } else { b }
}
"""


@pytest.fixture(scope="module")
def mutants(load_tool):
    return load_tool("mutants")


def place(line, column):
    return {"line": line, "column": column}


def mutant(function, begin, end, replacement, genre="BinaryOperator"):
    span = {"start": place(*begin), "end": place(*end)}
    return {
        "function": {"span": {"start": place(function, 1)}},
        "span": span,
        "replacement": replacement,
        "genre": genre,
    }


def test_each_function_gets_an_arm_for_each_of_its_mutants(mutants):
    found, unplaced = mutants.switched(
        SOURCE,
        {
            4: mutant(4, (6, 10), (6, 11), "<"),
            7: mutant(4, (5, 5), (6, 30), "0", "FnValue"),
            9: mutant(2, (2, 39), (2, 40), "-"),
        },
    )
    assert unplaced == {9}, "a constant function cannot look at the environment"
    own = SOURCE[SOURCE.index("{\n    let") :].strip()
    assert f"/*<4*/ 4 => {own.replace('a > b', 'a < b')} /*4>*/" in found
    assert "/*<7*/ 7 => { 0 } /*7>*/" in found
    assert f"_ => {own}\n}} }}" in found
    assert found.startswith(SOURCE[: SOURCE.index("{\n    let")])


def test_brackets_in_words_do_not_count(mutants):
    plain = mutants.blanked(SOURCE)
    assert len(plain) == len(SOURCE)
    assert plain.count("{") == 4
