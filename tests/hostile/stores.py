"""A store as an attacker would make it."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

MARK = "window.pwned=1"
MARKUP = f'"><img src=x onerror="{MARK}"><script>{MARK}</script><svg onload={MARK}>'
LINK = f"javascript:{MARK}"
ELSEWHERE = "https://evil.example/x.png"
BIDI = "safe\u202egnp.exe\u2066"
TERMINAL = "\x1b]0;pwned\x07\x1b[2J\x1b[31mred"
FORMULA = "=cmd|' /C calc'!A0"

TEXTS = {
    "markup": MARKUP,
    "link": LINK,
    "bidi": BIDI,
    "terminal": TERMINAL,
    "formula": FORMULA,
    "style": f'" style="background:url({ELSEWHERE})',
    "markdown": f"[click]({LINK}) ![x]({ELSEWHERE})",
    "template": "{{constructor.constructor('alert(1)')()}} ${7*7} %s {0}",
    "__proto__": "polluted",
    "constructor": "polluted",
    "long": "x" * 20_000,
    "lines": "a\u2028b\u2029c\nd",
    "mathtext": r"$\frac{1}{0}$ $\text{x",
}
NAMES = (
    "<img src=x onerror=window.pwned=1>",
    "javascript:window.pwned=1",
    BIDI,
    FORMULA.replace("/", "-"),
    "__proto__",
    "constructor",
    "n" * 200,
    "a&b;c'd`e$f",
)


class Runs:
    """What runs when it is unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.trace,)


def write(folder: Path) -> Path:
    """Write the store; ``pwned`` beside it appears if something of it was run."""
    group = {"zarr_format": 3, "node_type": "group"}
    attributes = {
        **TEXTS,
        "title": MARKUP,
        "references": ELSEWHERE,
        "conventions": f"NZ-1.0 {MARKUP}",
        "zarr_conventions": [
            {
                "name": MARKUP,
                "uuid": LINK,
                "spec_url": LINK,
                "schema_url": ELSEWHERE,
                "description": MARKUP,
            }
        ],
    }
    put(folder, "zarr.json", {**group, "attributes": attributes})
    for number, name in enumerate(NAMES):
        array = {
            "zarr_format": 3,
            "node_type": "array",
            "shape": [4, 6],
            "data_type": "float32",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 6]}},
            "chunk_key_encoding": {"name": "default"},
            "fill_value": number,
            "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
            "attributes": {**TEXTS, "units": MARKUP, "long_name": MARKUP, "grid_mapping": name},
            "dimension_names": [MARKUP, FORMULA],
        }
        put(folder, f"{name}/zarr.json", array)
    put(folder, "refused/zarr.json", {**group, "node_type": MARKUP})
    (folder / "cut").mkdir()
    (folder / "cut" / "zarr.json").write_text(f'{{"zarr_format": 3, "{MARKUP}', "utf-8")
    put(folder, "pickled/.zarray", {
        "zarr_format": 2, "shape": [1], "chunks": [1], "dtype": "|O", "fill_value": None, "order": "C",
        "compressor": None, "filters": [{"id": "pickle", "protocol": 4}],
    })  # fmt: skip
    (folder / "pickled" / "0").write_bytes(pickle.dumps(Runs(folder.parent / "pwned")))
    return folder


def put(folder: Path, key: str, document: Any) -> None:
    file = folder / key
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(document), "utf-8")
