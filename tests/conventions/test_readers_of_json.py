"""What is said of the readers of a document that is not JSON to all of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import nz_explorer as nz
from tests.corpus.cases import BASES


@pytest.mark.parametrize(
    ("key", "refused"),
    [("a/.zarray", True), ("a/.zattrs", False), (".zattrs", False), (".zmetadata", False)],
)
def test_tensorstore_refuses_bare_tokens_only_where_it_reads(
    key: str, refused: bool, tmp_path: Path
) -> None:
    """TensorStore 0.1.86 opens an array of Zarr v2 by its .zarray, and looks at no other document."""
    base = BASES["v2 consolidated" if key == ".zmetadata" else "v2"]  # which hides other documents
    for name, content in base.items():
        document = dict(content["json"])
        if name == key:
            document["fill_value" if refused else "missing_value"] = float("nan")
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(document), "utf-8")
    (finding,) = nz.check(tmp_path, select=["JSON-003"], progress=False).findings
    assert ("tensorstore" in finding.readers) is refused
    assert finding.readers.keys() >= {"zarr-python", "browsers", "GDAL"}
