"""Conventions of the Zarr conventions framework that are known here: zarr-cm's, NZ, CF, cs and ref.

Here zarr-cm is asked, which holds the identities of the conventions and checks their properties; what it does with a node
as it is stands in `read_by_zarr_cm`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import zarr_cm

from nz_explorer.conventions.zcf import registered
from nz_explorer.conventions.zcf.systems_as_text import not_a_system
from nz_explorer.documents.json_text import json_text
from nz_explorer.documents.json_types import JSON_TYPES
from nz_explorer.engine.schema_convention import MOST_CHARACTERS
from nz_explorer.engine.schema_errors import in_words

_MODULES: dict[str, Any] = {
    "proj": zarr_cm.proj,
    "spatial": zarr_cm.spatial,
    "multiscales": zarr_cm.multiscales,
    "license": zarr_cm.license_,
    "uom": zarr_cm.uom,
    "stac": zarr_cm.stac,
}


@dataclass(frozen=True, slots=True, eq=False)
class Convention:
    """A convention, by what identifies it.

    Attributes
    ----------
    name : str
        Its name, without a colon.
    uuid : str or None
        What identifies it first.
    urls : tuple of str
        Beginnings of the URLs of its schema and its text, of any version.
    entry : dict
        The object that declares it, as its authors write it.
    keys : frozenset of str
        Attributes that it defines.
    """

    name: str
    uuid: str | None
    urls: tuple[str, ...]
    entry: Mapping[str, Any]
    keys: frozenset[str] = frozenset()


NZ_ENTRY = {
    "schema_url": "https://raw.githubusercontent.com/zarr-conventions/nz/refs/tags/v1/schema.json",
    "spec_url": "https://github.com/zarr-conventions/nz/blob/v1/README.md",
    "uuid": "d0a980b5-c644-4dcc-85a1-283799a58f40",
    "name": "NZ-1.0",
    "description": "Structural interoperability layer for scientific array conventions on Zarr v3",
}
"""The entry that the convention prescribes for itself (NZ-1.0, Convention Registration)."""


def letters(name: str) -> str:
    """Return what is left of a name without capitals and what stands between its words.

    Parameters
    ----------
    name : str
        Of an attribute or a member.

    Returns
    -------
    str
        The same for names that are written alike.
    """
    return re.sub(r"[\s_:.-]", "", name).lower()


def repository(url: str) -> str:
    """Return ``owner/name`` of a URL at GitHub, in lower case; the URL itself elsewhere.

    Parameters
    ----------
    url : str
        That of a schema or a text.
    """
    for host in ("https://raw.githubusercontent.com/", "https://github.com/"):
        if url.lower().startswith(host):
            return "/".join(url[len(host) :].split("/")[:2]).lower()
    return url


_FORMER = {
    "proj": ("zarr-conventions/geo-proj", "zarr-experimental/geo-proj"),
    "multiscales": ("zarr-experimental/multiscales",),
}
"""Where the text and the schema of a convention were before, which entries name as well."""


def _of_module(name: str, module: Any) -> Convention:
    entry = dict(module.CMO)
    urls = tuple({repository(entry["schema_url"]), repository(entry["spec_url"])})
    urls += _FORMER.get(name, ())
    return Convention(name, entry["uuid"], urls, entry, frozenset(module.CONVENTION_KEYS))


def _of_r_cf(name: str, uuid: str, description: str) -> Convention:
    base = f"https://raw.githubusercontent.com/R-CF/zarr_convention_{name}/main"
    entry = {
        "schema_url": f"{base}/schema.json",
        "spec_url": f"{base}/README.md",
        "uuid": uuid,
        "name": name,
        "description": description,
    }
    urls = (f"r-cf/zarr_convention_{name}", f"r-cf/zarr_conventions_{name}")
    return Convention(name, uuid, urls, entry)


def _registered(one: registered.Registered) -> Convention:
    entry = one.entry if "spec_url" in one.entry else {}
    urls = (repository(entry["spec_url"]),) if entry else ()
    return Convention(one.name, one.entry["uuid"], urls, entry, frozenset(one.schemas))


_CF, *_OTHERS = registered.CONVENTIONS
KNOWN: tuple[Convention, ...] = (
    Convention(
        "NZ-1.0", NZ_ENTRY["uuid"], ("zarr-conventions/nz", "zarr-conventions/nzug"), NZ_ENTRY
    ),
    *(_of_module(name, module) for name, module in _MODULES.items()),
    Convention("CF", _CF.entry["uuid"], ("zarr-conventions/cf",), _CF.entry),
    _of_r_cf(
        "cs", "e4dbf0b7-7a00-4ce6-b23e-484292014ab4", "Coordinate set convention for Zarr arrays"
    ),
    *map(_registered, _OTHERS),
    _of_r_cf("ref", "d89b30cf-ed8c-43d5-9a16-b492f0cd8786", "External Reference Convention"),
)
NZ = KNOWN[0]
CF, CS, REF, PROJ, SPATIAL, UOM, MULTISCALES, GEOLOCATION = (
    next(known for known in KNOWN if known.name == name)
    for name in ("CF", "cs", "ref", "proj", "spatial", "uom", "multiscales", "geolocation")
)
FRAMEWORK: frozenset[str] = frozenset().union(*(known.keys for known in KNOWN))
"""Names of all attributes that conventions of the framework define."""

_OBJECTS: dict[str, frozenset[str]] = {
    "multiscales": frozenset({"layout"}),
    "license": frozenset({"spdx", "url", "text", "file", "path"}),
    "uom": frozenset({"ucum"}),
    "dggs": frozenset({"name", "refinement_level"}),
    "thumbnails": frozenset({"uri", "media_type"}),
    "geolocation": frozenset({"geodetic", "planar"}),
}
"""Attributes whose names others use as well; they are the convention's if they have one of these members."""


