"""Mutation testing in an hour: all mutants in one program, switched by the environment.

    python tools/mutants.py [--package congestion] [--files GLOB] [--jobs 2]

cargo-mutants lists the mutants: small changes of controllers and TCP, one at a time. Built one by
one they take a day, almost all of it for compiling. So a copy of the sources gets all of them at
once: each function becomes a `match` on the variable MUTANT, with an arm for each of its mutants.
Those that do not compile are left out. The tests beside the code run once per mutant, and for what
they miss the fast ones of the package's `tests` do. `make mutants` installs cargo-mutants first.

Results are kept in target/mutants as they come, so that the same command goes on if no source has
changed. A mutant that ends in an endless loop counts as noticed. What cannot be switched is
counted: constant functions, and constants.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "target" / "mutants"
PACKAGES = ("congestion", "sim")
LIMIT = 10.0
"""Longest time of the tests of a mutant [s]; without one they take a second or two."""
SLOW = 0.5
"""Tests that take longer are left out [s]."""
SWITCH = """
pub(crate) fn mutant() -> u32 {
    static MUTANT: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *MUTANT.get_or_init(|| std::env::var("MUTANT").ok().and_then(|n| n.parse().ok()).unwrap_or(0))
}
"""
ENVIRONMENT = {"RUSTC_BOOTSTRAP": "1", "INSTA_UPDATE": "no", "PROPTEST_FAILURE_PERSISTENCE": "off"}
"""`--fail-fast` of libtest is unstable, and no test is to write into the sources."""
Mutant = Mapping[str, Any]
_HIDDEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|r(#*)".*?"\1|"(?:\\.|[^"\\])*"|'(?:\\.|[^\\'])'""", re.S
)


def listed(package: str, files: str) -> list[Mutant]:
    """Mutants as cargo-mutants lists them; its options add to what .cargo/mutants.toml names."""
    command = ["cargo", "mutants", "--list", "--json", "--package", package]
    listing = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return [mutant for mutant in json.loads(listing.stdout) if fnmatch(mutant["file"], files)]


def blanked(source: str) -> str:
    """The source with blanks in place of comments and text, so that braces can be counted."""
    return _HIDDEN.sub(lambda hidden: re.sub(r"[^\n]", " ", hidden[0]), source)


def closing(source: str, opening: int) -> int:
    """Place of the bracket that closes the one at a place."""
    depth = 0
    for at in range(opening, len(source)):
        depth += (source[at] in "([{") - (source[at] in ")]}")
        if depth == 0:
            return at
    raise ValueError(f"a bracket is not closed: {source[opening : opening + 60]!r}")


def body(plain: str, begin: int) -> tuple[int, int] | None:
    """Braces of the function that begins at a place; None if it is constant."""
    head = re.compile(r"\bfn\s+\w+").search(plain, begin)
    if head is None or re.search(r"\bconst\b", plain[begin : head.start()]):
        return None
    at = head.end()
    while plain[at] != "{":
        at = closing(plain, at) + 1 if plain[at] in "([" else at + 1
    return at, closing(plain, at)


def switched(source: str, mutants: Mapping[int, Mutant]) -> tuple[str, set[int]]:
    """The source with all mutants in it, and the numbers of those that have no place in it."""
    plain, lines = blanked(source), [0]
    for line in source.split("\n"):
        lines.append(lines[-1] + len(line) + 1)

    def place(where: Mapping[str, int]) -> int:
        return lines[where["line"] - 1] + where["column"] - 1

    arms: dict[tuple[int, int], list[str]] = defaultdict(list)
    unplaced = set()
    for number, mutant in mutants.items():
        function = mutant["function"]
        braces = body(plain, place(function["span"]["start"])) if function else None
        begin, end = (place(mutant["span"][side]) for side in ("start", "end"))
        if braces is None or not braces[0] <= begin <= end <= braces[1] + 1:
            unplaced.add(number)
            continue
        opening, closed = braces
        text = source[opening:begin] + mutant["replacement"] + source[end : closed + 1]
        if mutant["genre"] == "FnValue":
            text = f"{{ {mutant['replacement']} }}"
        arms[braces].append(f"/*<{number}*/ {number} => {text} /*{number}>*/\n")
    for (opening, closed), texts in sorted(arms.items(), reverse=True):
        own = source[opening : closed + 1]
        match = f"{{ match crate::mutant() {{\n{''.join(texts)}_ => {own}\n}} }}"
        source = source[:opening] + match + source[closed + 1 :]
    return source, unplaced


