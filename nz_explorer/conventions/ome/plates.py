"""OME: plates, their wells, and the images of wells (OME-NGFF 0.4 and 0.5, sections plate and well)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nz_explorer.conventions.ome.images import held
from nz_explorer.documents.json_text import json_text
from nz_explorer.engine.findings import Fail, FixMaker, Undecided
from nz_explorer.engine.fixes import Draft, add, remove
from nz_explorer.engine.registry import rule
from nz_explorer.model import Array, Group, Node
from nz_explorer.model.paths import below
from nz_explorer.text.phrases import listed, plural

MOST_WELLS = 10_000
MOST_LEFT_OUT = 100
"""Wells that a fix takes out of the list of a plate."""
_SHOWN = 5


def _has(group: Node, name: str) -> bool:
    attributes = group.attributes
    return (name in attributes or "ome" in attributes) and isinstance(
        held(group)[0].get(name), Mapping
    )


def _is_plate(group: Group) -> bool:
    return _has(group, "plate") and "wells" in held(group)[0]["plate"]


def _is_well(group: Group) -> bool:
    return _has(group, "well")


def _objects(given: Any) -> list[Mapping[str, Any]]:
    return [one for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []


@rule("OME-PLATE-001", on="group", needs=("attributes",), when=_is_plate)
def wells_are_described(group: Group) -> Iterator[Fail]:
    """Require names of rows and columns, each once, and wells that say where they are."""
    given, pointer = held(group)
    plate, pointer = given["plate"], f"{pointer}/plate"
    for part, member in enumerate(("rows", "columns")):
        names = [one.get("name") for one in _objects(plate.get(member))]
        if not names:
            yield Fail(
                f"{pointer}/{member}",
                f"the plate lists no {member}",
                fix=_named_by_wells(plate, pointer, part),
            )
        elif twice := [name for n, name in enumerate(names) if name in names[:n]]:
            yield Fail(
                f"{pointer}/{member}",
                f"{json_text(twice[0])} is listed twice in {member}",
                fix=_once_each(plate, pointer, part),
            )
    for n, well in enumerate(_objects(plate.get("wells"))[:MOST_WELLS]):
        lacking = [name for name in ("path", "rowIndex", "columnIndex") if name not in well]
        if lacking:
            yield Fail(
                f"{pointer}/wells/{n}",
                f"well {json_text(well.get('path'))} has no {listed(lacking)}",
                fix=_place(plate, n, f"{pointer}/wells/{n}", lacking),
            )
        elif wrong := _elsewhere(plate, well):
            yield Fail(
                f"{pointer}/wells/{n}",
                f"well {json_text(well['path'])} {wrong}: viewers show it in another place, or not at all",
                fix=_place(plate, n, f"{pointer}/wells/{n}", ["rowIndex", "columnIndex"]),
            )


def _elsewhere(plate: Mapping[str, Any], well: Mapping[str, Any]) -> str:
    """Return what of a well's path and of its indices do not lead to the same row and column."""
    names = [
        [one.get("name") for one in _objects(plate.get(member))] for member in ("rows", "columns")
    ]
    indices = [well["rowIndex"], well["columnIndex"]]
    if not isinstance(well["path"], str) or not all(names):
        return ""
    for index, known, member in zip(indices, names, ("rowIndex", "columnIndex"), strict=True):
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < len(known):
            return f"has the {member} {json_text(index)}, and there are {plural(len(known), member[:-5])}, counted from 0"
    there = "/".join(str(known[index]) for known, index in zip(names, indices, strict=True))
    return "" if well["path"] == there else f"has the indices of {json_text(there)}"


_PARTS = (("rows", "rowIndex"), ("columns", "columnIndex"))
"""What the two parts of a well's path are names of, and the index of each in the list of them."""


def _parts_of(plate: Mapping[str, Any]) -> list[tuple[str, str]] | None:
    """Return row and column of each well by its path; None where a path is not made of two names."""
    wells = plate.get("wells")
    if not isinstance(wells, list) or len(wells) > MOST_WELLS:
        return None
    paths = [well.get("path") if isinstance(well, Mapping) else None for well in wells]
    parts = [path.split("/") if isinstance(path, str) else [] for path in paths]
    return [(row, column) for row, column in parts] if all(map(_are_names, parts)) else None


