"""Kinds of options that analyses have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationInfo

from mesonet.errors import Problem, ProblemsError, did_you_mean, show


@dataclass(frozen=True)
class Known:
    """Names that options may refer to."""

    labels: Sequence[str]
    responses: Sequence[str]
    columns: Sequence[str]
    """Columns of the frame of results."""


class Options(BaseModel):
    """Options of an analysis.

    Names of alternatives, responses and columns are checked where the names are known: a `Known` as
    the context of the validation.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    def keywords(self) -> dict[str, Any]:
        """The options that were set, as keyword arguments; `None` is the default."""
        return {
            name: getattr(self, name)
            for name in type(self).model_fields
            if name in self.model_fields_set and getattr(self, name) is not None
        }


def _one_of(kind: str, what: str, names: Callable[[Known], Sequence[str]]) -> AfterValidator:
    """Refuses names that are not among those of the context."""

    def check(name: str, info: ValidationInfo) -> str:
        if info.context is not None and name not in (choices := names(info.context)):
            hint = did_you_mean(name, choices) or f"; there are {', '.join(choices)}"
            message = f"expected {what}, got {show(name)}{hint}"
            raise ProblemsError([Problem("", kind, message)])
        return name

    return AfterValidator(check)


_Label = Annotated[
    str, _one_of("unknown_label", "the label of an alternative", lambda plan: plan.labels)
]
_Response = Annotated[
    str, _one_of("unknown_response", "a response of the plan", lambda plan: plan.responses)
]
_Column = Annotated[
    str, _one_of("unknown_column", "a column of the results", lambda plan: plan.columns)
]
_Side = Literal["higher", "lower"]
_Share = Annotated[float, Field(gt=0, lt=1)]
_Positive = Annotated[float, Field(ge=0, allow_inf_nan=False)]

# Texts beside types are for the reference: the values that an option takes.
_SHARE, _POSITIVE = "a number between 0 and 1", "a number of at least 0"
_SIDES = 'a table such as `{ loss_rate = "lower" }`'

Label = Annotated[_Label | None, "the label of an alternative"]
ResponseName = Annotated[_Response | None, "a response of the plan"]
ResponseNames = Annotated[str | Sequence[_Response], "a list of responses"]
OptionalColumn = Annotated[_Column | None, "a column of the results such as `alternative`"]
Text = Annotated[str, "text"]
Texts = Annotated[str | Sequence[str], "a text or a list of texts"]
Truth = Annotated[bool, "`true` or `false`"]
Share = Annotated[_Share, _SHARE]
OptionalShare = Annotated[_Share | None, _SHARE]
Positive = Annotated[_Positive, _POSITIVE]
OptionalPositive = Annotated[_Positive | None, _POSITIVE]
Sides = Annotated[_Side | Mapping[_Response, _Side] | None, f"`higher` or `lower`, or {_SIDES}"]
SidesByResponse = Annotated[Mapping[_Response, _Side] | None, _SIDES]
AlgorithmsByLabel = Annotated[
    Mapping[_Label, str] | None, 'a table such as `{ "CTCP among Reno" = "ctcp" }`'
]
Method = Annotated[Literal["model", "two-sample"], "`model` or `two-sample`"]
Transformation = Annotated[Literal["none", "log"], "`none` or `log`"]
DifferenceScale = Annotated[Literal["condition", "campaign"], "`condition` or `campaign`"]
Adjustment = Annotated[Literal["none", "holm", "fdr_bh"], "`none` or `holm` or `fdr_bh`"]

SPLIT = "Column that divides the runs; all of them together without it."
ORDER = "Response that orders the conditions; that of `congestion` without it."
CONFIDENCE = "Confidence level of the intervals."
TRANSFORMED: Any = Field(
    "none", description="`log` for effects on log10, of responses that span decades."
)


class SplitOptions(Options):
    """Options of analyses that can be made for parts of the runs."""

    by: OptionalColumn = Field(None, description=SPLIT)
