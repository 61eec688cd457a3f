"""Two stores beside each other."""

from __future__ import annotations

from nz_explorer.model import Array
from nz_explorer.report.store_diff import HEADINGS, KINDS, Change
from nz_explorer.widget import protocol, text
from nz_explorer.widget.panels import blocks
from nz_explorer.widget.panels.blocks import Blocks
from nz_explorer.widget.panels.registry import CannotDo, Context, Outcome, action, page

MAX_ROWS = 200


@page("comparison")
def comparison_page(context: Context) -> Blocks:
    """List how this store differs from another, at the selected node and below it."""
    found = context.session.comparison
    if found is None:
        how = 'ex.compare("other.zarr")'
        return [
            blocks.paragraph(
                "Nothing has been compared yet. Run this in a cell, with the name of your explorer:"
            ),
            blocks.listed_code(how, "python", "How to compare", ["In Python"]),
            blocks.paragraph(
                [
                    blocks.quiet("On the command line: "),
                    blocks.code("nz-explorer diff this.zarr other.zarr"),
                ]
            ),
        ]
    here = context.path.rstrip("/")
    changes = [c for c in found.changes if c.path == context.path or c.path.startswith(f"{here}/")]
    shown: Blocks = [
        blocks.definitions([("This", found.left.source), ("The other", found.right.source)])
    ]
    of_one = any(c.kind == "node" and c.path == context.path for c in changes)
    if isinstance(context.node, Array) and not of_one:
        title = (
            "This array minus the one of the same path in the other store, with one set of sliders"
        )
        shown.append(blocks.actions(blocks.action("Plot A − B", "subtract other", title=title)))
    if found.equal:
        said = "Nodes, dimensions, metadata, attributes and findings are the same. Values were not compared."
        return [*shown, blocks.paragraph(said, "good")]
    if len(changes) < len(found.changes):
        more = f"{text.counted(len(found.changes), 'difference')} in the whole store; here and below: {len(changes)}. "
        shown.append(blocks.paragraph([blocks.quiet(more), blocks.link("/", "Show all")]))
    for kind in KINDS:
        own = [change for change in changes if change.kind == kind]
        if own:
            # a finding is a sentence, and nearly always of one of the two
            columns = ["Node", "Found"] if kind == "finding" else ["Node", "This", "The other"]
            table = blocks.table(HEADINGS[kind], columns, map(_row, own[:MAX_ROWS]))
            inside: Blocks = [table]
            if len(own) > MAX_ROWS:
                inside.append(blocks.paragraph([blocks.quiet(f"and {len(own) - MAX_ROWS} more")]))
            shown.append(blocks.section(f"{HEADINGS[kind]}: {len(own)}", inside, opened=True))
    return shown


@action("subtract other")
def subtract_other(context: Context) -> Outcome:
    """Plot an array minus that of the other store.

    Raises
    ------
    CannotDo
        If nothing takes a view, as in a saved page.
    """
    set_traits = context.session.set_traits
    if set_traits is None:
        raise CannotDo("there is no view to set")
    set_traits({"view": {"against": {"store": "the other"}}})
    return Outcome(path=context.path, panel="plot")


def _row(change: Change) -> protocol.TableRow:
    link = blocks.link(change.path)
    if change.kind == "finding":
        sides = [("in this: ", change.left), ("in the other: ", change.right)]
        found = [part for side, said in sides if said for part in (blocks.quiet(side), said, " ")]
        return blocks.row([link, " ", blocks.chip(change.name, "info")], found)
    return blocks.row(
        [link, " ", blocks.code(change.name)], _side(change.left), _side(change.right)
    )


def _side(text: str | None) -> protocol.Span | str:
    return blocks.quiet("–") if text is None else text