def _are_names(parts: list[str]) -> bool:
    return len(parts) == 2 and all(part.isalnum() for part in parts)


def _named_by_wells(plate: Mapping[str, Any], pointer: str, part: int) -> FixMaker | None:
    """Return the fix that lists the names of which the paths of the wells are made, in the order of their indices."""
    member, index = _PARTS[part]
    named = _parts_of(plate)
    if not named:
        return None
    names = list(dict.fromkeys(one[part] for one in named))
    places = {one[part]: well.get(index) for one, well in zip(named, plate["wells"], strict=True)}
    if sorted(map(str, places.values())) == sorted(map(str, range(len(names)))):
        names.sort(key=lambda name: int(str(places[name])))
    else:
        names.sort(key=lambda name: (len(name), name))
    operations = [add(f"{pointer}/{member}", [{"name": name} for name in names])]
    operations += _indices(plate, pointer, part, names)
    note = f"the paths of the wells tell only the {member} that have wells: add the others"
    return lambda _node: Draft("suggest", tuple(operations), note)


def _once_each(plate: Mapping[str, Any], pointer: str, part: int) -> FixMaker | None:
    """Return the fix that lists each name once, and tells the wells behind them their new indices."""
    member, _ = _PARTS[part]
    given, named = plate.get(member), _parts_of(plate)
    if not isinstance(given, list) or named is None or len(_objects(given)) != len(given):
        return None
    names = [one.get("name") for one in given]
    left = list(dict.fromkeys(map(str, names)))
    if any(one[part] not in left for one in named):
        return None
    gone = [n for n, name in enumerate(names) if name in names[:n]]
    operations = [remove(f"{pointer}/{member}/{n}") for n in reversed(gone)]
    operations += _indices(plate, pointer, part, left)
    return lambda _node: Draft("suggest", tuple(operations))


def _indices(
    plate: Mapping[str, Any], pointer: str, part: int, names: list[str]
) -> list[dict[str, Any]]:
    """Return what gives wells the index that their path has in a list of names, where it is another."""
    _, index = _PARTS[part]
    return [
        add(f"{pointer}/wells/{n}/{index}", names.index(one[part]))
        for n, (one, well) in enumerate(zip(_parts_of(plate) or [], plate["wells"], strict=True))
        if well.get(index) != names.index(one[part])
    ]


def _place(
    plate: Mapping[str, Any], number: int, pointer: str, members: list[str]
) -> FixMaker | None:
    """Return the fix that tells row and column of a well by their names, which its path is made of."""
    well = _objects(plate.get("wells"))[number]
    names = [[one.get("name") for one in _objects(plate.get(member))] for member, _ in _PARTS]
    if "path" not in well:
        return _path_of(well, names, pointer)
    parts = str(well["path"]).strip("/").split("/")
    if len(parts) != 2 or any(part not in known for part, known in zip(parts, names, strict=True)):
        return None
    right = {
        member: known.index(part)
        for (_, member), part, known in zip(_PARTS, parts, names, strict=True)
        if member in members
    }
    operations = tuple(add(f"{pointer}/{member}", index) for member, index in right.items())
    return lambda _node: Draft("safe", operations)


def _path_of(well: Mapping[str, Any], names: list[list[Any]], pointer: str) -> FixMaker | None:
    """Return the fix that makes the path of a well of the names at its indices, as the format has it."""
    parts = []
    for (_, member), known in zip(_PARTS, names, strict=True):
        index = well.get(member)
        if type(index) is not int or not 0 <= index < len(known):
            return None
        parts.append(str(known[index]))
    return lambda _node: Draft("safe", (add(f"{pointer}/path", "/".join(parts)),))


def _row_of(group: Group) -> Group | None:
    """Return the plate that a group is a row of."""
    above = None if group.parent is None else group.hierarchy.node_if_loaded(group.parent)
    return above if isinstance(above, Group) and _is_plate(above) else None


@rule("OME-PLATE-002", on="members")
def wells_are_there(group: Group) -> Iterator[Fail | Undecided]:
    """Require a group for each row of a plate that has wells, and for each of its wells."""
    if _is_plate(group):
        yield from _missing(group, group, 0)
    elif (plate := _row_of(group)) is not None:
        yield from _missing(plate, group, 1)


