"""Settings of the manual; `make docs` builds it without network access."""

from importlib.metadata import version as installed

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