def copied(package: str) -> tuple[Path, str]:
    """A copy of the tracked files with the switch in the package, and a hash of them."""
    tree = OUT / package
    names = subprocess.run(
        ["git", "ls-files", "-z", "Cargo.*", "rust-toolchain*", ".cargo", "crates"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    content = hashlib.sha256()
    for name in filter(None, names.stdout.split("\0")):
        content.update((ROOT / name).read_bytes())
        target = tree / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
    root = tree / "crates" / package / "src" / "lib.rs"
    root.write_text(root.read_text("utf-8") + SWITCH, encoding="utf-8")
    return tree, content.hexdigest()[:16]


def built(package: str, tree: Path) -> tuple[dict[str, Path], list[tuple[str, int]]]:
    """Test programs by name, or the places of errors: file and byte.

    Raises:
        RuntimeError: it does not build for another reason than a mutant.
    """
    command = ["cargo", "test", "--locked", "--package", package, "--profile", "mutants"]
    command += ["--lib", "--test", "main", "--no-run", "--message-format", "json"]
    environment = os.environ | {"RUSTFLAGS": "-Awarnings", "CARGO_TARGET_DIR": str(OUT / "target")}
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)
    programs, errors = {}, []
    for line in done.stdout.splitlines():
        row = json.loads(line)
        if row["reason"] == "compiler-artifact" and row["executable"] and row["profile"]["test"]:
            programs["main" if row["target"]["kind"] == ["test"] else "lib"] = row["executable"]
        if row["reason"] == "compiler-message" and row["message"]["level"] == "error":
            spans = row["message"]["spans"]
            errors += [(it["file_name"], it["byte_start"]) for it in spans if it["is_primary"]]
    if done.returncode and not errors:
        raise RuntimeError(done.stderr)
    return {name: Path(program) for name, program in programs.items()}, errors


def compiled(
    package: str, tree: Path, mutants: Mapping[int, Mutant]
) -> tuple[dict[str, Path], set[int], set[int]]:
    """Test programs with the mutants, those without a place, and those not viable.

    Raises:
        RuntimeError: it does not build for another reason than a mutant.
    """
    unviable = set[int]()
    while True:
        unplaced = set[int]()
        for name in sorted({mutant["file"] for mutant in mutants.values()}):
            here = {
                number: mutant
                for number, mutant in mutants.items()
                if mutant["file"] == name and number not in unviable
            }
            text, without = switched((ROOT / name).read_text("utf-8"), here)
            unplaced |= without
            (tree / name).write_text(text, encoding="utf-8")
        programs, errors = built(package, tree)
        if not errors:
            return programs, unplaced, unviable
        before = len(unviable)
        for name, byte in errors:
            text = (tree / name).read_bytes()[:byte].decode("utf-8", "ignore")
            opened = re.findall(r"/\*<(\d+)\*/", text)
            if opened and f"/*{opened[-1]}>*/" not in text:
                unviable.add(int(opened[-1]))
        print(f"{package}: {len(unviable)} mutants do not compile", file=sys.stderr)
        if len(unviable) == before:
            raise RuntimeError(f"errors outside of mutants: {errors[:5]}")


def left_out(program: Path, folder: Path) -> list[str]:
    """Arguments of libtest that leave out what takes long, or fails on the switched sources."""
    command = [str(program), "-Zunstable-options", "--report-time", "--test-threads", "1"]
    environment = os.environ | ENVIRONMENT
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    timed = re.findall(r"^test (\S+) .*\.\.\. (\w+) <([0-9.]+)s>$", done.stdout, re.M)
    names = [name for name, ended, took in timed if ended == "FAILED" or float(took) > SLOW]
    return ["--exact", *(word for name in names for word in ("--skip", name))] if names else []


def outcome(program: Path, folder: Path, number: int, arguments: Sequence[str]) -> str:
    """Outcome of the tests with a mutant: `missed`, `caught` or `timeout`."""
    command = [str(program), "-Zunstable-options", "--fail-fast", "--test-threads", "1", *arguments]
    environment = os.environ | ENVIRONMENT | {"MUTANT": str(number)}
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, timeout=LIMIT
        )
    except subprocess.TimeoutExpired:
        return "timeout"
    return "caught" if done.returncode else "missed"


def tested(package: str, files: str, jobs: int) -> Counter[str]:
    """Outcomes of all mutants of a package; those missed are printed."""
    OUT.mkdir(parents=True, exist_ok=True)
    mutants = dict(enumerate(listed(package, files), 1))
    tree, content = copied(package)
    programs, unplaced, unviable = compiled(package, tree, mutants)
    folder, kept = tree / "crates" / package, OUT / f"{package}-{content}.txt"
    lines = kept.read_text("utf-8").splitlines() if kept.exists() else []
    known = {name: ended for ended, name in (line.split(" ", 1) for line in lines)}
    todo = [n for n in mutants if n not in unplaced | unviable and mutants[n]["name"] not in known]
    arguments = {name: left_out(programs[name], folder) for name in ("lib", "main")}

    def outcome_of(number: int) -> tuple[int, str]:
        ended = "missed"
        for name, more in arguments.items():
            if ended == "missed":
                ended = outcome(programs[name], folder, number, more)
        return number, ended

    with ThreadPoolExecutor(jobs) as pool, kept.open("a", encoding="utf-8") as file:
        for done, (number, ended) in enumerate(pool.map(outcome_of, todo), 1):
            known[mutants[number]["name"]] = ended
            print(ended, mutants[number]["name"], file=file, flush=True)
            if done % 100 == 0:
                print(f"{package}: {done} of {len(todo)}", file=sys.stderr)
    for mutant in mutants.values():
        if known.get(mutant["name"]) == "missed":
            print(f"missed  {mutant['name']}")
    counts = Counter(known.get(mutant["name"], "") for mutant in mutants.values())
    del counts[""]
    return counts + Counter({"not viable": len(unviable), "not switched": len(unplaced)})


def main() -> None:
    """Tests what the arguments ask for, and prints the share that was noticed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--package", choices=PACKAGES, help="by default all")
    parser.add_argument("--files", default="*", help="a part of the package, such as '*/vegas.rs'")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    for package in [options.package] if options.package else PACKAGES:
        counts = tested(package, options.files, options.jobs)
        noticed = counts["caught"] + counts["timeout"]
        share = noticed / max(noticed + counts["missed"], 1)
        print(f"{package}: {share:.1%} noticed; {dict(counts)}")


if __name__ == "__main__":
    main()
