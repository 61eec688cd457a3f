"""Writes what ``nz-explorer explain`` knows of reports: ``python -m tests.field.reports``."""

from __future__ import annotations

import json

from nz_explorer.diagnosis.symptoms import REPORTS
from tests.field.case import cases


def text() -> str:
    """Return the file as the cases make it."""
    entries = [{"url": case.url, "symptom": case.symptom, "rule": case.rule} for case in cases()]
    return json.dumps(entries, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    REPORTS.write_text(text(), "utf-8")
