"""Folders of studies that tests change."""


def change(folder, name, before, after):
    """Replaces a text in a file of a study, where it has to be."""
    path = folder / name
    text = path.read_text("utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")
