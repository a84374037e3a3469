from importlib import resources

from mesonet.analysis import example_campaign
from mesonet.design import fractional_factorial
from mesonet.figures import Names


def test_the_example_is_a_whole_campaign():
    campaign = example_campaign()
    frame = campaign.frame
    assert frame.height == 32 * len(campaign.alternatives)
    assert set(campaign.factors) | set(campaign.responses) <= set(frame.columns)
    assert frame["alternative"].unique(maintain_order=True).to_list() == list(campaign.alternatives)
    assert campaign.baseline in campaign.alternatives


def test_the_example_has_the_design_that_it_says():
    campaign = example_campaign()
    matrix = fractional_factorial(campaign.factors, campaign.generators).matrix
    codes = campaign.frame.filter(alternative="Reno").select("condition", *campaign.factors)
    assert codes.rows() == matrix.rows()


def test_figures_take_its_names():
    campaign = example_campaign()
    names = Names(responses=campaign.response_names, factors=campaign.factor_names)
    assert names.levels("speed") == ("60 p/ms", "120 p/ms")
    assert names.axis("y42") == "connecting flows (flows)"


def test_it_is_small():
    folder = resources.files("mesonet") / "data"
    files = [file for file in folder.iterdir() if file.name.startswith("example-campaign")]
    assert sum(len(file.read_bytes()) for file in files) < 200_000
