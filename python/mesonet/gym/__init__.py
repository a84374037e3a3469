"""Environments in which a policy learns congestion control, stepped by the engine.

`MesonetEnv` is a Gymnasium environment with one controlled flow, `MesonetVectorEnv` steps many of
them in Rust, `parallel_env` is a PettingZoo environment with several controlled flows in one
simulation. Each works on any scenario with named flows: all other flows keep their algorithms.
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
    from mesonet.gym.parallel import MesonetParallelEnv as MesonetParallelEnv
    from mesonet.gym.parallel import parallel_env as parallel_env
    from mesonet.gym.policies import Policy as Policy
    from mesonet.gym.policies import label_policy as label_policy
    from mesonet.gym.policies import load_policy as load_policy
    from mesonet.gym.policies import save_policy as save_policy
    from mesonet.gym.rewards import REWARDS as REWARDS
    from mesonet.gym.rewards import Reward as Reward
    from mesonet.gym.rewards import RewardFunction as RewardFunction
    from mesonet.gym.settings import AURORA as AURORA
    from mesonet.gym.settings import MVFST_RL as MVFST_RL
    from mesonet.gym.settings import Action as Action
    from mesonet.gym.settings import Feature as Feature
    from mesonet.gym.settings import PolicySettings as PolicySettings
    from mesonet.gym.settings import Quantity as Quantity
    from mesonet.gym.settings import features as features
    from mesonet.gym.settings import quantities as quantities
    from mesonet.gym.single import MesonetEnv as MesonetEnv
    from mesonet.gym.varying import Choice as Choice
    from mesonet.gym.varying import LogUniform as LogUniform
    from mesonet.gym.varying import Uniform as Uniform
    from mesonet.gym.vector import MesonetVectorEnv as MesonetVectorEnv

# Libraries of some are extras.
_late, __all__ = lazily(
    __name__,
    {
        "parallel": "MesonetParallelEnv parallel_env",
        "policies": "Policy label_policy load_policy save_policy",
        "rewards": "REWARDS Reward RewardFunction",
        "settings": "AURORA MVFST_RL Action Feature PolicySettings Quantity features quantities",
        "single": "MesonetEnv",
        "varying": "Choice LogUniform Uniform",
        "vector": "MesonetVectorEnv",
    },
)
_EXTRAS = {"gymnasium": "gym", "pettingzoo": "gym", "onnx": "onnx"}


def __getattr__(name: str) -> Any:
    try:
        return _late(name)
    except ModuleNotFoundError as error:
        if error.name not in _EXTRAS:
            raise
        install = f"pip install 'mesonet[{_EXTRAS[error.name]}]'"
        message = f"mesonet.gym.{name} needs {error.name}, which is not installed: {install}"
        raise ModuleNotFoundError(message, name=error.name) from None
