"""The conventions of a store: declared, seen, kept; and what separates it from NZ-1.0."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from nz_explorer.editing.apply import fix_all
from nz_explorer.editing.convert import converted
from nz_explorer.model import Array
from nz_explorer.report.conformance_summary import (
    ConformanceSummary,
    ConventionSummary,
    Step,
    conformance_summary,
)
from nz_explorer.report.formats import declared_in, used_by
from nz_explorer.text.printable import printable
from nz_explorer.values.coordinates.metadata_coordinates import metadata_coordinates
from nz_explorer.widget import protocol, text
from nz_explorer.widget.panels import blocks
from nz_explorer.widget.panels.blocks import Blocks
from nz_explorer.widget.panels.registry import Context, Outcome, action, page
from nz_explorer.widget.panels.report import verdict_chip

MAX_PROBLEMS = 10
_EXPLAINED = re.compile(r" \([^()]*\)")


@page("conventions")
def conventions_page(context: Context) -> Blocks:
    """Say which conventions the store declares, uses and keeps, and what it would take to keep NZ-1.0."""
    found = conformance_summary(context.session.evaluation)
    columns = ["Convention", "Result", "Where"]
    return [
        blocks.table("Conventions", columns, map(_row, found.conventions)),
        *_problems(found),
        *_pyramids(found),
        *_systems(context, found),
        blocks.heading("What separates it from NZ-1.0"),
        *_to_do(context, found),
    ]


def _row(convention: ConventionSummary) -> protocol.TableRow:
    undeclared = "The format. " if convention.name.startswith("Zarr v") else "Not declared. "
    where: protocol.Text = [
        f"Declared in {declared_in(convention)}. " if convention.declared else undeclared
    ]
    if convention.uses:
        where.append(f"Seen by {used_by(convention)}. ")
    if convention.paths:
        where += ["On ", *blocks.links(list(convention.paths), 3), ". "]
    versions = [version for version in convention.versions if version not in convention.name]
    # what a revision looks like
    where += [f"{version}. " for version in versions if "(" in version]
    return blocks.row(
        " ".join((convention.name, *(_EXPLAINED.sub("", version) for version in versions))),
        verdict_chip(convention.conforms, convention.errors_beyond),
        where,
    )


def _problems(found: ConformanceSummary) -> Blocks:
    problems: list[blocks.Words] = [
        [blocks.strong(one.name), " ", blocks.link(path), f": {message}"]
        for one in found.conventions
        for path, message in one.problems[:MAX_PROBLEMS]
    ]
    return [blocks.listing(problems, "What is wrong with them")] if problems else []


def _pyramids(found: ConformanceSummary) -> Blocks:
    return [
        blocks.section(
            ["Pyramid ", blocks.link(path), f": {text.counted(len(levels), 'level')}"],
            [
                blocks.table(
                    f"Levels of {path}",
                    ["Level", "Arrays"],
                    (
                        blocks.row(
                            blocks.link(level.path, level.name or "."),
                            ", ".join(
                                f"{name} {' × '.join(map(str, shape))}"
                                for name, shape in level.arrays.items()
                            ),
                        )
                        for level in levels
                    ),
                )
            ],
        )
        for path, levels in found.pyramids.items()
    ]


def _systems(context: Context, found: ConformanceSummary) -> Blocks:
    """Show the axes that cs describes, with each of their sets of coordinates."""
    hierarchy = context.session.evaluation.hierarchy
    users = (path for one in found.conventions if one.name == "cs" for path in one.paths)
    shown: Blocks = []
    for path in users:
        node = hierarchy.get(path)
        if not isinstance(node, Array):
            continue
        rows = [
            blocks.row(
                f"{one.name}, {one.title}" if one.title else one.name,
                one.ends() if one.array is None else _elsewhere(one.array.path, one.attributes),
                printable(one.details),
            )
            for one in metadata_coordinates(node)
        ]
        if rows:
            columns = ["Axis", "Coordinates", "Described as"]
            table = blocks.table(f"Coordinate system of {path}", columns, rows)
            title: blocks.Words = ["Coordinate system of ", blocks.link(path)]
            shown.append(blocks.section(title, [table]))
    return shown


def _elsewhere(path: str, attributes: Mapping[str, Any]) -> blocks.Words:
    return ["in ", blocks.link(path), printable(f" {attributes.get('units', '')}".rstrip())]


def _to_do(context: Context, found: ConformanceSummary) -> Blocks:
    shown: Blocks = []
    if found.why_not is not None:
        shown.append(blocks.paragraph(found.why_not, "info"))
    for step in found.steps:
        shown += _step(step)
    if found.steps and context.session.evaluation.hierarchy.zarr_format == 3:
        title = "Dimension names that other metadata already give, and the declaration if nothing else is missing"
        shown.append(blocks.actions(blocks.action("Try the conversion", "convert", title=title)))
    if not found.steps and found.why_not is None:
        shown.append(blocks.paragraph("No rule of NZ-1.0 is known to be broken.", "good"))
    if found.undecided:
        checks = text.counted(found.undecided, "check")
        shown.append(blocks.paragraph(f"{checks} could not be made, so there may be more.", "info"))
    if found.looked_at < found.nodes:
        shown.append(
            blocks.paragraph(
                [
                    blocks.quiet(
                        f"{text.number(found.looked_at)} of {text.counted(found.nodes, 'node')} were looked at."
                    )
                ]
            )
        )
    return shown


def _step(step: Step) -> Blocks:
    count, safe = len(step.findings), len(step.safe)
    paths = list(dict.fromkeys(finding.path for finding in step.findings))
    fix = "a person has to decide"
    if safe:
        fix = "safe to fix" if step.is_safe else f"{safe} of {count} safe to fix"
    said: blocks.Words = [
        blocks.chip(step.rule, "error", step.title),
        f" {step.title}: {text.counted(count, 'finding')}, {fix}. ",
        *blocks.links(paths, 5),
    ]
    shown: Blocks = [blocks.paragraph(said)]
    if safe:
        shown.append(blocks.actions(blocks.action("Try it", "try rule", rule=step.rule)))
    return shown


@action("try rule")
def try_rule(context: Context) -> Outcome:
    """Try the safe fixes of one rule."""
    rule, session = context.text("rule"), context.session
    done = fix_all(session.what_if, lambda finding: finding.rule == rule)
    session.show_edits(True)
    return Outcome(done.in_words(), panel="changes")


@action("convert")
def convert(context: Context) -> Outcome:
    """Try the metadata of NZ-1.0 that can be derived from the store's other metadata."""
    session = context.session
    left = converted(session.what_if)
    session.show_edits(True)
    what = "" if not left else f"; {text.counted(len(left), 'error')} are left to be decided"
    return Outcome(f"Converted in memory{what}", panel="changes")
