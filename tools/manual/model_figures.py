"""Draws the validation figures of the model pages from a finished `mesonet study two-flow`.

    mesonet study two-flow --replicates 1 --variants host-jitter --out benches/two-flow
    python tools/manual/model_figures.py benches/two-flow

One PNG per algorithm and named parameter set into docs/images/models, of its run without jitter of
hosts, and on standard output the line that shows it on a page. Nothing is simulated; what the
folder lacks is named, and status 1.
"""

from __future__ import annotations

import argparse
import io
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pictures import small_png
from PIL import Image

from mesonet.controller import built_in
from mesonet.errors import InputError
from mesonet.studies import Item, Options, Study, find_study
from mesonet.studies.bench import stored
from mesonet_studies.two_flow.charts import facts, model_chart
from mesonet_studies.two_flow.runs import (
    REFERENCE_RTT,
    buffer_packets,
    path_packets,
    run_name,
)

OUT = Path(__file__).resolve().parents[2] / "docs" / "images" / "models"
COLOURS = 64


def file_name(algorithm: str) -> str:
    """`bic:linux` is drawn into bic-linux.png."""
    return f"{algorithm.replace(':', '-')}.png"


def regular(study: Study, size: str, algorithms: Sequence[str] | None = None) -> Mapping[str, Item]:
    """Runs of a study without jitter of hosts, by the names that it gives."""
    jitter = tuple(variant.id for variant in study.variants if variant.id == "host-jitter")
    names = None if algorithms is None else tuple(algorithms)
    options = Options(size, names, replicates=1, variants=jitter)
    return study.prepare(options).cells[-1].items


def draw(algorithm: str, result: Mapping[str, Any], out: Path) -> str:
    """Draws one algorithm and returns the line that shows it on its page."""
    caption = f"Two flows, {REFERENCE_RTT} ms: {facts(result['figures'])}"
    chart = model_chart(
        result["curves"],
        path=path_packets(REFERENCE_RTT),
        room=buffer_packets(REFERENCE_RTT),
        title=algorithm,
        caption=caption,
    )
    drawn = io.BytesIO(small_png(chart))
    # Few colours are in it; a palette of them halves the file.
    image = Image.open(drawn).convert("RGB").quantize(COLOURS)
    out.mkdir(parents=True, exist_ok=True)
    image.save(out / file_name(algorithm), optimize=True)
    return f"![{algorithm}. {caption}](../images/models/{file_name(algorithm)})"


def main(arguments: Sequence[str] | None = None) -> int:
    """The program; returns its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, help="of a finished `mesonet study two-flow`")
    parser.add_argument("--algorithms", help="separated by commas; all built-in ones by default")
    parser.add_argument("--out", type=Path, default=OUT)
    args = parser.parse_args(arguments)
    names = args.algorithms.split(",") if args.algorithms else [info.name for info in built_in()]
    try:
        items = regular(find_study("two-flow"), "pocket", names)
        results = stored(items.values(), out=args.folder)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    missing = []
    for name in names:
        result = results.get(items[run_name(name, REFERENCE_RTT, math.inf)].name)
        if result is None:
            missing.append(name)
        else:
            print(draw(name, result, args.out))
    if missing:
        study = "mesonet study two-flow --replicates 1 --variants host-jitter"
        study += f" --algorithms {','.join(missing)} --out {args.folder}"
        print(f"error: no results of {', '.join(missing)}; run: {study}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
