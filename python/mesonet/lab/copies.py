"""A setting as a program, a file and a command, which make the same run elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mesonet.lab.setting import Setting


def copies(setting: Setting, own: str, code: str) -> dict[str, str]:
    """The setting as `python`, `toml` and `command`; `own` is the algorithm in `own.py`."""
    keywords = setting.keywords(own)
    scenario = setting.scenario(own).to_toml()
    save_own = _saved("own.py", code) if setting.is_own else ""
    trust = " --trust" if setting.is_own else ""
    command = f"mesonet simulate lab.toml --seed {setting.seed}{trust} --html lab.html\n"
    return {
        "python": _program(keywords, setting),
        "toml": scenario,
        "command": f"{save_own}{_saved('lab.toml', scenario)}{command}",
    }


def _program(keywords: Mapping[str, Any], setting: Setting) -> str:
    flows = "".join(f"        mesonet.flow({_arguments(it)}),\n" for it in keywords["flows"])
    others = {name: value for name, value in keywords.items() if name != "flows"}
    lines = "".join(f"    {name}={_literal(value)},\n" for name, value in others.items())
    beside = "# The program of the editor is own.py, beside this file.\n" if setting.is_own else ""
    return (
        f"{beside}import mesonet\n\n"
        f"scenario = mesonet.dumbbell(\n{lines}    flows=[\n{flows}    ],\n)\n"
        f"run = mesonet.simulate(scenario, seed={setting.seed})\n"
        'run.save("lab.html")\n'
    )


def _arguments(flow: Mapping[str, Any]) -> str:
    others = {name: value for name, value in flow.items() if (name, value) != ("count", 1)}
    first = _literal(others.pop("algorithm"))
    return ", ".join([first, *(f"{name}={_literal(value)}" for name, value in others.items())])


def _literal(value: Any) -> str:
    """A value as a program of this house writes it."""
    return repr(value).replace("'", '"')


def _saved(file: str, text: str) -> str:
    """Lines for a shell that write a file; the mark of its end is a line that no program has."""
    return f"cat > {file} <<'END-OF-FILE'\n{text.rstrip()}\nEND-OF-FILE\n"
