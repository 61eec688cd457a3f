"""ZCF: what zarr-cm does with a node: it raises an error for some of what is wrong, and lets the rest pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import zarr_cm

from nz_explorer.conventions.zcf import known_conventions

_RAISES = {"zarr-cm": "raises a ValueError or a TypeError"}
_OF_ZARR_CM = ("uuid", "schema_url")
"""Members of an entry by which zarr-cm finds a convention and its version; uuids it takes as they are written."""


def raised(given: Any) -> dict[str, str]:
    """Return what zarr-cm does with entries of ``zarr_conventions`` for which it raises an error, by its name.

    Parameters
    ----------
    given
        The entries.
    """
    try:
        versions = zarr_cm.detect_revisions({"zarr_conventions": given})
    except (ValueError, TypeError):
        return _RAISES
    except RecursionError:  # which depends on where it is called from
        return {}
    latest = zarr_cm.latest_revisions()
    unknown = [name for name in versions if versions[name] is None and name in latest]
    if unknown and any("schema_url" in entry for entry in given):
        return {"zarr-cm": "raises a ValueError, as it knows no version with this schema_url"}
    return {}


def is_refused(attributes: Mapping[str, Any]) -> bool:
    """Whether zarr-cm raises an error for properties of a node, by the entries that it finds and the versions that these name.

    For an entry itself it may raise one as well, which `raised` tells.

    Parameters
    ----------
    attributes : mapping
        All attributes of the node, with a list of entries.
    """
    seen = []
    for entry in attributes["zarr_conventions"]:
        if not isinstance(entry, Mapping):
            continue  # ZCF-DECL-002
        names = {name: entry[name] for name in _OF_ZARR_CM if isinstance(entry.get(name), str)}
        if raised([names]):
            names.pop("schema_url", None)
        if names:
            seen.append(names)
    own = {key: attributes[key] for key in attributes if key in known_conventions.FRAMEWORK}
    try:
        zarr_cm.validate_all({**own, "zarr_conventions": seen})
    except (ValueError, TypeError, KeyError):
        return True
    except RecursionError:
        return False
    return False
