"""Broken documents are taken by the same rules as by netCDF-C, which is asked itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nz_explorer.model.dialects.netcdf_json import is_object

TAKEN = (
    b'{"a": "b",}',
    b'{a: b, "c": [x, 1,]}',
    b'{"a": 01, "b": +1, "c": .5, "d": None}',
    b'\xef\xbb\xbf{"a": "b"}',
    b'{"a": "caf\xe9"}',
    b'{"a": "x\ny"}',
    b'{"a":}',
    b'{"a": "b"}\x00',
)
REFUSED = (
    b"",
    b" \n",
    b'{"a": "b"',
    b'{"a": "b',
    b"{'a': 'b'}",
    b'{"a": "b" /* c */}',
    b'{"a": "b" "c": "d"}',
    b'{"a" "b"}',
    b'{"a": ["b"}',
    b'{"a": "b"} x',
    b'{"a": "b"}{"a": "b"}',
    b'{"a": "b"}}',
    b'{,"a": "b"}',
    b'{"a": [,]}',
    b'{null: "b"}',
    '{"a": "b"}'.encode("utf-16"),
    b'["a"]',
    b"word",
)
ASK = """
import sys
from pathlib import Path

import netCDF4

for folder in Path(sys.argv[1]).iterdir():
    try:
        netCDF4.Dataset(f"{folder.as_uri()}#mode=zarr,file").close()
    except OSError:
        continue
    print(folder.name)
"""


@pytest.mark.parametrize("text", TAKEN)
def test_netcdf_takes_more_than_json(text: bytes) -> None:
    assert is_object(text)


@pytest.mark.parametrize("text", REFUSED)
def test_netcdf_does_not_take_everything(text: bytes) -> None:
    assert not is_object(text)


def test_a_text_too_long_to_be_looked_at_is_not_taken() -> None:
    assert not is_object(b'{"a": "' + b"x" * 5_000_000 + b'",}')


def test_netcdf_itself_takes_the_same(tmp_path: Path) -> None:
    pytest.importorskip("netCDF4")
    for number, text in enumerate(TAKEN + REFUSED):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / ".zgroup").write_bytes(b'{"zarr_format": 2}')
        (folder / ".zattrs").write_bytes(text)
    # a process of its own, because netCDF-C may end it
    asked = subprocess.run(
        [sys.executable, "-c", ASK, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert set(asked.stdout.split()) == {str(number) for number in range(len(TAKEN))}
