"""Reference pages of catalogues are those of the catalogues."""


def test_the_kept_pages_are_those_of_the_catalogues(load_tool):
    tool = load_tool("reference_pages")
    for name, page in tool.pages().items():
        assert (tool.PAGES / name).read_text("utf-8") == page, "run make golden"
