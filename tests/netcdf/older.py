"""Turns what netCDF-C writes today into what its older versions wrote."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

MEMBERS = {"dimensions": "dims", "arrays": "vars", "dimension_references": "dimrefs"}
"""What the members were called up to netCDF-C 4.9.2."""


def put(file: Path, document: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document))


def renamed(part: dict[str, Any]) -> dict[str, Any]:
    return {MEMBERS.get(name, name): value for name, value in part.items()}


def parts(folder: Path) -> dict[str, Any]:
    """Take what netCDF-C noted out of a folder's attributes."""
    file = folder / ".zattrs"
    attributes = json.loads(file.read_text(), strict=False)
    names = ("superblock", "group", "array", "attr")
    found = {name: attributes.pop(f"_nczarr_{name}", None) for name in names}
    put(file, attributes)
    return {name: renamed(part) for name, part in found.items() if part is not None}


def nodes(store: Path) -> list[Path]:
    return [file.parent for name in (".zgroup", ".zarray") for file in store.rglob(name)]


def as_keys(source: Path, target: Path, *, upper: bool) -> None:
    """Write a store as netCDF-C 4.9 did: inside .zgroup and .zarray, types apart."""
    shutil.copytree(source, target)
    for folder in nodes(target):
        for name, part in parts(folder).items():
            main = folder / (".zgroup" if (folder / ".zgroup").exists() else ".zarray")
            file = folder / ".zattrs" if name == "attr" else main
            key = f"_nczarr_{name}"
            if upper and name == "attr":  # there were no strings yet, so these are left as they are
                key = "_nczarr_attr"
            elif upper:
                key = key.upper()
            put(file, {**json.loads(file.read_text()), key: part})


def as_objects(source: Path, target: Path) -> None:
    """Write a store as netCDF-C 4.8.0 did, had it known strings and unlimited dimensions."""
    shutil.copytree(source, target)
    for folder in nodes(target):
        for name, part in parts(folder).items():
            document = {"superblock": ".nczarr", "attr": ".nczattrs"}.get(name, f".ncz{name}")
            put(folder / document, part)