MOST_LEVELS = 64
"""So many levels of a pyramid are looked at; no map has more zooms."""
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s]+")


def identifier(entry: Mapping[str, Any]) -> str | None:
    """Return what identifies the convention of an entry of ``zarr_conventions``, None where nothing does.

    The uuid goes before the schema's URL, and that before the text's; what is malformed is passed over, unless
    nothing else is there. The name identifies nothing.
    """
    uuid, *urls = (entry.get(member) for member in ("uuid", "schema_url", "spec_url"))
    if isinstance(uuid, str) and UUID.fullmatch(uuid.lower()):
        return uuid.lower()
    texts = [one for one in urls if isinstance(one, str)]
    found = next((one for one in texts if URL.fullmatch(one)), None)
    return found or next((one for one in (uuid, *texts) if isinstance(one, str)), None)


def identify(entry: Mapping[str, Any]) -> Convention | None:
    """Return the convention that an entry of ``zarr_conventions`` declares, None if it is not known."""
    given = identifier(entry)
    if given is None:
        return None
    found = next((known for known in KNOWN if known.uuid == given), None)
    return found or next((known for known in KNOWN if repository(given) in known.urls), None)


def is_another(known: Convention, other: Convention) -> bool:
    """Whether an address of one convention is wrong in an entry for another; two versions of one share theirs.

    Parameters
    ----------
    known : Convention
        That of the entry.
    other : Convention
        That of the address.
    """
    return NZ not in (known, other) and are_two(known, other)  # of NZ's own NZ-REG-002 tells


def mentioned(entry: Mapping[str, Any]) -> list[Convention]:
    """Return the conventions that are known and that the members of an entry lead to, one by one."""
    alone = (identify({member: entry.get(member)}) for member in ("uuid", "schema_url", "spec_url"))
    return [known for known in alone if known is not None]


def are_two(one: Convention, other: Convention) -> bool:
    """Whether conventions are two, and not versions of one, which share an address.

    Parameters
    ----------
    one, other : Convention
        Conventions that are known.
    """
    return one is not other and {*one.urls}.isdisjoint(other.urls)


def at_odds(entry: Mapping[str, Any]) -> bool:
    """Whether members of an entry lead to two conventions.

    Parameters
    ----------
    entry : mapping
        Of ``zarr_conventions``.
    """
    found = mentioned(entry)
    return any(are_two(found[0], other) for other in found[1:])


def is_first_proj(entry: Mapping[str, Any]) -> bool:
    """Whether an entry declares the first version of proj:, by an address where its text was.

    Parameters
    ----------
    entry : mapping
        Of ``zarr_conventions``.
    """
    urls = (str(entry.get(url)) for url in ("schema_url", "spec_url"))
    return identify(entry) is PROJ and any("geo-proj" in url for url in urls)


def identity(entry: Mapping[str, Any]) -> str | None:
    """Return the name of the convention of an entry where it is known, else what identifies it, None where nothing does."""
    known = identify(entry)
    return identifier(entry) if known is None else known.name


