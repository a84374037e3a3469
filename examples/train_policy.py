"""A policy learns to set a window, by the plainest policy gradient (REINFORCE), with numpy alone.

A bottleneck of 5 to 50 Mbit/s and a path of 10 to 80 ms are drawn for every episode. The policy
sees how much longer than the least its round trips are, what was lost, and its window. Once per
round trip it makes the window larger or smaller. No fixed window suits all paths, so it is compared
with the best of them, on paths that it has not seen.

    python train_policy.py                    # a few seconds: too short to learn much
    python train_policy.py --iterations 400   # about half a minute
"""

import argparse
import time

import numpy as np

import mesonet
from mesonet.gym import Action, LogUniform, MesonetVectorEnv, PolicySettings, Uniform, save_policy

SCENARIO = mesonet.dumbbell(
    rate="20 Mbit/s",
    rtt="40 ms",
    buffer="2 bdp",
    flows=[mesonet.flow("reno", name="learner")],
    duration="4 s",
)
VARY = {
    "rate": LogUniform("5 Mbit/s", "50 Mbit/s"),
    "rtt": LogUniform("10 ms", "80 ms"),
    "buffer": Uniform("1 bdp", "3 bdp"),
}
SETTINGS = PolicySettings(
    observation=("rtt_ratio", "rtt_gradient", "loss_ratio", "window_log"),
    history=2,
    action=Action(target="window", rule="multiply", step=0.5, least=2, most=2000),
    round_trips=1.0,
    at_least="10 ms",
)
ENVS, STEPS, HIDDEN = 32, 60, 16
DISCOUNT, RATE, NOISE = 0.9, 0.01, 0.3
TEST_SEED = 1_000_000


def environment(count: int, settings: PolicySettings = SETTINGS) -> MesonetVectorEnv:
    """Environments in which the sum of rewards is `ln throughput - ln stretch of the RTT`."""
    return MesonetVectorEnv(
        SCENARIO, num_envs=count, settings=settings, vary=VARY, reward="log_utility"
    )


class Policy:
    """One hidden layer; the action is its output plus noise, clipped."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        width = SETTINGS.width
        self.weights = [
            self.random.normal(0, width**-0.5, (width, HIDDEN)),
            np.zeros(HIDDEN),
            np.zeros((HIDDEN, 1)),
            np.zeros(1),
        ]
        self.mean, self.scale = np.zeros(width), np.ones(width)
        self.first = [np.zeros_like(array) for array in self.weights]
        self.second = [np.zeros_like(array) for array in self.weights]
        self.updates = 0

    def forward(self, observations: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        normal = (observations - self.mean) / self.scale
        hidden = np.tanh(normal @ self.weights[0] + self.weights[1])
        return normal, hidden, (hidden @ self.weights[2] + self.weights[3])[..., 0]

    def update(self, observations: np.ndarray, noise: np.ndarray, gains: np.ndarray) -> None:
        """One step of Adam up the gradient of the expected return."""
        normal, hidden, _ = self.forward(observations)
        out = (gains * noise / NOISE**2 / len(gains))[:, np.newaxis]
        back = out @ self.weights[2].T * (1 - hidden**2)
        gradient = [normal.T @ back, back.sum(0), hidden.T @ out, out.sum(0)]
        self.updates += 1
        for at, slope in enumerate(gradient):
            self.first[at] = 0.9 * self.first[at] + 0.1 * slope
            self.second[at] = 0.999 * self.second[at] + 0.001 * slope**2
            step = self.first[at] / (1 - 0.9**self.updates)
            size = np.sqrt(self.second[at] / (1 - 0.999**self.updates)) + 1e-8
            self.weights[at] = self.weights[at] + RATE * step / size


def collect(env: MesonetVectorEnv, policy: Policy, seed: int) -> float:
    """Learns from the first steps of one episode in each environment; the mean reward."""
    seen, _ = env.reset(seed=seed)
    observations, noises, rewards, going = [], [], [], []
    alive = np.ones(env.num_envs, dtype=bool)
    for _ in range(STEPS):
        noise = policy.random.normal(0, NOISE, env.num_envs)
        action = np.clip(policy.forward(seen)[2] + noise, -1, 1)
        observations.append(seen)
        noises.append(noise)
        going.append(alive)
        seen, reward, terminated, truncated, _ = env.step(action[:, np.newaxis])
        rewards.append(np.where(alive, reward, 0.0))
        alive = alive & ~(terminated | truncated)
    gains = np.array(rewards)
    for at in range(STEPS - 2, -1, -1):
        gains[at] += DISCOUNT * gains[at + 1]
    mask = np.array(going)
    # The mean over time of its own episode says how good the path is, not how good the action was.
    gains = gains - gains.sum(0) / mask.sum(0)
    gains = gains[mask] / (gains[mask].std() + 1e-8)
    every = np.array(observations)[mask]
    if policy.updates == 0:
        policy.mean, policy.scale = every.mean(0), every.std(0) + 1e-2
    policy.update(every, np.array(noises)[mask], gains)
    return float(np.array(rewards)[mask].mean())


def score(count: int, act, settings: PolicySettings = SETTINGS) -> float:
    """Mean reward per second of simulated time on `count` paths that were not learned from."""
    env = environment(count, settings)
    seen, info = env.reset(seed=TEST_SEED)
    total, length, alive = 0.0, 0.0, np.ones(count, dtype=bool)
    while alive.any():
        seen, reward, terminated, truncated, info = env.step(act(seen))
        total += float((reward * info["elapsed"])[alive].sum())
        length += float(info["elapsed"][alive].sum())
        alive = alive & ~(terminated | truncated)
    return total / length


def best_fixed(count: int) -> tuple[int, float]:
    """The fixed window [segments] with the best score, and that."""
    fixed = PolicySettings(
        observation=SETTINGS.observation,
        history=SETTINGS.history,
        action=Action(target="window", rule="absolute", least=1, most=2000),
        round_trips=SETTINGS.round_trips,
        at_least="10 ms",
    )
    scores = {
        window: score(count, lambda seen, w=window: np.full((len(seen), 1), w), fixed)
        for window in (8, 16, 24, 32, 48, 64, 96, 128)
    }
    window = max(scores, key=scores.__getitem__)
    return window, scores[window]


def main() -> None:
    """Learns, compares, writes the policy."""
    parser = argparse.ArgumentParser(description="A policy learns to set a window.")
    parser.add_argument("--iterations", type=int, default=3)
    parser.add_argument("--paths", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="trained.onnx")
    options = parser.parse_args()
    began = time.process_time()
    policy, env = Policy(options.seed), environment(ENVS)
    for iteration in range(options.iterations):
        mean = collect(env, policy, seed=options.seed * 100_000 + iteration * ENVS)
        if iteration % 20 == 0:
            print(f"iteration {iteration:4}: mean reward {mean:6.3f}")
    taken = time.process_time() - began
    window, fixed = best_fixed(options.paths)
    learned = score(
        options.paths, lambda seen: np.clip(policy.forward(seen)[2], -1, 1)[:, np.newaxis]
    )
    print(f"{options.iterations} iterations in {taken:.0f} s of processor time")
    print(f"best fixed window, {window} segments: {fixed:.3f}")
    print(f"learned policy: {learned:.3f}")
    layers = [(policy.weights[0], policy.weights[1]), (policy.weights[2], policy.weights[3])]
    save_policy(options.out, layers, settings=SETTINGS, mean=policy.mean, scale=policy.scale)
    print(f'{options.out} is written; name it in a scenario as "policy:{options.out}"')


if __name__ == "__main__":
    main()
