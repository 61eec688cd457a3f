"""The other process: opens a store with one reader and reports the result node by node.

``python -m nz_explorer.diagnosis.trial_process`` takes what to do as JSON on its standard input and writes JSON lines. Before
each step it announces the next one, so that the parent process knows where it crashed or hung.
Whatever the libraries print goes to standard error, away from the lines.
"""

from __future__ import annotations

import io
import json
import os
import sys
import warnings
from dataclasses import replace
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from nz_explorer.diagnosis.probes import PROBES, Probe
from nz_explorer.diagnosis.probes.answers import Answers, Asked
from nz_explorer.diagnosis.sandbox import confine


def main() -> None:
    """Run the request on standard input."""
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    given = json.load(sys.stdin)
    name, seconds, sample = given.pop("reader"), given.pop("seconds"), given.pop("sample")
    asked = Asked(**given)
    network = bool(asked.references["network"]) if asked.references else asked.is_url
    confine(network=network, seconds=seconds, programs=bool(asked.program))
    answers = Answers(stream, asked.location)
    probe = PROBES[name]
    if not asked.program:
        try:
            answers.write(version=_version(probe.package))
        except PackageNotFoundError:
            answers.write(missing=probe.package)
            return
    warnings.simplefilter("ignore")
    attempt(probe, asked, answers)
    if answers.failed_only and (why := _cannot(probe, asked, sample, answers)):
        answers.write(cannot=why)
        return
    answers.write(done=True)


def attempt(probe: Probe, asked: Asked, answers: Answers) -> None:
    """Let a reader open a store; what it raises beside the steps is said of the root.

    Parameters
    ----------
    probe : Probe
        The reader.
    asked : Asked
        What is to be read.
    answers : Answers
        Where the answers are written.
    """
    try:
        probe.run(asked, answers)
    except Exception as error:  # noqa: BLE001  # readers raise what they like, and that is the answer
        answers.failed("/", error, "opening")


def _cannot(probe: Probe, asked: Asked, sample: str, answers: Answers) -> str | None:
    """Return why this build of a reader opens nothing of the kind, however healthy; None where it would."""
    if asked.is_zip and "not turned on" in answers.last_error:
        return "this build reads no zip files"
    if asked.zarr_format != 3 or probe.package in ("zarr", "xarray", "nz_explorer"):
        return None
    trial = Answers(io.StringIO(), sample)
    attempt(
        probe, replace(asked, location=sample, groups=["/"], arrays=["/a"], references=None), trial
    )
    return "this build reads no Zarr v3" if trial.failed_only else None


def _version(package: str) -> str:
    found: Any = version("nz_explorer" if package == "nz_explorer" else package)
    if package == "netCDF4":
        import netCDF4

        return str(netCDF4.__netcdf4libversion__)
    if package == "rasterio":
        return str(import_module("rasterio").__gdal_version__)
    return "1.0" if package == "nz_explorer" else str(found)


if __name__ == "__main__":
    main()
