"""Trained policies as ONNX files that say themselves what their numbers mean."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnx
from numpy.typing import ArrayLike, NDArray
from onnx import TensorProto, helper, numpy_helper

from mesonet.controller.policy import FORMAT, METADATA, read_policy
from mesonet.errors import ControllerError, InputError, Problem, unread
from mesonet.gym.settings import PolicySettings, settings_from
from mesonet.writing import write_atomically

Layer = tuple[ArrayLike, ArrayLike]
"""Weights, with a row for every input and a column for every output, and biases."""

OPSET, IR = 17, 8
"""Versions of ONNX that are written: old enough for every runtime of the last years."""


@dataclass(frozen=True)
class Policy:
    """A policy that was read from a file: call it with an observation, and it gives an action."""

    settings: PolicySettings
    decide: Callable[[NDArray[np.float32]], float]

    def __call__(self, observation: NDArray[np.float32]) -> Any:
        """The action on an observation, as the environment's action space has it."""
        number = self.decide(np.asarray(observation, dtype=np.float32))
        if self.settings.action.discrete:
            return int(number)
        return np.array([number], dtype=np.float32)


def load_policy(path: str | Path) -> Policy:
    """Reads a policy that `save_policy` or `label_policy` wrote."""
    policy = read_policy(path)
    return Policy(settings_from(policy.settings), policy.decide)


def save_policy(
    path: str | Path,
    layers: Sequence[Layer],
    *,
    settings: PolicySettings,
    activation: Literal["tanh", "relu"] = "tanh",
    mean: ArrayLike | None = None,
    scale: ArrayLike | None = None,
) -> Path:
    """Writes a dense network as an ONNX file that scenarios name as `policy:FILE`.

    Args:
        path: File to write.
        layers: Weights (inputs, outputs) and biases of each layer. The last has one output, which
            is clipped to the range of actions, or one for every choice; the largest counts.
        settings: Observation, times of decisions, meaning of the answers.
        activation: Function after every layer but the last.
        mean: Taken off observations; zeros if `None`.
        scale: Observations are divided by it then; ones if `None`.
    """
    answers = len(settings.action.choices) if settings.action.discrete else 1
    nodes, initializers, value = [], [], "observation"
    for at, layer in enumerate(layers):
        for name, numbers in zip(("weights", "biases"), layer, strict=True):
            array = np.asarray(numbers, dtype=np.float32)
            initializers.append(numpy_helper.from_array(array, f"{name}_{at}"))
        last = at == len(layers) - 1
        inputs, out = [value, f"weights_{at}", f"biases_{at}"], "answer" if last else f"sum_{at}"
        nodes.append(helper.make_node("Gemm", inputs, [out]))
        if not last:
            value = f"hidden_{at}"
            nodes.append(helper.make_node(activation.capitalize(), [out], [value]))
    graph = helper.make_graph(
        nodes,
        "policy",
        [helper.make_tensor_value_info("observation", TensorProto.FLOAT, [None, settings.width])],
        [helper.make_tensor_value_info("answer", TensorProto.FLOAT, [None, answers])],
        initializers,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR)
    return _write(model, Path(path), settings, mean, scale)


def label_policy(
    path: str | Path,
    *,
    settings: PolicySettings,
    mean: ArrayLike | None = None,
    scale: ArrayLike | None = None,
) -> Path:
    """Adds to an ONNX file of another library what its numbers mean; arguments as `save_policy`.

    Its one input has the shape (any, numbers of an observation), its first output (any, 1), or as
    many columns as there are choices.
    """
    try:
        model = onnx.load(Path(path))
    except Exception as error:  # noqa: BLE001  (what protobuf raises is no dependency of ours)
        raise InputError([unread(path, error)]) from None
    return _write(model, Path(path), settings, mean, scale)


def _write(model: Any, path: Path, settings: PolicySettings, *normal: ArrayLike | None) -> Path:
    """Writes a network with what its numbers mean, if it can be read again."""
    labels: dict[str, Any] = {"format": FORMAT, "settings": json.loads(settings.to_json())}
    for key, numbers, plain in zip(("mean", "scale"), normal, (0.0, 1.0), strict=True):
        labels[key] = np.full(settings.width, plain) if numbers is None else np.asarray(numbers)
        labels[key] = labels[key].tolist()
    metadata = {it.key: it.value for it in model.metadata_props if it.key != METADATA}
    helper.set_model_props(model, metadata | {METADATA: json.dumps(labels)})
    content, draft = model.SerializeToString(), path.with_name(f".{path.name}.partial")
    write_atomically(draft, content)
    try:
        read_policy(draft)
    except ControllerError as error:
        reason = str(error).partition(": ")[2]
        raise InputError([Problem(str(path), "network", reason)]) from None
    finally:
        draft.unlink()
    write_atomically(path, content)
    return path
