"""Charts of pages, by the name that pages written as code know."""

from mesonet.page.charts import Picture, picture

__all__ = ["Picture", "picture"]
