"""Registered conventions that zarr-cm does not know: what identifies them, and what their properties must be.

The schemas say in JSON Schema what the texts of the conventions require, in the version that each entry names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TEXT = {"type": "string"}
_LENGTH = {"type": "number", "exclusiveMinimum": 0}


def _entry(repository: str, tag: str, uuid: str, name: str, description: str) -> dict[str, str]:
    return {
        "schema_url": f"https://raw.githubusercontent.com/{repository}/refs/tags/{tag}/schema.json",
        "spec_url": f"https://github.com/{repository}/blob/{tag}/README.md",
        "uuid": uuid,
        "name": name,
        "description": description,
    }


CF: dict[str, str] = {
    "schema_url": "https://raw.githubusercontent.com/zarr-conventions/CF/refs/tags/v1/schema.json",
    "spec_url": "https://cfconventions.org/Data/cf-conventions/cf-conventions-1.11/cf-conventions.html",
    "uuid": "77c308c7-4db2-4774-8b2d-aa37e9997db6",
    "name": "CF",
    "description": "Climate and Forecast conventions for self-describing geospatial data",
}
DGGS = _entry(
    "zarr-conventions/dggs",
    "v1",
    "7b255807-140c-42ca-97f6-7a1cfecdbc38",
    "dggs",
    "Discrete Global Grid Systems convention for zarr",
)
THUMBNAILS = _entry(
    "zarr-conventions/thumbnails",
    "v2",
    "38a1d2ca-5f40-4ee2-b4d5-5e87bfeb7549",
    "thumbnails",
    "Metadata for thumbnails representing Zarr data",
)
THUMBNAILS_1 = "49326c01-1180-4743-b15f-f7157038a6ab"
"""The uuid of the first version, whose properties are others."""
GEOEMB = _entry(
    "geo-embeddings/embeddings-zarr-convention",
    "v1",
    "61c12cc5-0e28-4056-999a-480cf3fb7e4c",
    "geoemb:",
    "Geoembeddings convention for geospatial embedding arrays with model provenance",
)

SCHEMAS: Mapping[str, Mapping[str, Any]] = {
    "dggs": {
        "type": "object",
        "required": ["name", "refinement_level", "spatial_dimension"],
        "properties": {
            "name": {"type": "string", "pattern": "^[^A-Z]*$"},
            "refinement_level": {"type": ["integer", "null"], "minimum": 0},
            "spatial_dimension": _TEXT,
            "coordinate": _TEXT,
            "compression": {"enum": ["none", "compacted", "ranges"]},
            "indexing_scheme": _TEXT,
            "ellipsoid": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": _TEXT,
                    "radius": _LENGTH,
                    "semi_major_axis": _LENGTH,
                    "semi_minor_axis": _LENGTH,
                    "inverse_flattening": _LENGTH,
                },
                "oneOf": [
                    {"required": ["radius"]},
                    {"required": ["semi_major_axis", "semi_minor_axis"]},
                    {"required": ["semi_major_axis", "inverse_flattening"]},
                ],
            },
        },
        "dependentRequired": {"compression": ["coordinate"]},
        "if": {"properties": {"name": {"const": "healpix"}}},
        "then": {"required": ["indexing_scheme"]},
    },
    "thumbnails": {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["width", "height", "media_type", "uri"],
            "properties": {
                "width": {"type": "integer", "minimum": 1},
                "height": {"type": "integer", "minimum": 1},
                "media_type": {"type": "string", "pattern": "^[^/ ]+/[^/ ]+$"},
                "uri": {
                    "type": "string",
                    "pattern": "^(https:|data:|(?![A-Za-z][A-Za-z0-9+.-]*:))",
                },
                "description": _TEXT,
                "attributes": {"type": "object"},
            },
        },
    },
}
"""By the attribute that each describes."""
