"""What an evaluation has found so far, in the forms that people and programs read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from nz_explorer.diagnosis.hints import doubts, hints
from nz_explorer.diagnosis.impact import Forecast, by_impact, forecasts, harms
from nz_explorer.engine.findings import Counts, Finding, NotEvaluated
from nz_explorer.text.printable import encodable

if TYPE_CHECKING:
    from nz_explorer.engine.evaluation import Evaluation
    from nz_explorer.engine.impact import Impact
    from nz_explorer.report.conformance_summary import ConformanceSummary

SCHEMA = "nz-explorer/report/1"
SHOWN_IN_NOTEBOOK = 50


def schema_text() -> str:
    """Return the JSON Schema of a report as JSON text; its ``$id`` is the ``schema`` of each report."""
    from importlib.resources import files

    return files("nz_explorer.report").joinpath("report.schema.json").read_text("utf-8")


class Report:
    """The findings of a hierarchy. It is live: it shows what is known at the time of access.

    Parameters
    ----------
    evaluation : Evaluation
        Where the results are.
    """

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation

    @property
    def evaluation(self) -> Evaluation:
        """Where the results are."""
        return self._evaluation

    @property
    def source(self) -> str:
        """What was checked."""
        return self._evaluation.hierarchy.source

    @property
    def zarr_format(self) -> int | None:
        """2 or 3, None if it is not known."""
        return self._evaluation.hierarchy.zarr_format

    @property
    def conforms(self) -> dict[str, bool | None]:
        """Whether each convention is kept; None where something needed was not evaluated."""
        return self._evaluation.conforms

    @property
    def declared(self) -> bool | None:
        """Whether the root declares NZ-1.0; None where that was not looked at."""
        return self._evaluation.declared

    @property
    def findings(self) -> list[Finding]:
        """All findings, by node, parents before children."""
        return self._evaluation.findings()

    @property
    def by_impact(self) -> dict[Impact, list[Finding]]:
        """The findings by what they mean for the people who read the data, the gravest first."""
        return by_impact(self.findings)

    @property
    def readers(self) -> dict[str, Forecast]:
        """What each reader will make of it, predicted from the findings: nothing is run."""
        return self.predicted(self.findings)

    def predicted(self, findings: Iterable[Finding]) -> dict[str, Forecast]:
        """Return what each reader will make of what some findings are about.

        Parameters
        ----------
        findings : iterable of Finding
            Findings of this report.
        """
        found = (harm for finding in findings for harm in harms(finding))
        predicted = forecasts(
            found,
            complete=self.complete,
            untold=self._evaluation.untold,
            unwritten=self._evaluation.hierarchy.reader.unwritten,
            unknown=doubts(self._evaluation),
            known=hints(self._evaluation),
        )
        return {one.reader: one for one in predicted}

    @property
    def counts(self) -> Counts:
        """How many findings of each severity there are."""
        return self._evaluation.counts()

    @property
    def nodes(self) -> dict[str, int]:
        """How many ``groups``, ``arrays`` and ``unreadable`` nodes were visited."""
        return self._evaluation.nodes

    @property
    def complete(self) -> bool:
        """Whether the whole hierarchy was visited."""
        return self._evaluation.complete

    @property
    def conformance(self) -> ConformanceSummary:
        """What is declared and used, what is kept, and what NZ-1.0 still lacks."""
        from nz_explorer.report.conformance_summary import conformance_summary

        return conformance_summary(self._evaluation)

    @property
    def not_evaluated(self) -> list[NotEvaluated]:
        """Rules that could not be decided somewhere, and why."""
        return self._evaluation.not_evaluated()

    @property
    def not_evaluated_total(self) -> int:
        """How many of those there are."""
        return self._evaluation.not_evaluated_total

    @property
    def tallies(self) -> dict[str, Counter[str]]:
        """How often each rule had each result."""
        return self._evaluation.tallies()

    def locate(self, finding: Finding) -> tuple[str | None, int | None]:
        """Return the key of the document that a finding is about, and the line in it."""
        return self._evaluation.locate(finding)

    def __repr__(self) -> str:
        from nz_explorer.report.formats import summary

        conforms = ", ".join(f"{name}: {value}" for name, value in self.conforms.items())
        return f"<Report {self.source}: {conforms}; {summary(self.by_impact)}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the report as the JSON contract has it."""
        findings = self.findings
        return {
            "schema": SCHEMA,
            "source": self.source,
            "zarr_format": self.zarr_format,
            "conforms": self.conforms,
            "readers": {name: one.to_dict() for name, one in self.predicted(findings).items()},
            "nodes": self.nodes,
            "complete": self.complete,
            "not_evaluated": [entry.to_dict() for entry in self.not_evaluated],
            "findings": [finding.to_dict() for finding in findings],
        }

    def to_json(self, indent: int | None = 2) -> str:
        """Return the report as JSON text, in ASCII so that names from a store cannot act on a terminal."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def to_text(
        self, *, color: bool = False, width: int | None = None, limit: int | None = 10
    ) -> str:
        """Return the report for a terminal.

        Parameters
        ----------
        color : bool
            Whether to use colours.
        width : int, optional
            Columns to wrap at.
        limit : int or None
            Findings of one rule that are shown.
        """
        from nz_explorer.report.formats.text import report_text

        return encodable(report_text(self, color=color, width=width, limit=limit))

    def to_markdown(self) -> str:
        """Return the report as Markdown."""
        from nz_explorer.report.formats.markdown import report_markdown

        return encodable(report_markdown(self))

    def to_html(self) -> str:
        """Return the report as one HTML page that needs nothing else."""
        from nz_explorer.report.formats.html import report_html

        return encodable(report_html([self]))

    def to_sarif(self) -> dict[str, Any]:
        """Return the report as a SARIF 2.1.0 log."""
        from nz_explorer.report.formats.sarif import report_sarif

        return report_sarif([self])

    def to_dataframe(self) -> Any:
        """Return the findings as a table of pandas."""
        import pandas as pd

        columns = [
            "rule", "level", "severity", "impact", "path", "pointer", "message", "related", "readers", "fix",
        ]  # fmt: skip
        rows = [
            (
                f.rule,
                f.level,
                f.severity,
                f.impact,
                # pandas may keep text in Arrow's arrays, which are UTF-8
                *map(encodable, (f.path, f.pointer, f.message)),
                list(map(encodable, f.related)),
                dict(f.readers),
                fix and fix.safety,
            )
            for f in self.findings
            for fix in [f.fix]
        ]
        return pd.DataFrame(rows, columns=columns)

    def _repr_html_(self) -> str:
        from nz_explorer.report.formats.html import fragment

        return encodable(fragment(self, SHOWN_IN_NOTEBOOK))
