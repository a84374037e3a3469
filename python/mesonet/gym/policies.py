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
from mesonet.errors import InputError, Problem, show
from mesonet.gym.settings import PolicySettings, settings_from
from mesonet.system.writing import write_atomically

Layer = tuple[ArrayLike, ArrayLike]
"""Weights, with a row for every input and a column for every output, and biases."""

OPSET, IR = 17, 8
"""Versions of ONNX that are written: old enough for every runtime of the last years."""


@dataclass(frozen=True)
class Policy:
    """A policy that was read from a file: call it with an observation, and it gives an action."""

    settings: PolicySettings
    """Observation, times of decisions, meaning of the answers; for an environment of it."""
    decide: Callable[[NDArray[np.float32]], float]

    def __call__(self, observation: NDArray[np.float32]) -> Any:
        """The action on an observation, as the environment's action space has it."""
        number = self.decide(np.asarray(observation, dtype=np.float32))
        if self.settings.action.discrete:
            return int(number)
        return np.array([number], dtype=np.float32)


def load_policy(path: str | Path) -> Policy:
    """Reads a policy that `save_policy` or `label_policy` wrote.

    Raises `ControllerError` that says what is wrong with the file.
    """
    found = read_policy(path)
    return Policy(settings_from(found.settings), found.decide)


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

    Raises:
        InputError: layers that do not fit each other or the settings, with every problem.
        StorageError: the file cannot be written.
    """
    arrays = [
        (np.asarray(weights, dtype=np.float32), np.asarray(biases, dtype=np.float32))
        for weights, biases in layers
    ]
    answers = len(settings.action.choices) if settings.action.discrete else 1
    _refuse_unless_fitting(arrays, settings.width, answers, activation)
    nodes, initializers = [], []
    value = "observation"
    for at, (weights, biases) in enumerate(arrays):
        last = at == len(arrays) - 1
        initializers += [
            numpy_helper.from_array(weights, f"weights_{at}"),
            numpy_helper.from_array(biases, f"biases_{at}"),
        ]
        out = "answer" if last else f"sum_{at}"
        inputs = [value, f"weights_{at}", f"biases_{at}"]
        nodes.append(helper.make_node("Gemm", inputs, [out]))
        value = out
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

    Raises:
        InputError: the file is no ONNX file, or numbers of `mean` or `scale` do not fit.
        ControllerError: the network does not fit the settings.
        StorageError: the file cannot be written.
    """
    place = Path(path)
    try:
        model = onnx.load(place)
    except Exception as error:  # noqa: BLE001  (its exceptions share no base but this one)
        message = f"{place}: cannot be read as an ONNX file: {error}"
        raise InputError([Problem("path", "format", message)]) from None
    _write(model, place, settings, mean, scale)
    read_policy(place)
    return place


def _write(
    model: Any,
    path: Path,
    settings: PolicySettings,
    mean: ArrayLike | None,
    scale: ArrayLike | None,
) -> Path:
    """Writes a network with what its numbers mean."""
    numbers = {
        "mean": _numbers("mean", mean, 0.0, settings.width),
        "scale": _numbers("scale", scale, 1.0, settings.width),
    }
    told = {"format": FORMAT, "settings": json.loads(settings.to_json()), **numbers}
    kept = {it.key: it.value for it in model.metadata_props if it.key != METADATA}
    helper.set_model_props(model, kept | {METADATA: json.dumps(told)})
    write_atomically(path, model.SerializeToString())
    return path


def _numbers(name: str, given: ArrayLike | None, default: float, width: int) -> list[float]:
    numbers = np.full(width, default) if given is None else np.asarray(given, dtype=np.float32)
    good = numbers.shape == (width,) and np.isfinite(numbers).all()
    if not good or (name == "scale" and (numbers == 0).any()):
        nonzero = ", none of them 0" if name == "scale" else ""
        message = f"expected {width} finite numbers{nonzero}, got an array of {numbers.shape}"
        raise InputError([Problem(name, "shape", message)])
    return [float(number) for number in numbers]


def _refuse_unless_fitting(
    arrays: Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]],
    width: int,
    answers: int,
    activation: str,
) -> None:
    problems = []
    if activation not in ("tanh", "relu"):
        message = f'expected "tanh" or "relu", got {show(activation)}'
        problems.append(Problem("activation", "unknown", message))
    if not arrays:
        problems.append(Problem("layers", "empty", "expected one layer at least"))
    expected = width
    for at, (weights, biases) in enumerate(arrays):
        place = f"layers[{at}]"
        if weights.ndim != 2 or weights.shape[0] != expected:
            message = f"expected weights of the shape ({expected}, outputs), got {weights.shape}"
            problems.append(Problem(place, "shape", message))
            break
        expected = weights.shape[1]
        if biases.shape != (expected,):
            message = f"expected {expected} biases, got an array of the shape {biases.shape}"
            problems.append(Problem(place, "shape", message))
        if not (np.isfinite(weights).all() and np.isfinite(biases).all()):
            problems.append(Problem(place, "value", "expected finite numbers"))
    else:
        if arrays and expected != answers:
            what = "one output" if answers == 1 else f"{answers} outputs, one for each choice"
            message = f"expected {what}, got {expected}"
            problems.append(Problem(f"layers[{len(arrays) - 1}]", "shape", message))
    if problems:
        raise InputError(problems)