def used(
    attributes: Mapping[str, Any], declared: Container[Convention | None] = ()
) -> dict[Convention, list[str]]:
    """Return the conventions whose attributes are there, and which ones they are.

    Parameters
    ----------
    attributes : mapping
        All attributes of a node.
    declared : container of Convention
        Conventions that it declares: what has the name of an attribute of these is theirs, whatever it looks like.
    """
    found: dict[Convention, list[str]] = {}
    for name in attributes:
        if name not in FRAMEWORK:
            continue
        value = attributes[name]
        members = _OBJECTS.get(name)
        items = value if name == "thumbnails" and isinstance(value, list) else [value]
        known = next(known for known in KNOWN if name in known.keys)
        if (
            members is not None
            and known not in declared
            and not any(isinstance(one, Mapping) and members & one.keys() for one in items)
        ):
            continue
        found.setdefault(known, []).append(name)
    return found


def schema_errors(
    known: Convention, attributes: Mapping[str, Any]
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield where properties of a registered convention do not fit its schema, and why.

    Parameters
    ----------
    known : Convention
        One with a schema here; of any other nothing is yielded.
    attributes : mapping
        All attributes of the node.
    """
    for key in sorted(known.keys & registered.SCHEMAS.keys() & attributes.keys()):
        for error in _validator(key).iter_errors(attributes[key]):
            yield (key, *error.absolute_path), in_words(error)[:MOST_CHARACTERS]


@cache
def _validator(key: str) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(registered.SCHEMAS[key])


def property_error(known: Convention, attributes: Mapping[str, Any]) -> str | None:
    """Return what is wrong with the properties of a convention, None if nothing is.

    Parameters
    ----------
    known : Convention
        One of those known here.
    attributes : mapping
        All attributes of the node.
    """
    if known.name not in _MODULES:
        return next((message for _, message in schema_errors(known, attributes)), None)
    error = refusal(known, attributes)
    return not_a_system(attributes) if error is None and known is PROJ else error


def refusal(known: Convention, attributes: Mapping[str, Any]) -> str | None:
    """Return the error of zarr-cm for the properties of a convention, None if there is none, or it does not know that one.

    Parameters
    ----------
    known : Convention
        One of those known here.
    attributes : mapping
        All attributes of the node.
    """
    module = _MODULES.get(known.name)
    if module is None:
        return None
    own = {key: as_zarr_cm_takes(key, attributes[key]) for key in attributes if key in known.keys}
    # The entry itself has rules of its own; the latest revision is asked for, which takes most.
    own["zarr_conventions"] = [dict(known.entry)]
    try:
        _, found = module.extract(own)
        module.validate(found)
    except (ValueError, TypeError, KeyError) as error:
        return _in_words(str(error.args[0])) if error.args else type(error).__name__
    return None


def as_zarr_cm_takes(key: str, given: Any) -> Any:
    """Return the value of an attribute as zarr-cm takes it, where the text of its convention has another spelling as well.

    Parameters
    ----------
    key : str
        The name of the attribute.
    given
        Its value.
    """
    if key == "spatial:shape" and isinstance(given, list):  # 100.0 is an integer of JSON Schema
        return [_whole(length) for length in given]
    return _arbitrary(given) if key in UOM.keys else given


def _arbitrary(given: Any) -> Any:
    """Return an object of uom without a unit that is null, which by its text is the same as none."""
    ucum = given.get("ucum") if isinstance(given, Mapping) else None
    if not isinstance(ucum, Mapping) or ucum.get("unit", "") is not None:
        return given
    return {**given, "ucum": {key: value for key, value in ucum.items() if key != "unit"}}


def _whole(given: Any) -> Any:
    return int(given) if isinstance(given, float) and given.is_integer() else given


_RIGHT: dict[str, Any] = {
    "asset": "0", "derived_from": "0", "transform": {}, "scale": [], "translation": [], "resampling_method": "",
}  # fmt: skip
"""Values that are allowed, which take the places of wrong ones to find out what else is wrong."""


def property_errors(
    known: Convention, attributes: Mapping[str, Any]
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield where properties of a convention are wrong, and why: one error for each attribute, and for each member of a level.

    Parameters
    ----------
    known : Convention
        One of those known here.
    attributes : mapping
        All attributes of the node, or of a level.
    """
    if known.name not in _MODULES:
        yield from schema_errors(known, attributes)
        return
    own = {key: attributes[key] for key in attributes if key in known.keys}
    layout = own["multiscales"].get("layout") if known is MULTISCALES and _is_object(own) else None
    if isinstance(layout, list) and layout:
        for i, level in enumerate(layout[:MOST_LEVELS]):
            yield from _level_errors(level, i)
        own["multiscales"] = {**own["multiscales"], "layout": [_RIGHT]}
    while own and (error := property_error(known, own)) is not None:
        key = next((one for one in own if f"'{one}'" in error), next(iter(own)))
        yield (key, *place_of(error, own[key])), error
        del own[key]


def _is_object(own: Mapping[str, Any]) -> bool:
    return isinstance(own.get("multiscales"), dict)


def _level_errors(level: Any, number: int) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield what is wrong with a level: zarr-cm says one thing, so the next is looked for with that put right."""
    # nothing is copied further down than an error can be: a document may be nested deeper than Python calls functions
    whole: Any = {"layout": [dict(level) if isinstance(level, dict) else level]}
    while (error := property_error(MULTISCALES, {"multiscales": whole})) is not None:
        _, _, *members = place_of(error, whole) or ("layout", 0)
        message = error.replace("[0]", f"[{number}]", 1)
        if members == ["asset"] and isinstance(level, dict) and "asset" not in level:
            message = f"layout[{number}] has no asset, which is the path of the level"
            if "id" in level:
                message += "; id and path are how the GeoZarr draft had it, which was withdrawn"
        elif members in (["asset"], ["derived_from"]) and message.endswith(" path"):
            text = isinstance(given := level[members[0]], str)
            message = f"{message if text else message.replace(' a ', ' a string with a ')}, got {json_text(given)}"
        yield ("multiscales", "layout", number, *members), message
        holder = whole["layout"][0]
        for member in members[:-1]:
            holder[member] = dict(holder[member])
            holder = holder[member]
        if members == ["derived_from"] and holder["derived_from"] is None:
            del holder["derived_from"]  # derived from nothing, it needs no transform
            continue
        right = _RIGHT.get(str(members[-1])) if members else None
        if right is None or holder.get(members[-1]) == right:
            return
        holder[members[-1]] = right


_PLACE = re.compile(r"[a-z_]+(?:\[\d+\]|\.[a-z_]+)*(?=[. ])")
_STEP = re.compile(r"[a-z_]+|\d+")
_MISSING = re.compile(r"is missing '([a-z_]+)'")


def place_of(error: str, value: Any) -> tuple[str | int, ...]:
    """Return where in the value of an attribute an error of zarr-cm is; a missing member is where it should be.

    Parameters
    ----------
    error : str
        Such as ``layout[0].asset must be a valid relative path``.
    value
        The value.
    """
    if not isinstance(value, dict):
        return ()
    found = _PLACE.match(error.replace("'", ""))
    place: list[str | int] = []
    for step in _STEP.findall(found[0]) if found else ():
        key = int(step) if step.isdigit() else step
        try:
            value = value[key]
        except LookupError:
            return (*place, key) if place or error.endswith("is required") else ()
        except TypeError:  # there is nothing to be in
            return tuple(place)
        place.append(key)
    return (*place, *_MISSING.findall(error))


_PATTERN = re.compile(r"must match (?P<pattern>'.*'), got (?P<given>.*)", re.DOTALL)
_ONE_OF = re.compile(r"must be one of (?P<names>\(.*\)), got (?P<given>.*)", re.DOTALL)
_TYPE = re.compile(rf"\bgot ({'|'.join(one.__name__ for one in JSON_TYPES)})$")
_JSON_NAMES = {one.__name__: name for one, name in JSON_TYPES.items()}


def _in_words(message: str) -> str:
    """Return a message of zarr-cm with words in place of regular expressions and types of Python."""
    found = _PATTERN.search(message)
    if found is not None:
        wanted = "an authority, a colon and a code"
        try:
            given = json_text(ast.literal_eval(found["given"]))  # as Python writes it
        except (ValueError, SyntaxError):
            given = found["given"]
        return f"{message[: found.start()]}must be {wanted}, such as EPSG:4326, got {given}"
    if (found := _ONE_OF.search(message)) is not None:
        try:
            names, value = ast.literal_eval(found["names"]), ast.literal_eval(found["given"])
        except (ValueError, SyntaxError):
            return message
        wanted = " or ".join(map(json_text, names))
        return f"{message[: found.start()]}must be {wanted}, got {json_text(value)}"
    return _TYPE.sub(lambda match: f"got {_JSON_NAMES[match[1]]}", message)
