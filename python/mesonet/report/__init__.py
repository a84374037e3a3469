"""Reports: one self-contained page that says what was asked, what was found, and how sure it is.

`build(ReportInputs.from_campaign(campaign), out)` writes the page. It needs no network, neither
to be built nor to be read, and the same inputs give the same bytes.
"""

from mesonet.report.inputs import ReportInputs
from mesonet.report.page import build, render

__all__ = ["ReportInputs", "build", "render"]
