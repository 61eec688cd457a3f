"""What the kernel takes as use of an explorer, tried without a kernel and a page: each is played by the test."""

from __future__ import annotations

import logging
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import comm
import pytest

import nz_explorer as nz
from nz_explorer.widget import lifetimes
from nz_explorer.widget.explorer import Explorer, synced_widget
from nz_explorer.widget.lifetimes import DEEPEST, MOST_ITEMS, Lifetimes


class Use:
    """An explorer, as far as lifetimes are concerned."""

    def __init__(self) -> None:
        self.is_open = True
        self.forgot = 0

    def forget_values(self) -> None:
        self.forgot += 1

    def release(self) -> None:
        self.is_open = False


class Shell:
    """IPython, with the variables of a user, and cells that run."""

    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {}
        self.user_ns_hidden: dict[str, Any] = {}
        self.called: dict[str, Callable[[Any], None]] = {}
        self.events = SimpleNamespace(register=self.called.__setitem__)
        self.running = "first"

    def get_parent(self) -> dict[str, Any]:
        return {"metadata": {"cellId": self.running}}

    def run(self, cell: str, work: Callable[[], object] = lambda: None) -> None:
        self.called["pre_run_cell"](SimpleNamespace(cell_id=cell, raw_cell="code"))
        work()
        self.called["post_run_cell"](None)


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Shell:
    shell = Shell()
    monkeypatch.setattr(lifetimes, "_shell", lambda: shell)
    return shell


@pytest.fixture
def known(shell: Shell) -> Lifetimes:
    known = Lifetimes()
    known.add(Use())  # from now on it is told of cells
    return known


# --- cells --------------------------------------------------------------------------------------


def test_a_cell_that_is_run_again_lets_go_of_what_it_made(shell: Shell, known: Lifetimes) -> None:
    one, other = Use(), Use()
    shell.run("a", lambda: [known.add(one), known.note_message(one)])
    shell.run("b", lambda: [known.add(other), known.note_message(other)])
    assert (one.is_open, other.is_open) == (True, True)
    shell.run("a")
    assert (one.is_open, other.is_open) == (False, True)
    assert (one.forgot, other.forgot) == (1, 0)


def test_one_that_was_asked_for_something_or_never_shown_goes_only_if_nobody_sees_it(
    shell: Shell, known: Lifetimes
) -> None:
    shown, inside = Use(), Use()
    shell.run("a", lambda: [known.add(shown), known.displayed(shown)])
    shell.run("a2", lambda: known.add(inside))
    known.note_message(inside)  # some page shows it, within another widget
    shell.run("b", lambda: known.displayed(shown))
    shell.run("a")
    assert shown.is_open  # the output of another cell
    shell.run("b")
    assert not shown.is_open
    shell.run("c")
    assert inside.is_open
    shell.run("a2")
    assert not inside.is_open


def test_one_that_was_only_made_goes_with_the_next_cell(shell: Shell, known: Lifetimes) -> None:
    one = Use()
    shell.run("a", lambda: known.add(one))
    assert one.is_open
    shell.run("b")
    assert not one.is_open


def test_what_a_variable_holds_goes_when_it_does_not(shell: Shell, known: Lifetimes) -> None:
    one = Use()
    shell.run("a", lambda: known.add(one))
    shell.user_ns["kept"] = {"deep": [one]}
    shell.run("a")
    assert one.is_open
    shell.user_ns["_"] = shell.user_ns["_12"] = shell.user_ns["Out"] = shell.user_ns.pop("kept")
    shell.run("b")
    assert not one.is_open


def test_front_ends_that_do_not_name_cells_are_told_apart_by_code(
    shell: Shell, known: Lifetimes
) -> None:
    one = Use()

    def run(code: str, work: Callable[[], object] = lambda: None) -> None:
        shell.called["pre_run_cell"](SimpleNamespace(cell_id=None, raw_cell=code))
        work()
        shell.called["post_run_cell"](None)

    run("ex = explore()", lambda: [known.add(one), known.note_message(one)])
    run("1 + 1")
    assert one.is_open
    run("ex = explore()")
    assert not one.is_open


# --- variables ----------------------------------------------------------------------------------


class Holder:
    def __init__(self, held: Any) -> None:
        self.held = held

    @property
    def runs_code(self) -> Any:
        raise AssertionError("no code of the user's is run")

    def __getattr__(self, name: str) -> Any:
        raise AssertionError("no code of the user's is run")


def nested(one: Any, levels: int) -> Any:
    for _ in range(levels):
        one = [one]
    return one


def _module(one: Any) -> types.ModuleType:
    made = types.ModuleType("made")
    made.held = one  # type: ignore[attr-defined]
    return made


HELD: dict[str, tuple[Callable[[Use], Any], bool]] = {
    "itself": (lambda one: one, True),
    "in a dict": (lambda one: {"a": one}, True),
    "in a tuple": (lambda one: (1, one), True),
    "in a set": (lambda one: {one}, True),
    "in an attribute": (Holder, True),
    "as a key": (lambda one: {one: 1}, False),
    "as deep as is looked": (lambda one: nested(one, DEEPEST - 1), True),
    "too deep": (lambda one: nested(one, DEEPEST), False),
    "among as many as are looked at": (lambda one: [one] + [0] * (MOST_ITEMS - 1), True),
    "among too many": (lambda one: [one] + [0] * MOST_ITEMS, False),
    "in a module": (_module, False),
    "in a class": (lambda one: type("Some", (), {"held": one}), False),
}


