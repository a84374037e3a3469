"""Settings of the manual; `make docs` builds it without network access."""

import sys
from importlib.metadata import version as installed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools" / "manual"))

project = "mesonet"
author = "The mesonet developers"
copyright = f"2026, {author}"
release = version = installed("mesonet")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
# Links to files outside docs/ work on a code host but not in the manual; tests/test_repository.py
# checks that every one of them resolves.
suppress_warnings = ["myst.xref_missing"]

autodoc_member_order = "bysource"
autodoc_typehints = "description"

html_theme = "furo"
html_title = f"mesonet {release}"
html_show_sphinx = False


def leave_out_fields(_app, _what, _name, obj, _options, lines):
    """Fields of scenarios have entries of their own here; help() needs them in the class's text."""
    if hasattr(obj, "model_fields") and "Attributes:" in lines:
        del lines[lines.index("Attributes:") :]


def write_results(_app, _config):
    """Pages of results are built with the manual, from the kept scorecards."""
    import scorecards

    scorecards.write_results()


def setup(app):
    """Connects what is above; before Napoleon, whose priority is 500, has changed the text."""
    app.connect("config-inited", write_results)
    app.connect("autodoc-process-docstring", leave_out_fields, priority=400)
