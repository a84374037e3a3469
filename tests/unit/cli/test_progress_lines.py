from mesonet.cli.progress import CampaignProgress
from mesonet.workers import Progress


def test_off_a_terminal_a_line_is_said_once(capsys):
    with CampaignProgress() as shown:
        for done in (0, 4, 4):
            shown(Progress(total=4, done=done))
    assert capsys.readouterr().err.splitlines() == [
        "0/4 runs, time left not yet known",
        "4/4 runs, finished",
    ]