@pytest.mark.parametrize("how", HELD)
def test_where_explorers_are_looked_for(shell: Shell, known: Lifetimes, how: str) -> None:
    make, expected = HELD[how]
    one = Use()
    known.add(one)
    shell.user_ns["value"] = make(one)
    round_about: list[Any] = []
    round_about.append(round_about)
    shell.user_ns["round"] = round_about
    known.release_unseen(one)
    assert one.is_open is expected


def test_hidden_variables_do_not_count_until_they_are_the_users(
    shell: Shell, known: Lifetimes
) -> None:
    one, other = Use(), Use()
    for each in (one, other):
        known.add(each)
    shell.user_ns_hidden = {"exit": one, "quit": None}
    shell.user_ns |= {"exit": one, "quit": other}
    for each in (one, other):
        known.release_unseen(each)
    assert (one.is_open, other.is_open) == (False, True)


def test_without_ipython_nothing_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifetimes, "_shell", lambda: None)
    known, one = Lifetimes(), Use()
    known.add(one)
    known.displayed(one)
    known.shown(one, "page", shown=True)
    known.release_unseen(one)
    assert one.is_open
    known.shown(one, "page", shown=False)
    known.release_unseen(one)
    assert not one.is_open


# --- pages --------------------------------------------------------------------------------------


class Timer:
    """A timer that ends when the test says so."""

    started: list[Timer] = []  # noqa: RUF012  # emptied by the fixture

    def __init__(self, seconds: float, work: Callable[..., None], arguments: list[Any]) -> None:
        self.work, self.arguments, self.cancelled = work, arguments, False

    def start(self) -> None:
        Timer.started.append(self)

    def cancel(self) -> None:
        self.cancelled = True

    def end(self) -> None:
        if not self.cancelled:
            self.work(*self.arguments)


@pytest.fixture
def timers(monkeypatch: pytest.MonkeyPatch) -> list[Timer]:
    monkeypatch.setattr(synced_widget.threading, "Timer", Timer)
    Timer.started.clear()
    return Timer.started


@pytest.fixture
def ex(sample_store: Path, timers: list[Timer]) -> Iterator[Explorer]:
    opened = nz.explore(sample_store)
    yield opened
    opened.close()


def say(ex: Explorer, page: Any, shown: Any) -> None:
    ex._handle_custom_msg({"kind": "shown", "page": page, "shown": shown}, [])


def test_it_is_released_a_while_after_the_last_page(ex: Explorer, timers: list[Timer]) -> None:
    for page in ("a", "b"):
        say(ex, page, shown=True)
    say(ex, "a", shown=False)
    assert timers == []
    say(ex, "b", shown=False)
    assert len(timers) == 1
    assert ex.is_open
    timers[0].end()
    assert not ex.is_open


def test_an_output_that_is_moved_keeps_its_session(ex: Explorer, timers: list[Timer]) -> None:
    say(ex, "a", shown=True)
    say(ex, "a", shown=False)
    say(ex, "a", shown=True)
    for timer in timers:
        timer.end()
    assert ex.is_open
    # Also where the timer has ended already, and the page came back meanwhile.
    say(ex, "a", shown=False)
    late = timers[-1]
    say(ex, "b", shown=True)
    late.cancelled = False
    late.end()
    assert ex.is_open


def test_messages_that_say_nothing_of_pages_change_nothing(
    ex: Explorer, timers: list[Timer], caplog: pytest.LogCaptureFixture
) -> None:
    say(ex, "a", shown=True)
    for page, shown in ((5, False), ("a", "no"), (None, None)):
        say(ex, page, shown)
    ex._handle_custom_msg({"kind": "shown"}, [])
    assert timers == []
    assert len(caplog.records) == 4
    assert {record.levelno for record in caplog.records} == {logging.WARNING}
    assert ex.is_open


# --- marimo -------------------------------------------------------------------------------------


def test_marimo_lets_go_when_it_runs_the_cell_again(
    sample_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("marimo")
    from marimo._plugins.ui._impl import comm as channels
    from marimo._runtime.commands import ModelCommand, ModelCustomMessage

    manager = channels.MarimoCommManager()
    sent: list[dict[str, Any]] = []

    def create(**options: Any) -> Any:
        options.setdefault("comm_id", f"comm {len(manager.comms)}")
        return channels.MarimoComm(comm_manager=manager, **options)

    monkeypatch.setattr(comm, "create_comm", create)
    ex = nz.explore(sample_store)
    try:
        assert isinstance(ex.comm, channels.MarimoComm)
        assert manager.comms[ex.comm.comm_id] is ex.comm
        monkeypatch.setattr(ex, "send", lambda message, _=None: sent.append(message))
        content = {"kind": "request", "id": 5, "method": "open", "params": {}}
        message = ModelCustomMessage(content=content)
        manager.receive_comm_message(
            ModelCommand(model_id=ex.comm.comm_id, message=message, buffers=[])
        )
        assert ex.wait(30)
        channel = ex.comm
        assert ex.is_open
        channel.close()  # what marimo does before it runs the cell again
        assert not ex.is_open
        assert channel.comm_id not in manager.comms
        channel.close(deleting=True)
        assert ex.node.path == "/"
        assert ex.is_open  # whoever still has it may go on
    finally:
        ex.close()