def _missing(plate: Group, group: Group, depth: int) -> Iterator[Fail | Undecided]:
    given, pointer = held(plate)
    wanted: dict[str, int] = {}
    for n, well in enumerate(_objects(given["plate"]["wells"])[:MOST_WELLS]):
        parts = str(well.get("path", "")).strip("/").split("/")
        if len(parts) == 2 and (depth == 0 or parts[0] == group.name):
            wanted.setdefault(parts[depth], n)
    if group.children is None:
        yield Undecided("listing")
        return
    there = {child.name for child in group.children if not isinstance(child, Array)}
    lost = [name for name in wanted if name not in there]
    if lost:
        what = "row" if depth == 0 else "well"
        shown = listed(
            [json_text(name if depth == 0 else f"{group.name}/{name}") for name in lost[:_SHOWN]]
        )
        more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
        is_ = "is" if len(lost) == 1 else "are"
        yield Fail(
            f"{pointer}/plate/wells/{wanted[lost[0]]}/path",
            f"{plural(len(lost), what)} of the plate {is_} listed, and not there: {shown}{more}",
            path=plate.path,
            related=(group.path,),
            fix=_without(plate, f"{pointer}/plate/wells", depth, group.name, set(lost)),
        )


def _without(plate: Group, pointer: str, depth: int, row: str, lost: set[str]) -> FixMaker:
    """Return the fix that leaves wells out of the list of a plate."""
    gone = [
        n
        for n, well in enumerate(held(plate)[0]["plate"]["wells"])
        if isinstance(well, Mapping)
        and len(parts := str(well.get("path", "")).strip("/").split("/")) == 2
        and parts[depth] in lost
        and (depth == 0 or parts[0] == row)
    ]
    operations = tuple(remove(f"{pointer}/{n}") for n in reversed(gone[:MOST_LEFT_OUT]))
    note = "then the plate shows the others; or upload what is missing"
    if len(gone) > MOST_LEFT_OUT:
        operations, note = (), "upload what is missing, or leave these wells out of the list"
    return lambda _node: Draft("suggest", operations, note, node=plate)


@rule("OME-WELL-001", on="members", when=_is_well)
def images_are_there(group: Group) -> Iterator[Fail | Undecided]:
    """Require a group for each image of a well."""
    given, pointer = held(group)
    images = _objects(given["well"].get("images"))
    if not images:
        yield Fail(f"{pointer}/well/images", "the well lists no images")
    elif group.children is None:
        yield Undecided("listing")
    else:
        there = {child.name for child in group.children if not isinstance(child, Array)}
        for n, image in enumerate(images[:MOST_WELLS]):
            path = image.get("path")
            if not isinstance(path, str) or path.strip("/") not in there:
                what = (
                    "has no path" if path is None else f"{json_text(path)} is listed, and not there"
                )
                yield Fail(f"{pointer}/well/images/{n}/path", f"image {what}")


def _first_image(group: Node | None) -> str | None:
    """Return the path of the first image of a well, None where it is none."""
    if not isinstance(group, Group) or not _is_well(group):
        return None
    images = _objects(held(group)[0]["well"].get("images"))
    path = images[0].get("path") if images else None
    return path if isinstance(path, str) else None


@rule("OME-WELL-002", on="members", when=_is_well)
def images_are_named_alike(group: Group) -> Iterator[Fail]:
    """Note a well whose first image has another name than that of the first well of the plate."""
    above = group.path.rsplit("/", 2)
    plate = group.hierarchy.get(above[0] or "/") if len(above) == 3 else None
    if not isinstance(plate, Group) or not _is_plate(plate):
        return
    wells = _objects(held(plate)[0]["plate"]["wells"])
    first = wells[0].get("path") if wells else None
    if not isinstance(first, str) or ".." in first:
        return
    there = _first_image(plate.hierarchy.get(below(plate.path) + first.strip("/")))
    here = _first_image(group)
    if None not in (there, here) and there != here:
        yield Fail(
            f"{held(group)[1]}/well/images/0/path",
            f"the first image of the well is {json_text(here)}, and that of {first} {json_text(there)}: viewers look for the"
            " latter in all wells of the plate, and show no image here",
            fix=lambda _node: Draft(
                "suggest", note="call the first image of each well the same, such as 0"
            ),
        )
