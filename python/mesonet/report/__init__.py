"""Reports: one self-contained page that says what was asked, what was found, and how sure it is.

`build(ReportInputs.from_campaign(campaign), out)` writes the page. It needs no network, neither
to be built nor to be read, and the same inputs give the same bytes.
"""

from typing import TYPE_CHECKING

from mesonet.lazy import lazily

if TYPE_CHECKING:
    from mesonet.report.inputs import ReportInputs as ReportInputs
    from mesonet.report.page import build as build
    from mesonet.report.page import render as render

# Imported when they are first used: studies make tables in processes that draw nothing.
__getattr__, __all__ = lazily(__name__, {"inputs": "ReportInputs", "page": "build render"})
