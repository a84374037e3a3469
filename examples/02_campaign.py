"""A designed campaign: lay it out, run it on all cores, ask what matters.

Run it again and nothing is simulated twice; stop it with Ctrl-C at any moment and it resumes.
"""

import sys
from pathlib import Path

import mesonet


def main(out: Path) -> None:
    """Executes the plan beside this file into `out` and prints what it found."""
    plan = mesonet.load_plan(Path(__file__).parent / "plans" / "small.toml")
    print(plan.title, "-", plan.design.name, "conditions of resolution", plan.design.resolution)

    campaign = mesonet.run_campaign(plan, out=out)
    frame = campaign.results()
    print(frame.select("condition", "alternative", "replicate", "utilization"))

    factors = [factor.name for factor in plan.factors]
    print(mesonet.main_effects(frame, factors=factors, responses="utilization"))
    print(mesonet.paired_differences(frame, response="utilization", baseline="Reno"))


# Workers import this file, so that everything has to happen below this line.
if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "small"))
