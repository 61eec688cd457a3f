"""What a saved notebook shows where no kernel runs: a page of plain tables, bounded in size.

GitHub and nbviewer take styles and scripts out of saved output, so it relies on neither.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING, Any

from nz_explorer.model import Array, Group, Node
from nz_explorer.plots.columns.along import label
from nz_explorer.plots.columns.scatter import texts
from nz_explorer.plots.drawing.view import View
from nz_explorer.plots.picture import QuickLook
from nz_explorer.plots.table import TABLE, table_rows
from nz_explorer.widget import protocol, text
from nz_explorer.widget.requests import dimensions, findings, tables
from nz_explorer.widget.requests.export import drawing, looking
from nz_explorer.widget.session_view import SessionView

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FRAMED = (
    '<meta name="color-scheme" content="light dark">'
    "<style>body { font: 14px system-ui, sans-serif } th, td { padding: 1px 8px; text-align: left }</style>"
)
"""What goes before the page where the front end shows it, in a frame of its own."""
MAX_TREE = 60
MAX_FINDINGS = 25
MAX_DIMENSIONS = 40
MAX_NAME, MAX_SENTENCE = 120, 400
MAX_ROWS, MAX_COLUMNS = 24, 8
"""Of a table of values."""
WIDTH, HEIGHT = 8.0, 5.0
"""Of a picture, in inches."""


def static_page(
    session: SessionView,
    path: str,
    view: Mapping[str, Any] | None = None,
    index: Mapping[str, int] | None = None,
) -> str:
    """Return the page as HTML without styles and scripts.

    Parameters
    ----------
    session : SessionView
        The open hierarchy.
    path : str
        The selected node.
    view, index : mapping
        How it is drawn, and at which index.
    """
    summary = session.summary()
    if summary.progress.phase == "done":
        _open_groups(session)
    node = session.tree.node(path)
    conforms = ", ".join(
        f"{name}: {_verdict(verdict)}" for name, verdict in summary.conforms.items()
    )
    counts = summary.counts
    head = (
        f"<p><b>{_text(summary.source)}</b> · Zarr v{summary.zarr_format or '?'} · "
        f"{text.number(summary.nodes)} nodes read · {escape(conforms)}<br>"
        f"{text.counted(counts.error, 'error')}, {text.counted(counts.warning, 'warning')}, {text.counted(counts.info, 'note')}, "
        f"{text.number(summary.not_evaluated)} not evaluated"
        f"{'' if summary.progress.phase == 'done' else ' – saved before everything was read'}<br>"
        f"as of {_moment(datetime.now().astimezone())}</p>"
    )
    parts = [
        head,
        _tree(session),
        _shown(session, node, view or {}, index or {}),
        _dimensions(session),
        _findings(session),
        "<p><i>Saved by nz_explorer. Run the cell to explore.</i></p>",
    ]
    return "<div>" + "".join(part for part in parts if part) + "</div>"


def _open_groups(session: SessionView) -> None:
    """Read what the page has room for, unless a browser has asked for it already.

    The walk does not keep the nodes that it visits. It has shown that the store answers.
    """
    queue: list[Node] = [session.hierarchy.root]
    for node in queue:
        if isinstance(node, Group) and len(queue) < MAX_TREE:
            queue += node.hierarchy.children(node)


def _moment(moment: datetime) -> str:
    """Return a date and a time with its distance from UTC: names of time zones are not unique."""
    east = moment.strftime("%z")
    return f"{moment:%Y-%m-%d %H:%M} UTC" + (f"{east[:3]}:{east[3:5]}" if int(east) else "")


THIN_SPACE = "\u202f"
"""Between the thousands of numbers."""


class _Sentence(str):
    """A text that is shown longer than names are: what it says at its end is not told elsewhere on the page."""

    __slots__ = ()


def _text(cell: object) -> str:
    shown, most = str(cell), MAX_NAME
    if isinstance(cell, _Sentence):
        shown, most = text.on_screen(cell), MAX_SENTENCE
    printable = "".join(
        c if c.isprintable() or c == THIN_SPACE else f"\\u{ord(c):04x}" for c in shown[:most]
    )
    return escape(printable + ("…" if len(shown) > most else ""))


def _verdict(verdict: bool | None) -> str:
    return {True: "conforms", False: "does not conform", None: "not decided"}[verdict]


def _table(title: str, head: tuple[str, ...], rows: list[tuple[object, ...]], more: int = 0) -> str:
    if not rows:
        return ""
    cells = "".join(f"<th>{escape(label)}</th>" for label in head)
    body = "".join(
        "<tr>"
        + "".join(f"<td>{_text('' if cell is None else cell)}</td>" for cell in row)
        + "</tr>"
        for row in rows
    )
    rest = f"<p>and {text.number(more)} more</p>" if more > 0 else ""
    return f"<p><b>{escape(title)}</b></p><table><tr>{cells}</tr>{body}</table>{rest}"


def _tree(session: SessionView) -> str:
    rows: list[tuple[object, ...]] = []

    def add(node: Node) -> None:
        if len(rows) >= MAX_TREE:
            return
        row = session.tree.row(node)
        total = row.counts.error + row.counts.warning
        label = f"{node.path}/" if node.kind == "group" and node.name else node.path
        what = text.on_screen(node.problem) if node.problem else text.title(node)
        rows.append((label, what, row.role or "", text.number(total) if total else ""))
        if isinstance(node, Group) and node.child_names is not None:
            for child in session.tree.children(node):
                add(child)

    add(session.hierarchy.root)
    more = session.hierarchy.loaded - len(rows)
    return _table("Groups and arrays", ("name", "what it is", "role", "findings"), rows, more)


def _shown(
    session: SessionView, node: Node, view: Mapping[str, Any], index: Mapping[str, int]
) -> str:
    """Return what the plot shows: a picture, or the first rows of a table."""
    from nz_explorer.plots import figure, is_drawn, lines_figure

    if isinstance(node, Group):
        if columns := tables.shown(session, node, view):
            if view.get("kind") != "scatter":
                return _rows(columns)
            return _image(columns.figure(width=WIDTH, height=HEIGHT), f"{node.path} as a scatter")
        if view.get("kind") == "lines":
            drawn = lines_figure(session.lines(node), width=WIDTH, height=HEIGHT)
            return _image(drawn, f"the lines of {node.path}")
    array = node if isinstance(node, Array) else _first_data(session)
    if array is None:
        return ""
    if array is not node:
        view, index = {}, {}
    look = session.quicklook(array, index, width=480, height=300, **looking(view))
    # the limits that hold for who looks on; this picture, of fewer points, sets none
    look = session.limits.known(array, look, finished=False)
    if look.kind == TABLE.name and look.values is not None:
        return _numbers(look, drawing(view))
    if not is_drawn(look):
        return ""
    return _image(figure(look, **drawing(view), width=WIDTH, height=HEIGHT), look.label)


def _image(drawn: Figure, label: str) -> str:
    file = io.BytesIO()
    drawn.savefig(file, format="png", dpi=72)
    data = base64.b64encode(file.getvalue()).decode()
    return f'<p><img alt="{_text(text.on_screen(label))}" src="data:image/png;base64,{data}"></p>'


def _rows(columns: tables.Columns) -> str:
    cells = columns.rows(0, MAX_ROWS)[:MAX_COLUMNS]
    rows: list[tuple[object, ...]] = list(zip(*map(texts, cells), strict=True))
    found = columns.table
    left_out = len(found.columns) - len(cells)
    title = f"Table of {columns.group.path}"
    if left_out:
        title += f", without {text.counted(left_out, 'column')}"
    head = tuple(label(one.column) for one in cells)
    return _table(title, head, rows, found.length - len(rows))


def _numbers(look: QuickLook, view: Mapping[str, Any]) -> str:
    lines = list(table_rows(look, View.of(view, TABLE.controls), MAX_ROWS, MAX_COLUMNS))
    if not lines:
        return ""
    head = tuple(lines[0])
    rows: list[tuple[object, ...]] = [tuple(line) for line in lines[1:]]
    down = look.y or look.x
    return _table(
        text.on_screen(look.label), head, rows, 0 if down is None else down.size - len(rows)
    )


def _first_data(session: SessionView) -> Array | None:
    """Return the first data array of two dimensions or more among those already read."""
    hierarchy = session.hierarchy
    queue: list[Node] = [hierarchy.root]
    for node in queue:
        if isinstance(node, Array):
            if (
                (node.ndim or 0) >= 2
                and node.state == "ok"
                and session.tree.role(node).role == "data"
            ):
                return node
        elif isinstance(node, Group) and len(queue) < 10 * MAX_TREE:
            queue.extend(node.children or ())
    return None


def _dimensions(session: SessionView) -> str:
    tables = []
    groups: list[Node] = [session.hierarchy.root]
    for group in groups:
        if not isinstance(group, Group) or group.child_names is None:
            continue
        groups.extend(group.groups[: MAX_TREE - len(groups)])
        arrays = group.arrays
        rows, _ = dimensions.table(
            arrays, arrays, lambda a: session.evaluation.monotonicity(a.path)
        )
        cells: list[tuple[object, ...]] = [
            (
                row.name or "(no name)",
                " or ".join(text.number(use.length) for use in row.lengths),
                _Sentence(
                    f"{row.coordinate_state}: {row.why}" if row.why else row.coordinate_state
                ),
                f"{row.first} … {row.last}" if row.first is not None else "",
                row.units or "",
            )
            for row in rows[:MAX_DIMENSIONS]
        ]
        head = ("dimension", "length", "coordinate", "values", "units")
        tables.append(
            _table(f"Dimensions of {group.path}", head, cells, len(rows) - MAX_DIMENSIONS)
        )
        if len(tables) >= 10:
            break
    return "".join(tables)


def _findings(session: SessionView) -> str:
    page = findings.page(session.evaluation, protocol.FindingsParams("/", limit=MAX_FINDINGS), "/")
    rows: list[tuple[object, ...]] = [
        (finding.severity, finding.rule, finding.path, _Sentence(finding.message))
        for finding in page.findings
    ]
    return _table("Findings", ("", "rule", "node", "what"), rows, page.total - len(rows))
