"""Environments in which a policy learns congestion control, stepped by the engine.

`MesonetEnv` is a Gymnasium environment with one controlled flow, `MesonetVectorEnv` steps many of
them in Rust. Both work on any scenario with named flows: all other flows keep their algorithms.
`save_policy` writes what was learned as an ONNX file, which scenarios and campaigns name as
`policy:FILE`.

The environments need the extra `gym`, files of policies the extra `onnx`.

Examples:
    >>> from mesonet.gym import PolicySettings
    >>> PolicySettings(observation=("rtt_ratio", "loss_ratio"), history=2).width
    4
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mesonet.lazy import lazily

if TYPE_CHECKING:
    from mesonet.gym.policies import *
    from mesonet.gym.rewards import *
    from mesonet.gym.settings import *
    from mesonet.gym.single import *
    from mesonet.gym.varying import *
    from mesonet.gym.vector import *

# Libraries of some are extras.
_late, __all__ = lazily(
    __name__,
    {
        "policies": "Policy label_policy load_policy save_policy",
        "rewards": "REWARDS Reward RewardFunction",
        "settings": "AURORA MVFST_RL Action Feature PolicySettings Quantity features quantities",
        "single": "MesonetEnv",
        "varying": "Choice LogUniform Uniform",
        "vector": "MesonetVectorEnv",
    },
)
_EXTRAS = {"gymnasium": "gym", "onnx": "onnx"}


def __getattr__(name: str) -> Any:
    try:
        return _late(name)
    except ModuleNotFoundError as error:
        if error.name not in _EXTRAS:
            raise
        extra = f'it comes with the extra "{_EXTRAS[error.name]}" of mesonet'
        message = f"mesonet.gym.{name} needs {error.name}, which is not installed; {extra}"
        raise ModuleNotFoundError(message, name=error.name) from None
