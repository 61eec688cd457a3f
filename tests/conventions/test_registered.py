"""What is registered elsewhere is known here by its name; what has changed there is told to maintainers."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from nz_explorer.conventions.zarr3.registered_extensions import (
    CHUNK_GRIDS,
    CHUNK_KEYS,
    CODECS,
    PROPOSED_CHUNK_KEYS,
    UNREGISTERED_TYPES,
)
from nz_explorer.conventions.zcf import registered
from nz_explorer.model.data_type import REGISTERED, parse_v3
from nz_explorer.widget.panels.storage import WHAT_CODECS_DO
from tests import renew_conventions
from tests.network import Fault, Network, folder, serve
from tests.renew_conventions import EXTENSIONS, ORGANISATION, SEEN, look, main

EXTENSIONS_SEEN: dict[str, list[str]] = json.loads(SEEN.read_text("utf-8"))["extensions"]
CONFIGURED: dict[str, Any] = {
    "fixed_length_utf32": {"length_bytes": 8},
    "numpy.datetime64": {"unit": "s", "scale_factor": 1},
    "numpy.timedelta64": {"unit": "s", "scale_factor": 1},
    "struct": {"fields": [{"name": "a", "data_type": "int32"}]},
    "structured": {"fields": [["a", "int32"]]},
}


@pytest.mark.parametrize("name", EXTENSIONS_SEEN["data-types"])
def test_every_registered_data_type_is_known(name: str) -> None:
    given: Any = "r16" if name == "r" else name
    if name in CONFIGURED:
        given = {"name": name, "configuration": CONFIGURED[name]}
    found = parse_v3(given)
    assert found.status in ("core", "registered")
    assert found.itemsize is not None or found.kind in ("string", "bytes")


@pytest.mark.parametrize("name", EXTENSIONS_SEEN["codecs"])
def test_every_registered_codec_is_known_and_explained(name: str) -> None:
    assert name in CODECS
    assert name in WHAT_CODECS_DO


def test_every_registered_grid_and_key_encoding_is_known() -> None:
    assert {*EXTENSIONS_SEEN["chunk-grids"]} == CHUNK_GRIDS
    assert {*EXTENSIONS_SEEN["chunk-key-encodings"]} == CHUNK_KEYS


def test_what_is_only_written_or_proposed_is_not_taken_for_registered() -> None:
    seen = {*EXTENSIONS_SEEN["data-types"]}
    assert REGISTERED - seen == UNREGISTERED_TYPES
    assert not PROPOSED_CHUNK_KEYS & CHUNK_KEYS


def _answers(**changed: Any) -> Any:
    schemas = {
        one.entry["schema_url"]: one.name for one in registered.CONVENTIONS if len(one.entry) > 1
    }
    paths = [
        f"{point}/{name}/README.md" for point, names in EXTENSIONS_SEEN.items() for name in names
    ]

    def fetch(url: str) -> bytes | None:
        if url == EXTENSIONS:
            found = [*paths, *changed.get("paths", [])]
            return json.dumps({"tree": [{"path": path} for path in found]}).encode()
        if url == ORGANISATION:
            return str(changed.get("list", "")).encode()
        given = changed.get(schemas[url])
        return None if given is None else json.dumps(given).encode()

    return fetch


def test_what_has_changed_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Any) -> None:
    assert main([], _answers(geolocation={}, dggs={})) == 1
    assert "dggs: - " in capsys.readouterr().out
    fetch = _answers(
        coords={"type": "object", "title": "texts are no rules", "required": ["a"]},
        list="* 00000000-1111-2222-3333-444444444444 and 7b255807-140c-42ca-97f6-7a1cfecdbc38",
        paths=["codecs/new_one/README.md", "codecs/README.md"],
    )
    seen = json.loads(SEEN.read_text("utf-8"))
    seen["schemas"] = {"coords": ['/required = ["b"]', '/type = "object"']}
    seen["extensions"]["data-types"].append("old_one")
    now, said = look(fetch, seen)
    assert said == [
        'coords: + /required = ["a"]',
        'coords: - /required = ["b"]',
        "the organisation lists 00000000-1111-2222-3333-444444444444, which is not known here",
        "data-types: old_one is gone",
        "codecs: new_one is new",
    ]
    assert (
        look(
            _answers(
                coords={"type": "object", "required": ["a"]}, paths=["codecs/new_one/README.md"]
            ),
            now,
        )[1]
        == []
    )


def _fault(fault: Fault, path: str) -> Fault | None:
    return fault if "zarr-extensions" in path else None


def test_a_server_is_asked_for_real(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def put(url: str, content: str) -> None:
        file = tmp_path / "server" / url.split("/", 3)[3].partition("?")[0]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)

    answers = _answers(dggs={"type": "object", "required": ["dggs"]})
    put(ORGANISATION, "* 00000000-1111-2222-3333-444444444444")
    put(EXTENSIONS, answers(EXTENSIONS).decode())
    (url,) = (one.entry["schema_url"] for one in registered.CONVENTIONS if one.name == "dggs")
    put(url, answers(url).decode())
    kept = tmp_path / "seen.json"
    kept.write_bytes(SEEN.read_bytes())
    monkeypatch.setattr(renew_conventions, "SEEN", kept)
    network = Network(folder(tmp_path / "server"))
    with serve(network) as server:
        assert main(["--server", server, "--write"]) == 1
        told = capsys.readouterr().out
        assert "the organisation lists 00000000-1111-2222-3333-444444444444" in told
        assert 'dggs: + /required = ["dggs"]' in told
        assert json.loads(kept.read_text())["schemas"]["dggs"] == [
            '/required = ["dggs"]',
            '/type = "object"',
        ]
        # the other schemas are not there, which is no failure of the server; this is one
        written = kept.read_bytes()
        for fault, said in (
            (503, "503"),
            ("reset", EXTENSIONS[-20:]),
            ("truncate", "IncompleteRead"),
        ):
            network.fault = partial(_fault, fault)
            assert main(["--server", server, "--write"]) == 2
            assert said in capsys.readouterr().err
    assert main(["--server", server]) == 2
    assert "refused" in capsys.readouterr().err
    assert kept.read_bytes() == written


def test_what_was_seen_is_renewed(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    kept = tmp_path / "seen.json"
    kept.write_bytes(SEEN.read_bytes())
    monkeypatch.setattr(renew_conventions, "SEEN", kept)
    fetch = _answers(paths=["codecs/new_one/README.md"])
    assert main(["--write"], fetch) == 1
    assert "new_one" in json.loads(kept.read_text("utf-8"))["extensions"]["codecs"]
    # a schema that cannot be had is told, and what was seen of it stays
    assert json.loads(kept.read_text("utf-8"))["schemas"]["dggs"]
