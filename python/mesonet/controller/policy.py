"""Trained policies as congestion controllers: `policy:FILE` names one, a file in the format ONNX.

FILE begins where the paths of libraries do. Its metadata say what the policy sees, when it decides
and what its answers mean; `mesonet.gym.save_policy` writes such files. Decisions are made by
`onnxruntime`, on one thread, once per decision and flow.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mesonet import _core
from mesonet.controller import folders
from mesonet.errors import ControllerError

PREFIX = "policy:"
"""Prefix of the names of trained policies."""
METADATA = "mesonet.policy"
"""Key of the metadata of an ONNX file that says what its numbers mean."""
FORMAT = 1
"""Version of these metadata."""

Decide = Callable[[NDArray[np.float32]], float]
"""Makes a number of an observation."""

_KEYS = {"format", "settings", "mean", "scale"}
_DOMAINS = ("", "ai.onnx", "ai.onnx.ml")
_NOT_FUNCTIONS = (
    *("If", "Loop", "Scan", "SequenceMap", "Bernoulli", "Dropout", "Multinomial"),
    *("RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"),
)
"""Operators that may not end, or give other numbers each time: no part of a policy."""


@dataclass(frozen=True)
class PolicyFile:
    """A trained policy that was read from a file."""

    digest: str
    """SHA-256 of the file, hexadecimal."""
    settings: Mapping[str, Any]
    """Observation, times of decisions, meaning of the answers."""
    decide: Decide
    """The policy: an observation as the environment gives it in, an action of it out."""
    maker: _core.Policy
    """Maker of its controllers, for the engine."""


_READ: dict[Path, tuple[object, PolicyFile]] = {}


def load(name: str) -> _core.Policy:
    """The policy that `policy:FILE` names, for the engine."""
    return read_policy(_path(name)).maker


def digest(name: str) -> str:
    """Identifies the content of the file of `policy:FILE`; SHA-256, hexadecimal."""
    return read_policy(_path(name)).digest


def file_of(name: str) -> str:
    """Name of the file of `policy:FILE`, without its folder."""
    return Path(_path(name)).name


def read_policy(path: str | Path) -> PolicyFile:
    """Reads a trained policy, unless this process has read it before."""
    return folders.read_once(_READ, str(path), partial(_read, str(path)))


def _read(name: str, content: bytes) -> PolicyFile:
    session = _session(name, content)
    metadata = _metadata(name, session)
    text = json.dumps(metadata["settings"])
    try:
        plain = _core.Policy(text)
    except _core.PolicyProblem as error:
        faults = "; ".join(f"{key}: {fault}" if key else fault for key, fault in error.args[0])
        raise ControllerError(f"{name}: its settings are not valid: {faults}") from None
    decide = _decision(name, session, metadata, plain)
    digest, maker = hashlib.sha256(content).hexdigest(), _core.Policy(text, decide)
    return PolicyFile(digest, metadata["settings"], decide, maker)


def _path(name: str) -> str:
    path = name.removeprefix(PREFIX)
    if not path:
        raise ControllerError(f"{name}: expected a name such as {PREFIX}trained.onnx")
    return path


def _session(name: str, content: bytes) -> Any:
    try:
        import onnx  # noqa: F401  (reads the operators)
        import onnxruntime
    except ModuleNotFoundError:
        needed = 'needs onnxruntime, which comes with the extra "onnx" of mesonet'
        raise ControllerError(f"{PREFIX}{name} {needed}") from None
    options = onnxruntime.SessionOptions()
    # A decision is a few thousand multiplications; and sums on one thread have one order.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        # Before there is a session, which executes what is constant in the network.
        foreign = _refused(content)
        if not foreign:
            providers = ["CPUExecutionProvider"]
            return onnxruntime.InferenceSession(content, options, providers=providers)
    except Exception as error:  # noqa: BLE001  (its exceptions share no base but this one)
        raise ControllerError(f"{name}: is no ONNX file that can be executed: {error}") from None
    expected = "expected a network of functions of numbers, without loops and random numbers"
    raise ControllerError(f"{name}: {expected}, got the operators {', '.join(foreign)}")


def _refused(content: bytes) -> list[str]:
    """Names of what the network of an ONNX file has and a policy may not have, each once."""
    import onnx

    model = onnx.load_model_from_string(content)
    names = [
        f"{node.domain}.{node.op_type}".lstrip(".")
        for node in model.graph.node
        if node.domain not in _DOMAINS or node.op_type in _NOT_FUNCTIONS
    ]
    names += [f"function {it.domain}.{it.name}" for it in model.functions]
    return list(dict.fromkeys(names))


def _metadata(name: str, session: Any) -> dict[str, Any]:
    text = session.get_modelmeta().custom_metadata_map.get(METADATA)
    if text is None:
        raise ControllerError(
            f'{name}: has no metadata "{METADATA}", which say what the policy sees and what its '
            "answers mean; mesonet.gym.save_policy and mesonet.gym.label_policy write them"
        )
    try:
        metadata = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ControllerError(f'{name}: its metadata "{METADATA}" are no JSON: {error}') from None
    if not isinstance(metadata, dict) or set(metadata) != _KEYS or metadata["format"] != FORMAT:
        expected = f"a table with the keys {', '.join(sorted(_KEYS))}, where format is {FORMAT}"
        raise ControllerError(f'{name}: expected its metadata "{METADATA}" to be {expected}')
    return metadata


def _decision(name: str, session: Any, metadata: Mapping[str, Any], policy: _core.Policy) -> Decide:
    """The function that decides, if the network and the settings fit each other."""
    width, (low, high) = policy.width, policy.range
    rule = metadata["settings"]["action"]["rule"]
    choices = len(rule["choose"]["choices"]) if isinstance(rule, dict) and "choose" in rule else 0
    answers = choices or 1
    try:
        mean, scale = (np.asarray(metadata[key], dtype=np.float32) for key in ("mean", "scale"))
    except (TypeError, ValueError):
        raise ControllerError(f"{name}: expected mean and scale to be lists of numbers") from None
    faults = [
        f"expected {width} numbers in {key}, got {numbers.size}"
        for key, numbers in (("mean", mean), ("scale", scale))
        if numbers.shape != (width,)
    ]
    if not np.isfinite(mean).all() or not np.isfinite(scale).all() or (scale == 0).any():
        faults.append("expected mean and scale to be finite, and scale not to be 0")
    inputs, outputs = session.get_inputs(), session.get_outputs()
    if len(inputs) != 1 or not _fits(inputs[0], width):
        faults.append(f"expected one input of {width} floats, got {_shapes(inputs)}")
    if not outputs or not _fits(outputs[0], answers):
        faults.append(f"expected {answers} floats as the first output, got {_shapes(outputs)}")
    if faults:
        raise ControllerError(f"{name}: does not fit its settings: {'; '.join(faults)}")
    entry, answer = inputs[0].name, outputs[0].name

    def decide(observation: NDArray[np.float32]) -> float:
        normal = ((observation - mean) / scale).reshape(1, width)
        numbers = session.run([answer], {entry: normal})[0].ravel()
        # The first nan, if there is one.
        best = int(numbers.argmax())
        if math.isnan(numbers[best]):
            raise ControllerError(f"{name}: expected numbers of the network, got nan")
        return float(best) if choices else min(max(float(numbers[0]), low), high)

    return decide


def _fits(tensor: Any, width: int) -> bool:
    """True for a tensor of shape (1, width) or (any, width)."""
    if tensor.type != "tensor(float)" or len(tensor.shape) != 2:
        return False
    batch, last = tensor.shape
    return last == width and (batch == 1 or not isinstance(batch, int))


def _shapes(tensors: Any) -> str:
    return ", ".join(f"{it.name} {it.type} {it.shape}" for it in tensors) or "none"
