"""Notebooks as files: the cells of the manual's pages, with links that lead somewhere."""

import json


def test_a_release_has_the_notebooks_of_the_manual(tmp_path, load_tool):
    tool = load_tool("notebooks")
    tool.main(tmp_path / "notebooks")
    files = sorted((tmp_path / "notebooks").glob("*.ipynb"))
    assert [it.stem for it in files] == sorted(
        page.stem for page in tool.SOURCES.glob("*.md") if page.stem != "index"
    )
    for file in files:
        notebook = json.loads(file.read_text("utf-8"))
        code = sum(cell["cell_type"] == "code" for cell in notebook["cells"])
        assert code == (tool.SOURCES / f"{file.stem}.md").read_text("utf-8").count("{code-cell}")
        text = "".join("".join(cell["source"]) for cell in notebook["cells"])
        assert "nb-download" not in text
        assert "](../" not in text
        assert notebook["metadata"]["kernelspec"]["name"] == "python3"
