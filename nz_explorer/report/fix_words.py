"""What a fix does, in a sentence."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from nz_explorer.engine.fixes import Fix
from nz_explorer.text.phrases import plural

SHOWN = 3
"""Operations that are listed one by one."""
MOST = 60
"""Characters of a value that are shown."""
SAFETY = {
    "safe": "safe",
    "unsafe": "changes what readers see",
    "suggest": "suggested",
}


@dataclass(frozen=True, slots=True)
class Code:
    """A part of a sentence that is a name or a value; `title` has the whole pointer to it."""

    text: str
    title: str | None = None

    def __str__(self) -> str:
        return self.text


Words = Iterator[str | Code]


def words(fix: Fix) -> Words:
    """Yield what a fix does to its document, part by part; nothing where it is only advice.

    Parameters
    ----------
    fix : Fix
        The fix.
    """
    for number, operation in enumerate(fix.patch[:SHOWN]):
        if number:
            yield "; "
        pointer = str(operation["path"])
        value = operation.get("value")
        match operation["op"]:
            case "remove":
                yield "remove "
                yield from _named(pointer)
            case "move":
                origin = str(operation["from"])
                above = pointer.rpartition("/")[0]
                renamed = above == origin.rpartition("/")[0]
                yield "rename " if renamed else "move "
                yield from _named(origin)
                yield " to " if renamed else " into "
                yield from _named(pointer if renamed else above)
            case "add" if not pointer:
                yield "create the document"
            case "add" if pointer.endswith("/-"):
                yield "add "
                yield from _entry(value)
                yield " to "
                yield from _named(pointer.removesuffix("/-"))
            case "replace":
                yield "set "
                yield from _named(pointer)
                yield " to "
                yield _short(value)
            case _:
                yield "add "
                yield from _named(pointer)
                if not isinstance(value, dict | list) or len(json.dumps(value)) <= MOST:
                    yield " = "
                    yield _short(value)
    if len(fix.patch) > SHOWN:
        yield f"; {plural(len(fix.patch) - SHOWN, 'more change')}"


def sentence(fix: Fix) -> str:
    """Return what a fix does, where, how safe it is, and what else is to be known.

    Parameters
    ----------
    fix : Fix
        The fix.
    """
    does = "".join(map(str, words(fix)))
    if not does:
        note = fix.note or "look at it by hand"
        return f"{note} ({SAFETY[fix.safety]})"
    about = f"{SAFETY[fix.safety]}: {fix.note}" if fix.note else SAFETY[fix.safety]
    if [(one["op"], one["path"]) for one in fix.patch] == [("add", "")]:
        return f"create {fix.document} with {_short(fix.patch[0]['value'])} ({about})"
    return f"{does} in {fix.document} ({about})"


def _named(pointer: str) -> Words:
    """Yield what a pointer leads to: a member by its name, an item by its place in the list."""
    above, _, last = pointer.rpartition("/")
    last = _plain(last)
    if not last:
        yield "the document"
        return
    if last.isdecimal():
        holder = _plain(above.rpartition("/")[2])
        yield Code(f"{holder}[{last}]" if holder else last, pointer)
        return
    yield Code(last, pointer)


def _entry(value: Any) -> Words:
    """Yield what is added at the end of a list: by its name where it has one."""
    if isinstance(value, dict) and isinstance(value.get("name"), str):
        yield "the entry "
        yield _short(value["name"])
    else:
        yield _short(value)


def _plain(token: str) -> str:
    return token.replace("~1", "/").replace("~0", "~")


def _short(value: Any) -> Code:
    text = json.dumps(value, ensure_ascii=False)
    return Code(text if len(text) <= MOST else f"{text[: MOST - 1]}…")
