r"""Sensitivity of the verdicts to assumptions where the sources of a study are silent.

    python tools/manual/assumptions.py run nist-2a --size pocket --out results/choices/nist-2a \
        --ours results/nist-2a-pocket
    python tools/manual/assumptions.py write

`run` runs a study once under each assumption of `mesonet.studies.nist.assumptions`, each in a
folder of its own, and keeps the verdicts in scorecards/choices/SIZE/NAME.json, beside those of the
kept scorecard of that size: keep that one first. It goes on where it was stopped; runs that are the
same under our own assumptions are taken from their folder, if that is given. `write` writes
docs/validation/choices.md from what is kept; nothing is simulated.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from templating import environment

from mesonet.errors import MesonetError
from mesonet.simulate import result_version
from mesonet.studies import CATALOGUE, SIZES, Study, find_study
from mesonet.studies.execution import execute_runs, judge
from mesonet.studies.nist.assumptions import ASSUMPTIONS
from mesonet.studies.sharing import take_over
from mesonet.studies.study import Options, Prepared, Size

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "scorecards"
PAGE = ROOT / "docs" / "validation" / "choices.md"
Verdicts = Mapping[str, str]
"""Verdicts by the ids of claims."""


def file_of(study: str, size: str) -> Path:
    """File of the verdicts of a study under each assumption."""
    return KEPT / "choices" / size / f"{study}.json"


def run(
    name: str,
    size: Size,
    *,
    out: Path,
    ours: Path | None = None,
    names: Sequence[str] = (),
    workers: int | None = None,
) -> None:
    """Runs a study under each assumption, or some, and keeps the verdicts after each.

    Raises:
        ValueError: no scorecard of the study and size is kept, or an assumption does not exist.
        MesonetError: as `run_study`.
    """
    study, kept = find_study(name), KEPT / size / f"{name}.json"
    unknown = [each for each in names if each not in ASSUMPTIONS]
    if unknown:
        raise ValueError(f"no assumption {', '.join(unknown)}; there are {', '.join(ASSUMPTIONS)}")
    if not kept.exists():
        raise ValueError(f"{kept}: missing; keep the study's own scorecard first")
    card = json.loads(kept.read_text("utf-8"))
    table = {
        "study": name,
        "size": size,
        "result_version": result_version(),
        "ours": {name: verdict for name, (verdict, _) in card["verdicts"].items()},
        "others": {},
    }
    file = file_of(name, size)
    if file.exists():
        before = json.loads(file.read_text("utf-8"))
        if all(before[key] == table[key] for key in ("ours", "result_version")):
            table["others"] = before["others"]
    for assumption in ASSUMPTIONS.values():
        if names and assumption.name not in names:
            continue
        prepared = assumption.apply(study.prepare(Options(size)))
        if prepared is not None:
            folder = out / assumption.name
            for part, plan in prepared.plans.items() if ours is not None else ():
                take_over(plan, ours / part, folder / part)
            verdicts = _verdicts(study, size, prepared, folder, workers)
            table["others"][assumption.name] = verdicts
            table["others"] = {
                key: table["others"][key] for key in ASSUMPTIONS if key in table["others"]
            }
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(table, indent=1) + "\n", "utf-8")
            print(f"{name} {assumption.name}: {Counter(verdicts.values())}", flush=True)


def _verdicts(
    study: Study, size: Size, prepared: Prepared, out: Path, workers: int | None
) -> Verdicts:
    run_results = execute_runs(prepared, out=out, workers=workers)
    if run_results.failures:
        raise ValueError(f"{out}: {len(run_results.failures)} runs failed; run it again")
    card = judge(study, size, prepared, run_results)[1]
    assert card is not None
    return {entry.claim.id: entry.verdict for entry in card.entries}


def tables() -> Iterator[dict[str, Any]]:
    """Tables of each study, largest size first, with the verdicts that change.

    Raises:
        ValueError: claims are no longer those that were judged, or an assumption is gone.
    """
    for name in CATALOGUE:
        for size in reversed(SIZES):
            file = file_of(name, size)
            if file.exists():
                yield compared(find_study(name), json.loads(file.read_text("utf-8")))


def compared(study: Study, table: Mapping[str, Any]) -> dict[str, Any]:
    """A kept table with its claims' words and, of each assumption, what it counts and changes.

    Raises:
        ValueError: claims are no longer those that were judged, or an assumption is gone.
    """
    claims = {claim.id: claim for claim in study.claims}
    ours = table["ours"]
    rows = []
    for name, verdicts in table["others"].items():
        if name not in ASSUMPTIONS or set(verdicts) != set(claims) or set(ours) != set(claims):
            raise ValueError(f"{study.name}, {table['size']}: run it again, {name} does not fit")
        changed = {each: (ours[each], verdicts[each]) for each in claims}
        rows.append(
            {
                "assumption": ASSUMPTIONS[name],
                "counts": counts(verdicts),
                "gained": [key for key, pair in changed.items() if pair == _GAINED],
                "lost": [key for key, pair in changed.items() if pair == _LOST],
                "other": [
                    f"{key} ({before} → {after})"
                    for key, (before, after) in changed.items()
                    if before != after and (before, after) not in (_GAINED, _LOST)
                ],
            }
        )
    moved = {
        key for verdicts in table["others"].values() for key in claims if verdicts[key] != ours[key]
    }
    return {
        "study": study,
        "size": table["size"],
        "result_version": table["result_version"],
        "ours": counts(ours),
        "rows": rows,
        "moved": [claims[key] for key in claims if key in moved],
        "steady": len(claims) - len(moved),
    }


_GAINED, _LOST = ("disagrees", "agrees"), ("agrees", "disagrees")


def counts(verdicts: Verdicts) -> dict[str, int]:
    """Number of claims that agree, and of those that agree or disagree."""
    found = Counter(verdicts.values())
    return {"agrees": found["agrees"], "scored": found["agrees"] + found["disagrees"]}


def page() -> str:
    """The text of the manual's page.

    Raises:
        ValueError: what is kept does not fit its study.
    """
    return (
        environment()
        .get_template("choices.md.j2")
        .render(tables=list(tables()), assumptions=ASSUMPTIONS.values())
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """The program; returns its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run", help="run a study under each assumption")
    running.add_argument("study", choices=list(CATALOGUE))
    running.add_argument("--size", choices=SIZES, default="pocket")
    running.add_argument("--out", type=Path, required=True)
    running.add_argument("--ours", type=Path, help="finished folder of the study itself")
    running.add_argument("--only", nargs="+", default=(), metavar="ASSUMPTION")
    running.add_argument("--workers", type=int)
    commands.add_parser("write", help="write the page of the manual")
    given = parser.parse_args(arguments)
    try:
        if given.command == "run":
            run(
                given.study,
                given.size,
                out=given.out,
                ours=given.ours,
                names=given.only,
                workers=given.workers,
            )
        else:
            PAGE.write_text(page(), "utf-8")
    except (ValueError, MesonetError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
