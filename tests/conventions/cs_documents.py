"""Documents that stores of the tests of cs and ref are made of."""

from __future__ import annotations

from typing import Any

CS = {"uuid": "e4dbf0b7-7a00-4ce6-b23e-484292014ab4", "name": "cs"}
REF = {"uuid": "d89b30cf-ed8c-43d5-9a16-b492f0cd8786", "name": "ref"}
ARRAY: dict[str, Any] = {
    "zarr_format": 3,
    "node_type": "array",
    "shape": [3],
    "data_type": "float64",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3]}},
    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
    "fill_value": 0,
    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
    "dimension_names": ["time"],
}
