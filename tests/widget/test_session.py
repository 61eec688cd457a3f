"""The session: every request gets one answer that follows the schema, whatever it asks for."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any, NoReturn

import pytest
import zarr
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nz_explorer.diagnosis.impact import IMPACTS
from nz_explorer.engine.evaluation.finding_reader import FindingReader
from nz_explorer.widget import protocol
from nz_explorer.widget.requests.answer import ANSWERS, BadRequest
from nz_explorer.widget.session.conversation import WORKERS
from tests.widget.conftest import Browse, Browser


def test_the_summary_says_what_was_opened(browse: Browse, broken_store: Path) -> None:
    summary = browse(broken_store).ask("open")
    assert summary["zarr_format"] == 3
    assert summary["metadata"] == "consolidated"
    assert summary["progress"]["phase"] == "done"
    assert summary["conforms"]["NZ-1.0"] is False
    assert summary["counts"]["error"] > 0
    assert summary["counts"]["complete"]


@pytest.mark.parametrize("method", ["open", "walk"])
def test_the_end_of_a_walk_is_the_last_word(
    browse: Browse, broken_store: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    """Also where it is told while an answer that does not know of it is on its way."""
    browser = browse(broken_store, walk=False)
    session = browser.session
    told: list[str] = []
    send = session.conversation.send

    def sent(message: Any, buffers: Any = ()) -> None:
        if isinstance(message, protocol.Reply) and not told:
            session.start()  # the walk ends, and says so, before the answer goes out
            assert session.walker.wait(30)
        summary = message.result if isinstance(message, protocol.Reply) else message.summary
        told.append(summary.progress.phase)
        send(message, buffers)

    monkeypatch.setattr(session.conversation, "send", sent)
    browser.ask(method, **({"action": "cancel"} if method == "walk" else {}))
    session.conversation.pool.shutdown(wait=True)
    assert told[-1] == "done"
    assert "walk" in told


def test_the_tree_comes_level_by_level_and_in_pages(browse: Browse, sample_store: Path) -> None:
    browser = browse(sample_store, walk=False)
    root = browser.ask("children", path="/")
    assert [row["name"] for row in root["rows"]] == ["analysis", "forecast", "ocean", "stations"]
    assert root["rows"][0]["has_children"] is None
    page = browser.ask("children", path="/forecast", offset=2, limit=3)
    whole = browser.ask("children", path="/forecast")
    assert page["total"] == len(whole["rows"])
    assert page["rows"] == whole["rows"][2:5]


def test_a_group_of_groups_shows_the_first_arrays_below_it(browse: Browse, tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "s.zarr", zarr_format=2)
    for path in ("models/atmosphere/t", "models/ocean/sst", "models/ocean/deep/salinity"):
        group.create_array(path, shape=(2,), dtype="f4").attrs["_ARRAY_DIMENSIONS"] = ["x"]
    for name in ("a", "b", "c", "d"):  # what describes others comes after the data of all groups
        array = group.create_array(f"models/atmosphere/{name}", shape=(2,), dtype="f4")
        array.attrs["_ARRAY_DIMENSIONS"] = ["x"]
    group["models/atmosphere/t"].attrs["coordinates"] = "a b c d"
    zarr.consolidate_metadata(tmp_path / "s.zarr")
    (card,) = browse(tmp_path / "s.zarr").ask("node", path="/")["groups"]
    assert (card["groups"], card["arrays"]) == (2, 0)
    assert [row["path"] for row in card["inside"]][:2] == [
        "/models/atmosphere/t",
        "/models/ocean/sst",
    ]


def test_roles_and_directions_are_known_after_the_walk(browse: Browse, sample_store: Path) -> None:
    rows = {
        row["name"]: row for row in browse(sample_store).ask("children", path="/forecast")["rows"]
    }
    assert (rows["lat"]["role"], rows["time"]["role"]) == ("coordinate", "coordinate")
    assert {rows["lat"]["direction"], rows["time"]["direction"]} <= {"increasing", "decreasing"}
    assert rows["height"]["role"] == "scalar"
    assert rows["temperature"]["role"] == "data"


def test_a_node_is_found_from_the_root_down(browse: Browse, sample_store: Path) -> None:
    browser = browse(sample_store)
    steps = browser.ask("reveal", path="/ocean/sea_surface_temperature")["steps"]
    assert [step["row"]["path"] for step in steps] == ["/ocean", "/ocean/sea_surface_temperature"]
    for step in steps:
        parent = step["row"]["path"].rpartition("/")[0] or "/"
        row = browser.ask("children", path=parent)["rows"][step["position"]]
        assert row["path"] == step["row"]["path"]


def test_search_wants_all_words_and_says_whether_it_knows_all(
    browse: Browse, sample_store: Path
) -> None:
    found = browse(sample_store).ask("search", query="OCEAN latitude")
    paths = [row["path"] for row in found["rows"]]
    assert paths[0] == "/ocean/latitude"  # the others have the second word in their attributes
    assert all(path.startswith("/ocean/") for path in paths)
    assert "/ocean/longitude" not in paths
    assert found["complete"]


def test_findings_come_with_their_rules_and_the_worst_first(
    browse: Browse, broken_store: Path
) -> None:
    result = browse(broken_store).ask("findings", path="/")
    order = ["error", "warning", "info"]
    places = [
        (IMPACTS.index(finding["impact"]), order.index(finding["severity"]))
        for finding in result["findings"]
    ]
    assert places == sorted(places)
    for finding in result["findings"]:
        rule = result["rules"][finding["rule"]]
        assert rule["title"]
        assert rule["source"]


def test_a_finding_lights_up_its_line(browse: Browse, broken_store: Path) -> None:
    browser = browse(broken_store)
    finding = next(
        f for f in browser.ask("findings", path="/")["findings"] if f["rule"] == "NZ-FILL-003"
    )
    documents = browser.ask("document", path=finding["path"])["documents"]
    stored = next(d for d in documents if d["origin"] == "stored")
    mark = next(m for m in stored["marks"] if m["rule"] == "NZ-FILL-003")
    assert "_FillValue" in stored["text"].splitlines()[mark["first_line"] - 1]


def test_stored_and_consolidated_documents_are_compared(browse: Browse, broken_store: Path) -> None:
    browser = browse(broken_store)
    stale = next(
        f for f in browser.ask("findings", path="/")["findings"] if f["rule"] == "NZ-CONS-002"
    )
    documents = browser.ask("document", path=stale["path"])["documents"]
    assert [d["origin"] for d in documents] == ["stored", "consolidated", "difference"]
    assert all(document["differs"] for document in documents[:2])


def test_nodes_that_consolidated_metadata_lacks_are_in_the_tree(
    browse: Browse, broken_store: Path
) -> None:
    browser = browse(broken_store)
    missing = next(
        f for f in browser.ask("findings", path="/")["findings"] if f["rule"] == "NZ-CONS-003"
    )
    row = browser.ask("rows", paths=[missing["path"]])["rows"][0]
    assert row["state"] == "missing"
    assert "not in the consolidated metadata" in row["problem"]


def test_a_dimension_leads_to_every_array_along_it(browse: Browse, sample_store: Path) -> None:
    result = browse(sample_store).ask("netcdf", path="/ocean")
    (span,) = (one for one in result["cdl"] if one["text"].startswith("\trlat = "))
    assert {one["path"] for one in span["also"]} == {
        f"/ocean/{name}"
        for name in ("rlat", "latitude", "longitude", "salinity", "sea_surface_temperature")
    }
    texts = {one["key"]: one["text"].splitlines() for one in result["documents"]}
    lit = [texts[one["key"]][one["first_line"] - 1].strip(" ,") for one in span["also"]]
    assert set(lit) == {'"rlat"', "96"}  # its name in dimension_names, its length in shape


def test_cdl_lines_lead_to_document_lines(browse: Browse, sample_store: Path) -> None:
    result = browse(sample_store).ask("netcdf", path="/ocean")
    documents = {document["key"]: document["text"].splitlines() for document in result["documents"]}
    line = next(
        span for span in result["cdl"] if "sea_surface_temperature:_FillValue" in span["text"]
    )
    assert "_FillValue" in documents[line["key"]][line["first_line"] - 1]


def test_a_document_on_one_line_has_lines_beside_cdl(browse: Browse, tmp_path: Path) -> None:
    attributes = {
        "units": "K",
        "_FillValue": -9999.0,
        "history": "written by a program in one line",
    }
    zarr.create_array(tmp_path / "a.zarr", shape=3, dtype="f4", attributes=attributes)
    path = tmp_path / "a.zarr" / "zarr.json"
    path.write_text(json.dumps(json.loads(path.read_text())))
    browser = browse(tmp_path / "a.zarr")
    result = browser.ask("netcdf", path="/")
    (document,) = result["documents"]
    for text, told in (("_FillValue", "-9999.0"), (":units", '"K"')):
        (line,) = (one for one in result["cdl"] if text in one["text"])
        assert line["first_line"] == line["last_line"]
        assert told in document["text"].splitlines()[line["first_line"] - 1]
    # as stored it is what is stored
    (stored,) = browser.ask("document", path="/")["documents"]
    assert stored["text"] == path.read_text()


def test_pages_of_findings_add_up_and_only_what_is_on_one_is_made(
    browse: Browse, broken_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = browse(broken_store)
    whole = browser.ask("findings", path="/", limit=1000)
    made: list[str] = []
    make = FindingReader._finding

    def counted(self: FindingReader, *placed: Any) -> Any:
        made.append(placed[1])
        return make(self, *placed)

    monkeypatch.setattr(FindingReader, "_finding", counted)
    page = browser.ask("findings", path="/", offset=5, limit=7)
    assert len(made) == 7
    assert page["findings"] == whole["findings"][5:12]
    assert page["total"] == whole["total"] == sum(group["count"] for group in page["groups"])
    gravest = [one["impact"] for one in whole["findings"]]
    assert [group["key"] for group in whole["groups"]] == list(dict.fromkeys(gravest))
    by_rule = browser.ask("findings", path="/", order="rule", limit=1000)
    rules = [one["rule"] for one in by_rule["findings"]]
    assert [group["key"] for group in by_rule["groups"]] == list(dict.fromkeys(rules))
    assert set(by_rule["rules"]) == set(rules)
    by_node = browser.ask("findings", path="/", order="node", limit=1000)
    assert not by_node["groups"]
    assert by_node["findings"][0]["path"] == "/"

    causes = by_node["symptoms"][0]
    assert causes["key"] == "xarray-cannot-open"
    assert 0 < causes["count"] < whole["total"]
    told = [one["count"] for one in by_node["symptoms"]]
    assert told.index(0) > max(at for at, count in enumerate(told) if count)
    for order, before in (("impact", whole), ("rule", by_rule), ("node", by_node)):
        chosen = browser.ask(
            "findings", path="/", order=order, symptom="xarray-cannot-open", limit=1000
        )
        first = chosen["causes"]
        assert first == causes["count"]
        assert chosen["total"] == whole["total"]
        for part in (chosen["findings"][:first], chosen["findings"][first:]):
            kept = [one for one in before["findings"] if one in part]
            assert kept == part
        other = [group["count"] for group in chosen["groups"] if group["key"] == "other"]
        assert other == ([] if order == "node" else [whole["total"] - first])
    assert whole["causes"] is None


@pytest.mark.parametrize("method", ["node", "findings", "document", "netcdf"])
def test_every_node_of_a_broken_store_has_every_panel(
    browse: Browse, broken_store: Path, method: str
) -> None:
    browser = browse(broken_store)
    paths = ["/"]
    for path in paths:
        paths += [row["path"] for row in browser.ask("children", path=path)["rows"]]
        browser.ask(method, path=path)
    assert len(paths) > 40


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("children", {"path": "/no/such"}, "not_found"),
        ("children", {"path": "/", "offset": -1}, "bad_request"),
        ("children", {"path": 5}, "bad_request"),
        ("children", {}, "bad_request"),
        ("picture", {"path": "/"}, "bad_request"),
        ("walk", {"action": "dance"}, "bad_request"),
        ("node", {"path": "/", "code": "import os"}, "bad_request"),
    ],
)
def test_wrong_requests_are_refused_in_words(
    browse: Browse, sample_store: Path, method: str, params: dict[str, object], code: str
) -> None:
    error = browse(sample_store, walk=False).refused(method, **params)
    assert error["code"] == code
    assert error["message"]


def test_a_message_that_is_no_request_is_refused_by_its_number(
    browse: Browse, sample_store: Path
) -> None:
    browser = browse(sample_store, walk=False)
    browser.session.receive({"kind": "request", "id": 7, "method": "eval"})
    message, _ = browser.answer()
    assert (message["id"], message["error"]["code"]) == (7, "bad_request")
    browser.session.receive("nonsense")
    browser.session.receive(None)
    assert browser.ask("open")


def test_a_cancelled_request_is_answered_as_cancelled(browse: Browse, sample_store: Path) -> None:
    browser = browse(sample_store, walk=False)
    blocked = threading.Event()
    for _ in range(4):  # all workers
        browser.session.conversation.pool.submit(blocked.wait, 10)
    number = browser.send("node", path="/")
    browser.session.receive({"kind": "cancel", "id": number})
    blocked.set()
    message, _ = browser.answer()
    assert (message["id"], message["error"]["code"]) == (number, "cancelled")


def test_requests_that_got_lost_are_told_from_those_that_are_worked_on(
    browse: Browse, sample_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = browse(sample_store)
    begun, go_on = threading.Event(), threading.Event()

    def slow(*_: object) -> NoReturn:
        begun.set()
        assert go_on.wait(30)
        raise BadRequest("slow")

    monkeypatch.setitem(ANSWERS, "node", slow)
    busy = [browser.send("node", path="/") for _ in range(2 * WORKERS)]  # some of them wait
    assert begun.wait(30)
    done = 10**6
    assert browser.ask("lost", ids=[*busy, done])["ids"] == [done]
    go_on.set()
    for _ in busy:
        browser.answer()


def test_a_broken_node_can_be_read_again(browse: Browse, sample_copy: Path) -> None:
    root = sample_copy / "zarr.json"
    document = json.loads(root.read_text())
    del document["consolidated_metadata"]
    root.write_text(json.dumps(document))
    target = sample_copy / "ocean" / "depth" / "zarr.json"
    good = target.read_text()
    target.write_text(good[:50])
    browser = browse(sample_copy)
    assert browser.ask("rows", paths=["/ocean/depth"])["rows"][0]["state"] == "malformed"
    target.write_text(good)
    row = browser.ask("retry", path="/ocean/depth")["row"]
    assert row["state"] == "ok"
    assert browser.session.wait(30)
    assert not [
        f
        for f in browser.ask("findings", path="/ocean/depth")["findings"]
        if f["rule"].startswith("JSON")
    ]


def test_the_walk_can_be_stopped_and_resumed(browse: Browse, sample_store: Path) -> None:
    browser = browse(sample_store, walk=False)
    browser.session.start()
    stopped = browser.ask("walk", action="cancel")["progress"]["phase"]
    assert stopped in ("cancelled", "done")
    browser.ask("walk", action="resume")
    assert browser.session.wait(30)
    assert browser.ask("open")["progress"]["phase"] == "done"


def test_a_closed_session_says_nothing_more(browse: Browse, sample_store: Path) -> None:
    browser = browse(sample_store)
    browser.session.close()
    browser.session.receive({"kind": "request", "id": 1, "method": "open"})
    assert browser.arrived.empty()


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    method=st.sampled_from(sorted(protocol.PARAMS)),
    params=st.dictionaries(
        st.sampled_from(
            ["path", "offset", "limit", "query", "index", "width", "below", "paths", "action"]
        ),
        st.none()
        | st.integers(-5, 5)
        | st.text(max_size=5)
        | st.lists(st.text(max_size=3), max_size=2)
        | st.sampled_from(["/", "/ocean", "/forecast/temperature"]),
        max_size=4,
    ),
)
def test_whatever_is_asked_gets_one_answer_and_no_internal_error(
    fuzzed: Browser, method: str, params: dict[str, object]
) -> None:
    fuzzed.send(method, **params)
    message, _ = fuzzed.answer()
    assert message["ok"] or message["error"]["code"] != "internal"


@pytest.fixture(scope="module")
def fuzzed(sample_store: Path):
    browser = Browser(sample_store)
    yield browser
    browser.session.close()


def test_a_pointer_is_found_in_the_text(browse: Browse, sample_store: Path) -> None:
    path = "/ocean/sea_surface_temperature"
    result = browse(sample_store).ask("document", path=path, pointer="/attributes/_FillValue")
    for document in result["documents"]:
        line = document["text"].splitlines()[document["place"]["first_line"] - 1]
        assert "_FillValue" in line
