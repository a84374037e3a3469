"""Commands of mesonet, in the process of the tests."""

from typer.testing import CliRunner

from mesonet.cli import app


def mesonet(*arguments):
    """The result of a command: its exit code, and what it printed."""
    return CliRunner().invoke(app, [str(argument) for argument in arguments])
