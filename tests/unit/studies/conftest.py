"""A study in a folder."""

import pytest

STUDY = """
name = "tried"
title = "Tried"
question = "Does it work?"
source = "nowhere"
[values]
most = 30
[settings]
Room = "{most} packets"
[algorithms]
own = ["reno", "cubic"]
[sizes.pocket]
words = "two runs"
[sizes.desk]
words = "two longer runs"
values = { seconds = 3 }
"""
CODE = """
from mesonet import dumbbell
from mesonet.studies import Item, chart, table, value


def acked(run):
    return {"acked": int(run.flows["acked"].sum())}


def runs(options):
    for name in options.chosen:
        scenario = dumbbell(
            rate=options.values.get("rate", "1 p/ms"),
            rtt="20 ms",
            buffer=f"{options.values['most']} packets",
            flows=[name],
            duration=f"{options.values.get('seconds', 1)} s",
        )
        yield Item(name, scenario, acked, seed=options.run_seed)


def figures(run):
    numbers = {f"{name}.acked": float(it["acked"]) for name, it in run.results.items()}
    return numbers | {"none": 0.0}


def facts(run):
    return {"Algorithms": str(len(run.options.chosen))}


def compared(run):
    return {"Packets": round(run.figures["reno.acked"], -1)}


@value
def algorithms(run):
    return list(run.results)


@table
def rows(run, start=0):
    import polars as pl

    return pl.DataFrame({"algorithm": list(run.results)})


@chart
def bars(run, algorithm):
    import altair as alt

    return alt.Chart(alt.Data(values=[{"a": algorithm}])).mark_bar().encode(x="a:N")


@chart
def nothing(run):
    return None
"""
CLAIMS = """
[[claim]]
id = "some"
text = "Reno delivers
something"
published = "some"
source = "page 1"
rule = { kind = "between", figure = "reno.acked", low = 1 }

[[claim]]
foreach.who = [{ name = "reno", title = "Reno" }, { name = "cubic", title = "CUBIC" }]
id = "much-{who.name}"
text = "{who.title} delivers more than {most:.1f}"
published = "much"
source = "page 2"
rule = { kind = "between", figure = "{who.name}.acked", low = "{most}" }

[[claim]]
id = "no-more"
text = "Nothing comes of nothing"
published = "0"
source = "page 3"
rule = { kind = "sign", figure = "none", sign = "+" }

[[explanation]]
claims = ["no-*"]
text = \"\"\"
Zero has
no sign.
\"\"\"
""".replace("delivers\nsomething", "delivers something")
VARIANTS = """
[[variant]]
id = "slow"
question = "The rate"
ours = "1 packet/ms"
other = "0.01 packets/ms"
values = { rate = "0.01 p/ms" }

[[variant]]
id = "late"
question = "The seed"
ours = "1"
other = "2"
seed = 1
sizes = ["desk"]

[[variant]]
id = "other-figure"
question = "What counts"
ours = "nothing"
other = "what Reno delivers"
figures = { none = "reno.acked" }
"""
PAGE = """
Before the *first* heading.

## All {#all}

A paragraph
in two lines with {{ figures["none"] | number }}.

{% for name in algorithms %}
{{ chart("bars", algorithm=name) }}
Caption of {{ name }}.
{% endfor %}
{{ chart("nothing") }}
Caption of nothing.

{{ table("rows") }}
All of them

> A note.
>
> Another.

```python
print(1)
```

1. Why?
   > Because.

## Open

Size: {{ options.size }}.

{{ table("variants") }}
Other answers
"""


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "tried"
    files = {
        "study.toml": STUDY,
        "measure.py": CODE,
        "claims.toml": CLAIMS,
        "variants.toml": VARIANTS,
        "page.md": PAGE,
    }
    path.mkdir()
    for name, text in files.items():
        (path / name).write_text(text.lstrip(), encoding="utf-8")
    return path
