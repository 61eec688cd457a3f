"""Search: words of the path, and what nodes have, are and break."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.widget.conftest import Browse, Browser


@pytest.fixture
def find(browse: Browse, broken_store: Path) -> Callable[[str], list[str]]:
    """Return what a query finds in the broken store."""
    browser = browse(broken_store)

    def find(query: str) -> list[str]:
        result = browser.ask("search", query=query, limit=1000)
        assert result["total"] == len(result["rows"])
        return [row["path"] for row in result["rows"]]

    find.browser = browser  # type: ignore[attr-defined]
    return find


Find = Callable[[str], list[str]]


def test_a_path_is_found_first_by_itself(find: Find) -> None:
    assert find("/forecast")[0] == "/forecast"
    assert "/forecast/lat" in find("/forecast")
    assert find("FORE lat") == find("fore LAT") != []


def test_dimensions_are_found_by_name_and_pattern(find: Find) -> None:
    by_name = find("dim:time")
    assert "/forecast/temperature" in by_name
    assert "/forecast/lat" not in by_name
    assert "/forecast/lat" in find("dim:la*")
    assert find("dim:tim") == []


def test_attributes_are_found_by_name_and_by_value(find: Find) -> None:
    with_units = find("attr:units")
    kelvin = find("attr:units=K")
    assert "/forecast/temperature" in kelvin
    assert set(kelvin) < set(with_units)
    assert set(kelvin) <= set(find("attr:=K"))
    assert set(find('attr:units="days since*"')) < set(with_units)
    assert find("attr:units=nowhere-to-be-found") == []
    # without syntax too: where a letter is a whole value, and paths with the words come first
    assert set(kelvin) <= set(find("k"))
    assert "/ocean/time" in find("days since")
    with_word = ["lat" in path for path in find("lat")]
    assert with_word == sorted(with_word, reverse=True)
    assert not all("degrees" in path for path in find("degrees_north"))
    assert find("nowhere-to-be-found") == []


def test_rules_and_severities_are_those_of_the_findings(find: Find) -> None:
    browser: Browser = find.browser  # type: ignore[attr-defined]
    findings = browser.ask("findings", path="/", limit=1000)["findings"]
    assert find("rule:NZ-DIM-010") == sorted(
        {one["path"] for one in findings if one["rule"] == "NZ-DIM-010"}
    )
    assert set(find("is:error")) == {
        one["path"] for one in findings if one["severity"] == "error"
    } & set(find(""))
    assert len(find("is:error")) > 5
    marked = {
        one["path"] for one in findings if one["impact"] in ("blocks", "values", "convention")
    }
    assert set(find("is:finding")) == marked & set(find(""))
    values = {one["path"] for one in findings if one["impact"] == "values"}
    assert set(find("is:values")) == values & set(find("")) != set()


def test_roles_kinds_and_states(find: Find) -> None:
    coordinates = find("is:coordinate")
    assert "/ocean/depth" in coordinates
    assert "/forecast/temperature" not in coordinates
    assert set(find("is:group")).isdisjoint(find("is:array"))
    assert find("is:broken") != []
    assert set(find("is:coordinate ocean")) == {p for p in coordinates if "ocean" in p}


def test_bookmarks_are_found(find: Find) -> None:
    browser: Browser = find.browser  # type: ignore[attr-defined]
    assert find("is:bookmark") == []
    browser.session.bookmarks = ["/ocean/depth", "/gone"]
    assert find("is:bookmark") == ["/ocean/depth"]


def test_names_may_have_colons_and_quotes(find: Find) -> None:
    assert find("wrf:height") == []
    assert find("it's") == []


def test_what_nodes_cannot_be_is_refused(find: Find) -> None:
    browser: Browser = find.browser  # type: ignore[attr-defined]
    error = browser.refused("search", query="is:purple")
    assert error["code"] == "bad_request"
    assert "coordinate" in error["message"]
