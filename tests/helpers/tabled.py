"""Tables of analyses of a frame."""

from collections.abc import Mapping

from mesonet.analysis import Subject, described, tables_of


def tabled(frame, *, factors, responses, kinds, planned=None, **asked):
    """Tables of analyses by name, or by name with options; `asked` is more of the subject."""
    names = dict.fromkeys((*responses, *asked.get("tested", ())))
    about = {name: facts for name in names if "source" in (facts := described(name))}
    subject = Subject(frame=frame, factors=factors, responses=responses, about=about, **asked)
    chosen = kinds if isinstance(kinds, Mapping) else {name: {} for name in kinds}
    return tables_of(subject, kinds=chosen, planned=planned)
