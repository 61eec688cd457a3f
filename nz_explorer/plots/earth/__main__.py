"""Makes ``coastline.npy`` from the TopoJSON of the npm package world-atlas; see README.md in this folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from nz_explorer.plots.earth.coastline import END, FILE, HUNDREDTHS

_TOLERANCE = 0.03
"""Degrees by which a line may change when a point is left out."""

Points = np.ndarray[Any, np.dtype[np.float64]]


def lines(topology: dict[str, Any]) -> list[Points]:
    """Return the arcs of a topology, in degrees, without those along the date line."""
    scale, origin = (np.array(topology["transform"][key]) for key in ("scale", "translate"))
    arcs = [np.cumsum(arc, axis=0) * scale + origin for arc in topology["arcs"]]
    found = []
    for arc in arcs:
        arc[:, 0] = np.unwrap(arc[:, 0], period=360)
        arc[:, 0] -= 360 * np.round(arc[:, 0].mean() / 360)
        if np.ptp(arc[:, 0]) > 0:
            found.append(arc)
    return found


def simplified(line: Points) -> Points:
    """Return a line without the points that hardly bend it (Douglas and Peucker)."""
    keep = np.zeros(len(line), np.bool_)
    keep[[0, -1]] = True
    parts = [(0, len(line) - 1)]
    while parts:
        first, last = parts.pop()
        if last - first < 2:
            continue
        along = line[last] - line[first]
        beside = line[first + 1 : last] - line[first]
        length = float(np.hypot(*along))
        if length:
            away = np.abs(along[0] * beside[:, 1] - along[1] * beside[:, 0]) / length
        else:  # a ring
            away = np.hypot(beside[:, 0], beside[:, 1])
        farthest = int(away.argmax())
        if away[farthest] > _TOLERANCE:
            middle = first + 1 + farthest
            keep[middle] = True
            parts += [(first, middle), (middle, last)]
    return line[keep]


if __name__ == "__main__":
    rows: list[Any] = []
    for one in lines(json.loads(Path(sys.argv[1]).read_text("utf-8"))):
        rows += [np.rint(simplified(one) * HUNDREDTHS).astype(np.int16), [[END, END]]]
    np.save(FILE, np.concatenate(rows).astype(np.int16))
