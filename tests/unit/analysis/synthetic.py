"""A made-up campaign whose effects are known, for testing what finds them."""

import math
import random
from itertools import product

import polars as pl

FACTORS = ("delay", "speed", "buffers", "sources", "think_time", "file_size")
SYMBOLS = ("X2/X2", "X3/X1", "X4/X3", "X6/X13", "X9/X7", "X11/X5")
LABELS = (
    "Propagation delay",
    "Network speed",
    "Buffer sizes",
    "Source distribution",
    "Think time",
    "File size",
)
LEVELS = (
    ("×1", "×2"),
    ("800 p/ms", "1600 p/ms"),
    ("RTT·C/√n", "RTT·C"),
    (".1/.6/.3", ".33/.33/.33"),
    ("2.5 s", "5 s"),
    ("50", "100"),
)
ALTERNATIVES = ("reno", "ctcp", "scalable")

# The planted main effects, in units of the coded level (half the effect).
SENDING = {"speed": -2000.0, "think_time": -1000.0, "file_size": 400.0}


def design():
    """The 2^(6-1) design: the sixth factor is the product of the others, the first runs fastest."""
    rows = []
    for reversed_levels in product((-1, 1), repeat=5):
        levels = reversed_levels[::-1]
        rows.append((*levels, math.prod(levels)))
    return rows


def campaign(*, replicates=1, alternatives=ALTERNATIVES, conditions=32, seed=7):
    """One row per run, as a campaign returns it."""
    return pl.DataFrame(
        [
            _row(condition, dict(zip(FACTORS, levels, strict=True)), alternative, replicate, seed)
            for condition, levels in enumerate(design()[:conditions], start=1)
            for alternative in alternatives
            for replicate in range(1, replicates + 1)
        ]
    )


def _row(condition, coded, alternative, replicate, seed):
    # The same draws for all alternatives of a condition: common random numbers.
    common = random.Random(f"{seed} {condition} {replicate}")
    own = random.Random(f"{seed} {condition} {replicate} {alternative}")
    load = -1.3 * coded["speed"] - 0.9 * coded["think_time"] + 0.6 * coded["file_size"]
    load += common.gauss(0.0, 0.15)
    sending = 10_500.0 + sum(SENDING[name] * coded[name] for name in SENDING)
    sending += common.gauss(0.0, 120.0) + own.gauss(0.0, 20.0)
    congested = load > -1.0
    eager = {"reno": 0.0, "ctcp": 0.05, "scalable": 0.35}.get(alternative, 0.1)
    loss = 10.0 ** (-4.2 + 1.1 * load + eager * (load > 0)) if congested else 0.0
    gain = {"reno": 1.0, "ctcp": 1.04, "scalable": 0.97}.get(alternative, 1.0)
    speed = 1.0 + 0.35 * coded["speed"] - 0.2 * coded["delay"]
    row = {
        "run": f"{condition:02d}{alternative}{replicate}".encode().hex()[:16],
        "condition": condition,
        "alternative": alternative,
        "replicate": replicate,
        "seed": seed + replicate - 1,
    }
    for name, (low, high) in zip(FACTORS, LEVELS, strict=True):
        row[name] = coded[name]
        row[f"{name}_level"] = high if coded[name] > 0 else low
    row |= {
        "sending_sources": sending,
        "loss_rate": min(loss * math.exp(own.gauss(0.0, 0.03)), 0.5) if loss else 0.0,
        "retransmission_rate": min(1.4 * loss * math.exp(own.gauss(0.0, 0.05)), 0.6),
        "queueing_delay": 0.02 * math.exp(0.5 * load + own.gauss(0.0, 0.02)),
        "connection_failures": 0.0,
    }
    for pair, weight in (("DD", 900.0), ("DF", 400.0), ("FF", 380.0), ("NN", 70.0)):
        noise = math.exp(common.gauss(0.0, 0.02) + own.gauss(0.0, 0.02))
        row[f"goodput_{pair}"] = weight * speed * gain * noise
    # Undefined without congestion, as a mean over lost packets would be.
    row["recovery_time"] = 0.3 * math.exp(own.gauss(0.0, 0.1)) if loss else math.nan
    row["wall_seconds"] = 40.0 + own.random()
    row["packets"] = 3_000_000 + condition
    return row


RESPONSES = (
    "sending_sources",
    "loss_rate",
    "retransmission_rate",
    "queueing_delay",
    "connection_failures",
    "goodput_DD",
    "goodput_DF",
    "goodput_FF",
    "goodput_NN",
    "recovery_time",
)
GOODPUTS = tuple(name for name in RESPONSES if name.startswith("goodput"))


def springs():
    """Box, Bisgaard and Fung's springs: the worked example of the e-Handbook's section 5.5.9.

    The percentage of springs without cracks; x1 is the temperature of the oven, x2 the carbon
    concentration, x3 the temperature of the quench.
    """
    levels = [(a, b, c) for c in (-1, 1) for b in (-1, 1) for a in (-1, 1)]
    return pl.DataFrame(
        {
            "condition": range(1, 9),
            "alternative": ["springs"] * 8,
            "replicate": [1] * 8,
            **{name: [level[k] for level in levels] for k, name in enumerate(("x1", "x2", "x3"))},
            "y": [67.0, 79.0, 61.0, 75.0, 59.0, 90.0, 52.0, 87.0],
        }
    )
