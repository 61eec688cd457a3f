"""The conventions of a store: declared, seen, kept; and what separates it from NZ-1.0."""

from __future__ import annotations

from nz_explorer.rules.apply import fix_all
from nz_explorer.rules.convert_command import converted
from nz_explorer.rules.formats import MARKS, MEANING, declared_in, used_by
from nz_explorer.rules.standing import Overview, Standing, Step, overview
from nz_explorer.rules.wording import plural
from nz_explorer.widget import blocks, protocol
from nz_explorer.widget.blocks import Blocks
from nz_explorer.widget.pages.registry import Context, Outcome, action, page

TONES: dict[bool | None, protocol.Tone] = {True: "good", False: "error", None: "warning"}
MAX_PROBLEMS = 10


@page("conventions")
def conventions_page(context: Context) -> Blocks:
    """Say which conventions the store declares, uses and keeps, and what it would take to keep NZ-1.0."""
    found = overview(context.session.evaluation)
    columns = ["Convention", "Version", "Verdict", "Declared", "Seen by", "On"]
    return [
        blocks.table("Conventions", columns, map(_row, found.standings)),
        *_problems(found),
        *_pyramids(found),
        blocks.heading("What separates it from NZ-1.0"),
        *_to_do(context, found),
    ]


def _row(standing: Standing) -> protocol.TableRow:
    holds = standing.conforms
    return blocks.row(
        standing.name,
        ", ".join(standing.versions) or blocks.quiet("–"),
        blocks.chip(f"{MARKS[holds]} {MEANING[holds]}", TONES[holds]),
        declared_in(standing),
        used_by(standing),
        blocks.links(list(standing.paths), 3),
    )


def _problems(found: Overview) -> Blocks:
    problems: list[blocks.Words] = [
        [blocks.strong(one.name), " ", blocks.link(path), f": {message}"]
        for one in found.standings
        for path, message in one.problems[:MAX_PROBLEMS]
    ]
    return [blocks.listing(problems, "What is wrong with them")] if problems else []


def _pyramids(found: Overview) -> Blocks:
    return [
        blocks.section(
            ["Pyramid ", blocks.link(path), f": {plural(len(levels), 'level')}"],
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


def _to_do(context: Context, found: Overview) -> Blocks:
    shown: Blocks = []
    if found.why_not is not None:
        shown.append(blocks.paragraph(found.why_not, "info"))
    for step in found.steps:
        shown += _step(step)
    if found.steps and context.session.evaluation.hierarchy.zarr_format == 3:
        title = "Names of dimensions that the metadata already say, and the declaration if nothing else is missing"
        shown.append(blocks.actions(blocks.action("Try the conversion", "convert", title=title)))
    if not found.steps and found.why_not is None:
        shown.append(blocks.paragraph("No rule of NZ-1.0 is known to be broken.", "good"))
    if found.undecided:
        checks = plural(found.undecided, "check")
        shown.append(blocks.paragraph(f"{checks} could not be made, so there may be more.", "info"))
    if found.looked_at < found.nodes:
        shown.append(
            blocks.paragraph(
                [blocks.quiet(f"{found.looked_at} of {found.nodes} nodes were looked at.")]
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
        f" {step.title}: {plural(count, 'finding')}, {fix}. ",
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
    return Outcome(f"{plural(len(done.done), 'finding')} cured in memory", panel="changes")


@action("convert")
def convert(context: Context) -> Outcome:
    """Try the metadata of NZ-1.0 that the store's own dialect already says."""
    session = context.session
    left = converted(session.what_if)
    session.show_edits(True)
    what = "" if not left else f"; {plural(len(left), 'error')} are left to be decided"
    return Outcome(f"Converted in memory{what}", panel="changes")
