"""Settings of the manual; `make docs` builds it without network access."""

import os
import sys
from importlib.metadata import version as installed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools" / "manual"))

project = "mesonet"
author = "The mesonet developers"
copyright = f"2026, {author}"
release = version = installed("mesonet")

extensions = [
    "myst_nb",  # and with it myst_parser
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
# Notebooks that a build has executed are kept beside what it has built.
exclude_patterns = ["_build", "jupyter_execute"]
# Notebooks are executed anew with every build, in an empty folder, as readers start them: with the
# commands of this environment.
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_execution_show_tb = True
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
os.environ["IPYTHONDIR"] = str(Path(__file__).parent / "_build" / "ipython")
# Links to files outside docs/ work on a code host but not in the manual; tests/test_repository.py
# checks that every one of them resolves.
suppress_warnings = ["myst.xref_missing"]

autodoc_member_order = "bysource"
autodoc_typehints = "description"

html_theme = "furo"
html_static_path = ["_static"]
html_extra_path = ["_pages"]
html_css_files = ["notebooks.css", "manual.css"]
html_title = f"mesonet {release}"
html_show_sphinx = False


def write_results(_app, _config):
    """Pages of results are built with the manual, from the kept scorecards."""
    import scorecards

    scorecards.write_results()


def write_evaluations(_app, _config):
    """Pages of evaluations are built with the manual, from the kept data."""
    import evaluations

    evaluations.write()


def write_gallery(_app, _config):
    """Pictures of the gallery are built with the manual, by the lines that stand beside them."""
    import gallery

    gallery.main()


def setup(app):
    """Connects what is above; before Napoleon, whose priority is 500, has changed the text."""
    app.connect("config-inited", write_results)
    app.connect("config-inited", write_evaluations)
    app.connect("config-inited", write_gallery)
