"""Pages: head, navigation, charts, tables, captions, notes and folded parts, for everything shown.

`mesonet.report` and `mesonet.studies` say what stands on a page; how it looks is said here. A page
is one HTML file that loads nothing, and the same content gives the same bytes.
"""
