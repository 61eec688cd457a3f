"""What is registered by now, compared with what is pinned here: run by maintainers (``make conventions``), never by the package.

It looks at the JSON Schema of each convention in ``registered.json``, at the list of the zarr-conventions organisation, and at the
names in zarr-extensions; ``--server URL`` asks a mirror of GitHub's servers. What was seen last is in
``tests/data/registered.json``, which ``--write`` renews; what differs is for a person to take up: in ``nz_explorer/conventions/zcf/registered.json``, in ``registered_extensions.py`` or ``data_type.py``.
"""

from __future__ import annotations

import http.client
import json
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from nz_explorer.conventions.zcf import registered
from nz_explorer.conventions.zcf.known_conventions import KNOWN

SEEN = Path(__file__).parent / "data" / "registered.json"
RAW, API = "https://raw.githubusercontent.com", "https://api.github.com"
ORGANISATION = f"{RAW}/zarr-conventions/.github/HEAD/profile/README.md"
EXTENSIONS = f"{API}/repos/zarr-developers/zarr-extensions/git/trees/HEAD?recursive=1"
POINTS = ("data-types", "codecs", "chunk-grids", "chunk-key-encodings")
SECONDS = 30
NOT_RULES = ("$schema", "$id", "title", "description", "examples")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

Fetch = Callable[[str], bytes | None]


class Unreachable(Exception):
    """A server that does not answer, or not with what was asked for."""


def fetched(url: str) -> bytes | None:
    """Return what is at a URL, None where there is nothing."""
    try:
        with urllib.request.urlopen(url, timeout=SECONDS) as answer:
            found: bytes = answer.read()
            return found
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return None
        raise Unreachable(f"{url}: {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(f"{url}: {error}") from error


def mirrored(server: str) -> Fetch:
    """Return what asks a server in the place of GitHub's two, with the same paths."""
    return lambda url: fetched(url.replace(RAW, server).replace(API, server))


def outline(schema: Any, at: str = "") -> Iterator[str]:
    """Yield each rule of a JSON Schema in a line, without its texts."""
    if isinstance(schema, dict):
        for name in sorted(schema):
            if name not in NOT_RULES or at.endswith("/properties"):
                yield from outline(schema[name], f"{at}/{name}")
    elif isinstance(schema, list) and any(isinstance(one, dict) for one in schema):
        for number, one in enumerate(schema):
            yield from outline(one, f"{at}/{number}")
    else:
        yield f"{at} = {json.dumps(schema)}"


def look(fetch: Fetch, seen: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return what there is by now, and how it differs from what was seen last, in lines."""
    now: dict[str, Any] = {"schemas": {}, "extensions": {}}
    said: list[str] = []
    for one in registered.CONVENTIONS:
        url = one.entry.get("schema_url")
        if url is None:
            continue
        data = fetch(url)
        before = seen["schemas"].get(one.name)
        lines = None if data is None else [*outline(json.loads(data))]
        now["schemas"][one.name] = before if lines is None else lines
        said += _compared(one.name, before, lines, url)
    listed = (fetch(ORGANISATION) or b"").decode()
    known = {one.uuid for one in KNOWN}
    said += [
        f"the organisation lists {uuid}, which is not known here"
        for uuid in dict.fromkeys(_UUID.findall(listed.lower()))
        if uuid not in known
    ]
    tree = json.loads(fetch(EXTENSIONS) or b'{"tree": []}')
    paths = [one["path"].split("/") for one in tree["tree"]]
    for point in POINTS:
        names = sorted({path[1] for path in paths if path[0] == point and len(path) > 2})
        now["extensions"][point] = names
        before = set(seen["extensions"].get(point, ()))
        said += [f"{point}: {name} is new" for name in names if name not in before]
        said += [f"{point}: {name} is gone" for name in sorted(before - {*names})]
    return now, said


def _compared(
    name: str, before: list[str] | None, now: list[str] | None, url: str
) -> Iterator[str]:
    if now is None:
        if before is not None:
            yield f"{name}: there is nothing at {url} any more"
    elif before is None:
        yield f"{name}: its schema is seen for the first time ({len(now)} rules)"
    else:
        yield from (f"{name}: + {line}" for line in now if line not in before)
        yield from (f"{name}: - {line}" for line in before if line not in now)


def main(arguments: list[str], fetch: Fetch = fetched) -> int:
    """Print what has changed; return 1 if anything has, and 2 if a server did not answer: then nothing is written."""
    if "--server" in arguments:
        fetch = mirrored(arguments[arguments.index("--server") + 1])
    try:
        now, said = look(fetch, json.loads(SEEN.read_text("utf-8")))
    except Unreachable as error:
        print(error, file=sys.stderr)
        return 2
    print(*(said or ["nothing has changed"]), sep="\n")
    if "--write" in arguments:
        SEEN.write_text(json.dumps(now, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
