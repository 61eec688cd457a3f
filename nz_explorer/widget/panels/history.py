"""The versions of an Icechunk repository: which one is shown, how others differ, and which one brought a finding."""

from __future__ import annotations

from nz_explorer.model import NodeNotFound, open_store
from nz_explorer.report.report import Report
from nz_explorer.report.store_diff import compare
from nz_explorer.store import SourceError
from nz_explorer.store.remote.icechunk_reader import VERSIONS, IcechunkReader, Version
from nz_explorer.text.phrases import capitalized
from nz_explorer.widget import protocol, text
from nz_explorer.widget.background.version_history import HISTORY, Search, VersionHistory
from nz_explorer.widget.panels import blocks
from nz_explorer.widget.panels.blocks import Blocks
from nz_explorer.widget.panels.registry import CannotDo, Context, Outcome, action, page

NO_HISTORY = (
    "This store has no history. An Icechunk repository has one: open it by its path, its s3:// URL or as a"
    " Repository; a session knows only its own version."
)


@page("history")
def history_page(context: Context) -> Blocks:
    """List the versions that led to the one that is shown, and show what a search among them found."""
    history = context.session.history
    if history is None:
        return [blocks.paragraph(NO_HISTORY)]
    versions, more = history.versions()
    shown: Blocks = [blocks.definitions([("Shown", blocks.code(history.reader.label))])]
    if history.problem:
        shown.append(blocks.paragraph(f"Not shown: {history.problem}", "error"))
    if history.search is not None:
        shown += _search(history.search)
    shown.append(
        blocks.table(
            "Versions",
            ["Snapshot", "Committed (UTC)", "Author", "Message"],
            (_row(one, history.reader.snapshot) for one in versions),
        )
    )
    if more:
        shown.append(blocks.actions(blocks.action("Show older versions", "more versions")))
    how = (
        "To find the version that brought a finding, open the finding: “Which version brought it?”"
    )
    return [*shown, blocks.paragraph([blocks.quiet(how)])]


def _row(one: Version, snapshot: str) -> protocol.TableRow:
    here = one.snapshot == snapshot
    buttons = blocks.actions(
        blocks.action("Show it", "show version", disabled=here, version=f"snapshot {one.snapshot}"),
        blocks.action(
            "Compare with what is shown", "compare version", disabled=here, snapshot=one.snapshot
        ),
    )
    name: list[str | protocol.Span] = [blocks.code(one.snapshot)]
    if here:
        name += [" ", blocks.chip("shown", "good")]
    return blocks.row(
        name,
        f"{one.written:%Y-%m-%d %H:%M}",
        one.author or blocks.quiet("–"),
        one.message,
        inside=[buttons],
    )


def _search(search: Search) -> Blocks:
    title = f"Which version brought {search.rule} at {search.path}?"
    shown: Blocks = [blocks.heading(title)]
    if search.doing:
        stop = blocks.actions(blocks.action("Stop", "stop search"))
        return [*shown, blocks.paragraph(f"{capitalized(search.doing)} …"), stop]
    if search.found is None:
        return [*shown, blocks.paragraph(f"Not found: {search.problem}", "warning")]
    found = search.found
    looked = f"{found.checks} of {text.counted(found.versions, 'version')} checked"
    if found.first is None:
        said = f"The version that is shown has no such finding; {looked}."
        return [*shown, blocks.paragraph(said, "good")]
    first, before = found.first, found.before
    who = f" by {first.author}" if first.author else ""
    shown.append(
        blocks.paragraph(
            [
                blocks.code(first.snapshot),
                f" brought it: {first.message} ({first.written:%Y-%m-%d %H:%M} UTC{who})",
            ],
            "error",
        )
    )
    facts: list[tuple[blocks.Words, blocks.Words]] = [
        ("Finding", text.on_screen(found.message)),
        (
            "Before it",
            f"{before.snapshot} has none: {before.message}" if before else "no version is older",
        ),
        ("Search", looked),
    ]
    shown.append(blocks.definitions(facts))
    buttons = [blocks.action("Show it", "show version", version=f"snapshot {first.snapshot}")]
    if before is not None:
        buttons += [
            blocks.action(
                "Show the one before", "show version", version=f"snapshot {before.snapshot}"
            ),
            blocks.action(
                "What it changed",
                "compare version",
                snapshot=before.snapshot,
                of=first.snapshot,
                title="Compares it with the version before",
            ),
        ]
    return [*shown, blocks.actions(*buttons)]


def _history(context: Context) -> VersionHistory:
    history = context.session.history
    if history is None:
        raise CannotDo(NO_HISTORY)
    return history


@action("show version")
def show_version(context: Context) -> Outcome:
    """Show another version: ``branch main``, ``tag v1``, ``snapshot 1CECHN…``, or the list of them.

    Raises
    ------
    CannotDo
        If that is no name of a version. One that cannot be shown is told in the list.
    """
    history, wanted = _history(context), context.text("version")
    if wanted == HISTORY:
        return Outcome(panel="history")
    kind, _, name = wanted.partition(" ")
    if kind not in VERSIONS or not name:
        raise CannotDo(f"a version is named by {', '.join(VERSIONS)} and its name")
    history.problem = ""
    try:
        context.session.show_version(kind, name)
    except SourceError as error:
        history.problem = str(error)
        context.session.page_changed("history")
        return Outcome(panel="history")
    there = _nearest(context)
    return Outcome() if there == context.path else Outcome(path=there)


def _nearest(context: Context) -> str:
    """Return the node that is selected, or the group above it that is in this version, too."""
    path = context.path
    while path != "/":
        try:
            return context.session.tree.node(path).path
        except NodeNotFound:
            path = path.rpartition("/")[0] or "/"
    return path


@action("compare version")
def compare_version(context: Context) -> Outcome:
    """Compare what is shown, or another version, with a version.

    Raises
    ------
    CannotDo
        If there is no such version.
    """
    history, session = _history(context), context.session
    of = context.params.get("of")
    if isinstance(of, str) and of != history.reader.snapshot:
        session.show_version("snapshot", of)
    session.wait()
    generation = session.base.hierarchy.generation
    reader, version = history.reader, {"snapshot": context.text("snapshot")}
    try:
        other = open_store(IcechunkReader(reader.repository, reader.origin, version))
    except SourceError as error:
        raise CannotDo(str(error)) from error
    session.keep_comparison(generation, compare(Report(session.base), other))
    session.page_changed("comparison")
    return Outcome(panel="comparison")


@action("more versions")
def more_versions(context: Context) -> Outcome:
    """Show older versions, too."""
    _history(context).show_more()
    return Outcome()


@action("find version")
def find_version(context: Context) -> Outcome:
    """Search for the version that brought a finding at the node, in the background."""
    _history(context).start(context.text("rule"), context.path)
    return Outcome(panel="history")


@action("stop search")
def stop_search(context: Context) -> Outcome:
    """End the search."""
    _history(context).stop()
    return Outcome()
