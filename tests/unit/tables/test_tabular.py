"""Tables that are taken along: what is read back is what was there, with units and meanings."""

import json
import tomllib

import polars as pl
import pytest
from refusals import refused

import mesonet
from mesonet.errors import InputError, StorageError
from mesonet.responses.columns import COLUMNS
from mesonet.tables import TABLES


@pytest.fixture(scope="module")
def run():
    scenario = mesonet.dumbbell(
        rate="5 Mbit/s",
        rtt="40 ms",
        flows=["cubic", "reno"],
        duration="3 s",
        record_transfers=True,
        record_segments=True,
        record_queues=True,
        record_packets=True,
    )
    return mesonet.simulate(scenario)


@pytest.fixture(scope="module")
def comparison():
    return mesonet.compare(
        "reno", "cubic", rate="5 Mbit/s", replicates=2, duration="3 s", threads=1
    )


def test_every_column_of_a_run_has_a_meaning(run):
    assert set(COLUMNS) == set(TABLES)
    for table in run.table_names():
        assert set(run.to_frame(table).columns) <= set(run.about(table)), table


def test_classes_count_all_but_named_flows_and_say_so():
    run = mesonet.simulate(
        mesonet.internet(
            base_sources=1, source_multiplier=1.0, speed="4 p/ms", duration="2 s", warm_up=0.0
        )
    )
    acked = {name: run.to_frame(name)["acked"].sum() for name in ("series", "classes", "flows")}
    assert acked["flows"] > 0
    assert acked["series"] == acked["classes"] + acked["flows"]
    assert "without those of named flows" in run.about("classes")["acked"].meaning


def test_parquet_is_read_back_equal_and_says_units(run, tmp_path):
    for table in run.table_names():
        path = run.to_parquet(tmp_path / f"{table}.parquet", table=table)
        assert pl.read_parquet(path).equals(run.to_frame(table)), table
    told = json.loads(pl.read_parquet_metadata(tmp_path / "flows.parquet")["mesonet"])
    assert told["columns"]["srtt"] == {"unit": "s", "meaning": "smoothed round-trip time"}
    assert (told["table"], told["seed"]) == ("flows", 1)
    assert mesonet.scenario_from_dict(tomllib.loads(told["scenario"])) == run.scenario


def test_csv_is_read_back_equal(run, comparison, tmp_path):
    for source in (run, comparison):
        for table in source.table_names():
            frame = source.to_frame(table)
            path = source.to_csv(tmp_path / "table.csv", table=table)
            back = pl.read_csv(path, schema=frame.schema)
            assert back.equals(frame), (type(source).__name__, table)


def test_arrow_is_read_back_equal(run, tmp_path):
    assert pl.read_ipc(run.to_arrow(tmp_path / "flows.arrow", table="flows")).equals(run.flows)
    # R knows no views of texts. In the layout that it reads they stand one behind the other.
    assert "".join(run.flows["flow"].head(2)).encode() in (tmp_path / "flows.arrow").read_bytes()
    # Without pyarrow, for whatever reads Arrow's streams.
    assert pl.DataFrame(run).equals(run.series)


def test_lists_are_texts_in_csv(tmp_path):
    result = mesonet.Result(frame=pl.DataFrame({"members": [["a", "b"], []]}))
    assert result.to_csv(tmp_path / "lists.csv").read_text("utf-8") == 'members\na b\n""\n'


def test_unknown_tables_are_suggested(run, tmp_path):
    with refused(InputError, ("table", "unknown_table")) as caught:
        run.to_csv(tmp_path / "x.csv", table="flow")
    assert '"flows"' in str(caught.value)
    assert not (tmp_path / "x.csv").exists()


def test_what_cannot_be_written_is_one_error(run, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match=r"x\.parquet"):
        run.to_parquet(tmp_path / "file" / "x.parquet")
