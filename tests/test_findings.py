"""Findings of an attack on mesonet, each with the tests that watch for it.

The order is that of harm. A finding is said as what happened then; names are those of test
functions in Python, or in Rust. The list holds that the tests exist, not that they can fail.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

FINDINGS = {
    "a query of sql writes, empties or destroys files": [
        "test_what_does_more_than_reading_tables_is_refused",
        "test_the_names_of_python_are_no_tables",
    ],
    "commands that only read load code that a manifest with a mistake names": [
        "test_a_folder_by_mail_is_looked_at_without_its_code_and_replayed_with_trust",
        "test_reading_a_scenario_with_mistakes_loads_nothing",
    ],
    "modules in the current folder are imported": [
        "test_no_module_of_the_current_folder_is_imported"
    ],
    "without its manifest, a campaign forgets finished runs": [
        "test_without_manifest_fewer_replicates_forget_nothing",
        "test_without_manifest_another_plan_is_refused_untouched",
        "test_rows_that_no_plan_knows_stay",
    ],
    "a half-written manifest, or a page beside it, blocks recovery": [
        "test_a_manifest_is_restored_from_its_copy",
        "test_without_manifest_and_copy_the_plan_that_fits_is_taken",
    ],
    "half of a surrogate pair in an error ends the campaign": [
        "test_code_that_ends_its_process_costs_a_campaign_its_run_alone",
        "test_texts_of_controllers_are_made_fit_where_they_come_in",
    ],
    "the id of a run names a place to write to": ["test_a_run_id_names_no_place_to_write_to"],
    "figures replace the user's files": [
        "test_figures_of_the_user_stay_and_nothing_is_written",
        "test_pictures_of_mesonet_are_recognised_and_others_are_not",
    ],
    "a lock that is a symbolic link empties another file": [
        "test_a_lock_that_is_no_file_is_refused_and_set_aside",
        "test_nothing_behind_a_link_is_changed",
    ],
    "a wake-up that is always due hangs the engine, deaf to Ctrl-C": [
        "a_wake_up_that_is_always_due_is_an_error_that_names_source_and_time",
        "test_one_that_never_comes_back_is_left_behind_after_ctrl_c",
    ],
    "code that ends its process gives status 0 and no result": [
        "test_code_that_ends_its_process_costs_a_campaign_its_run_alone",
        "test_a_module_that_ends_or_fails_is_an_error",
    ],
    "a chart of what is not finite cannot be drawn": [
        "test_charts_of_missing_and_infinite_values_are_json"
    ],
    "status counts runs whose results are gone": ["test_runs_whose_results_are_gone_are_not_done"],
    "responses take quadratic time in the number of flows": [
        "test_flows_are_gone_through_once_however_many_there_are"
    ],
    "places beyond the Earth are accepted": ["test_places_that_are_not_on_the_earth_are_named"],
    "an encoding of GraphML gives a traceback": ["test_encodings_that_are_none_are_named"],
    "large rings take long to check": ["test_a_ring_of_a_thousand_routers_is_checked_and_costed"],
    "escape sequences of files reach the terminal": [
        "test_messages_have_no_escapes_but_those_of_the_console",
        "test_output_on_a_terminal_has_no_escapes",
    ],
    "a repository's configuration has Git run a program": [
        "test_no_program_of_the_repository_is_run"
    ],
    "damaged campaign folders give tracebacks": [
        "test_damaged_folders_get_a_line_and_lose_nothing",
        "test_documents_of_another_shape_get_a_line",
        "test_a_lock_that_is_no_file_is_refused_and_set_aside",
    ],
    "Ctrl-C during imports gives a traceback": [
        "test_at_once_it_is_one_line",
        "test_at_any_moment_it_is_one_line_and_no_traceback",
    ],
    "deaths leave partial files": [
        "test_a_writer_that_is_killed_leaves_nothing_once_it_is_resumed",
        "test_files_that_killed_writers_began_are_swept",
    ],
    "a dollar in a label ends figures in a traceback": [
        "test_figures_hold_any_label",
        "test_any_label_gives_well_formed_svg",
    ],
    "the name of a flow runs a script in the notebook that shows it": [
        "test_names_in_pictures_end_no_script"
    ],
    "a table takes the place of a device": ["test_no_file_takes_the_place_of_a_pipe_or_a_device"],
    "entities of a GraphML file are read": ["test_a_file_that_declares_an_entity_is_refused"],
    "a page embeds libraries without their licences": [
        "test_every_embedded_package_has_a_notice",
        "test_what_packages_have_inside_has_a_notice",
        "test_every_notice_has_its_holder_and_its_licence",
    ],
    "too many links or regions in a spec give wrong results or take all memory": [
        "links_out_of_a_region_are_bounded",
        "regions_are_bounded",
    ],
    "large plans are resolved in silence": [
        "test_a_plan_that_takes_long_to_be_resolved_says_how_far_it_is"
    ],
    "a scheme without a place becomes a folder": ["test_a_scheme_alone_is_no_place"],
    "a limit of address space ends figures in a trap": [
        "test_too_little_address_space_is_an_error_and_no_trap"
    ],
    "spreadsheets take cells of CSV for formulas": [
        "test_text_that_looks_like_a_formula_gets_an_apostrophe",
        "test_no_cell_is_a_formula",
        "test_no_csv_has_formulas",
    ],
    "recorded segments take memory that no estimate has": [
        "test_a_run_ends_before_what_it_records_takes_all_memory"
    ],
    "versions of dependencies are not chosen, and actions not pinned": [
        "test_every_dependency_has_a_chosen_version",
        "test_actions_of_workflows_are_pinned_by_commit",
    ],
    "nobody asks for advisories of dependencies, and faults have no address": [
        "test_dependencies_are_audited_and_faults_have_an_address"
    ],
    "pickles of strangers are read": ["test_no_pickle_is_read"],
    "the name of a folder says yes for the user": [
        "test_the_name_of_a_folder_is_no_word_of_the_user"
    ],
}
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.fixture(scope="module")
def tests() -> set[str]:
    """Names of all tests, in Python and in Rust."""
    python = "\n".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    rust = "\n".join(path.read_text("utf-8") for path in (ROOT / "crates").rglob("*.rs"))
    return {
        *re.findall(r"^def (test_\w+)", python, re.MULTILINE),
        *re.findall(r"#\[test\]\s+fn (\w+)", rust),
    }


@pytest.mark.parametrize("finding", FINDINGS)
def test_every_finding_has_its_tests(finding: str, tests: set[str]) -> None:
    assert set(FINDINGS[finding]) <= tests


def test_actions_of_workflows_are_pinned_by_commit() -> None:
    assert WORKFLOWS
    for path in WORKFLOWS:
        for action in re.findall(r"uses: *(\S+)", path.read_text("utf-8")):
            assert re.search("@[0-9a-f]{40}$", action) or action.startswith("./"), (path, action)


def test_dependencies_are_audited_and_faults_have_an_address() -> None:
    every = "\n".join(path.read_text("utf-8") for path in WORKFLOWS)
    makefile = (ROOT / "Makefile").read_text("utf-8")
    # Names of tools stand in comments and installations, too.
    for text, step in (
        (every, r" +- uses: EmbarkStudios/cargo-deny-action@"),
        (every, r" +pip-audit .*--requirement requirements/constraints\.txt$"),
        (makefile, r"\tcargo deny .*\bcheck$"),
        (makefile, r"\t\$\(BIN\)/pip-audit "),
        ((ROOT / "deny.toml").read_text("utf-8"), r"\[advisories\]$"),
        ((ROOT / "SECURITY.md").read_text("utf-8"), r"## How to report\n\nReport in private"),
    ):
        assert re.search(f"^{step}", text, re.MULTILINE), step
