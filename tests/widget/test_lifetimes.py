"""An explorer lets go of its session when nothing uses it, and opens it again when something does."""

from __future__ import annotations

import gc
import inspect
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import comm
import numpy as np
import pytest
import zarr
from jupyter_client.blocking.client import BlockingKernelClient

import nz_explorer as nz
from nz_explorer.model import open_store
from nz_explorer.values.reading.chunk_cache import ChunkCache, shared_cache
from nz_explorer.values.window import read_window
from nz_explorer.widget import channel
from nz_explorer.widget.explorer import Explorer, synced_widget
from tests.widget.conftest import Browse
from tests.widget.test_kernel import ask, kernel, run

__all__ = ["kernel"]
TIMEOUT = 30.0
MEBIBYTE = 2**20

USE = """
import gc, os, threading
import nz_explorer as nz
from nz_explorer.model import Hierarchy
from nz_explorer.values.reading.chunk_cache import shared_cache
from nz_explorer.widget.session import Session

def use():
    gc.collect()
    found = gc.get_objects()
    sessions = sum(type(one) is Session for one in found)
    hierarchies = sum(type(one) is Hierarchy for one in found)
    walks = sum(thread.name.startswith("nz-") for thread in threading.enumerate())
    print(sessions, hierarchies, walks, shared_cache().used)
"""


def until(happens: Callable[[], object]) -> None:
    end = time.monotonic() + TIMEOUT
    while not happens():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """An array of 12 MB."""
    array = zarr.create_array(
        tmp_path / "large.zarr", shape=(1000, 1500), chunks=(250, 500), dtype="f8"
    )
    array[:] = np.random.default_rng(0).normal(size=array.shape)
    return tmp_path / "large.zarr"


def used(kernel: BlockingKernelClient) -> list[int]:
    return [int(word) for word in run(kernel, "use()").split()]


@pytest.mark.parametrize("variable", ["ex = ", ""])
def test_a_cell_that_is_run_again_lets_go_of_what_it_showed(
    kernel: BlockingKernelClient, large: Path, variable: str
) -> None:
    run(kernel, USE)
    show = "\nex.values(whole=True).sum()\nex" if variable else ""
    cell = f"{variable}nz.explore({str(large)!r}){show}"
    run(kernel, cell)
    first = used(kernel)
    for _ in range(5):
        run(kernel, cell)
    sessions, hierarchies, threads, kept = used(kernel)
    assert (sessions, hierarchies) == (1, first[1])
    assert threads <= first[2] + 8  # those of the last session
    assert kept == first[3] > 0


def test_what_is_held_or_displayed_elsewhere_goes_on(
    kernel: BlockingKernelClient, sample_store: Path
) -> None:
    run(kernel, USE)
    cell = f"ex = nz.explore({str(sample_store)!r})\nex"
    run(kernel, cell)
    run(kernel, "kept = {'first': [ex]}")
    run(kernel, cell)
    assert run(kernel, "print(kept['first'][0].is_open, ex.is_open)") == "True True"
    run(kernel, "shown = ex\nfrom IPython.display import display\ndisplay(ex)")
    run(kernel, "del shown")
    run(kernel, cell)
    assert used(kernel)[0] == 3
    run(kernel, "kept.clear()")
    assert used(kernel)[0] == 2


def test_one_that_let_go_answers_its_page_again(
    kernel: BlockingKernelClient, sample_store: Path
) -> None:
    run(kernel, USE)
    cell = f"ex = nz.explore({str(sample_store)!r})\nprint(ex.comm.comm_id)\nex"
    [first, *_] = run(kernel, cell).split()
    run(kernel, cell)
    assert used(kernel)[0] == 1
    assert ask(kernel, first)["ok"]


@pytest.fixture
def explore() -> Iterator[Callable[..., Explorer]]:
    opened: list[Explorer] = []

    def start(source: object) -> Explorer:
        opened.append(nz.explore(source))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def test_a_released_explorer_is_as_it_was(
    explore: Callable[..., Explorer], sample_store: Path
) -> None:
    ex = explore(sample_store)
    ex.path, ex.bookmarks = "/forecast/temperature", ["/ocean"]
    assert ex.wait(TIMEOUT)
    ex.what_if.set("/", "/attributes/title", "another")
    before, first = ex.values(), weakref.ref(ex.hierarchy)
    edits = ex.what_if.edits
    ex.release()
    gc.collect()
    assert first() is None
    assert not ex.is_open
    assert "forecast" in repr(ex)
    assert not ex.is_open
    np.testing.assert_array_equal(ex.values(), before)
    assert ex.what_if.edits == edits
    assert ex._session.bookmarks == ("/ocean",)


def test_a_store_that_is_gone_is_told_to_the_page(
    explore: Callable[..., Explorer], large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ex = explore(large)
    ex.release()
    large.rename(large.with_name("moved.zarr"))
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(ex, "send", lambda message, _=None: sent.append(message))
    ex._handle_custom_msg({"kind": "request", "id": 7, "method": "open", "params": {}}, [])
    assert [(one["id"], one["error"]["code"]) for one in sent] == [(7, "unreadable")]
    large.with_name("moved.zarr").rename(large)
    ex._handle_custom_msg({"kind": "request", "id": 8, "method": "open", "params": {}}, [])
    until(lambda: any(one.get("id") == 8 and one["ok"] for one in sent))


def test_what_no_page_shows_any_more_is_released(
    explore: Callable[..., Explorer], sample_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(synced_widget, "UNSEEN_SECONDS", 0.05)
    ex = explore(sample_store)
    for page, shown in (("a", True), ("b", True), ("a", False)):
        ex._handle_custom_msg({"kind": "shown", "page": page, "shown": shown}, [])
    assert ex._unseen is None
    ex._handle_custom_msg({"kind": "shown", "page": "b", "shown": False}, [])
    until(lambda: not ex.is_open)


def test_two_that_need_the_session_open_it_once(
    explore: Callable[..., Explorer], sample_store: Path
) -> None:
    ex = explore(sample_store)
    ex.release()
    reopen, under_way, go_on, opened = ex._reopen, threading.Event(), threading.Event(), []
    assert reopen is not None

    def slow() -> Any:
        opened.append(under_way.is_set())
        under_way.set()
        assert go_on.wait(TIMEOUT)
        return reopen()

    ex._reopen = slow
    with ThreadPoolExecutor(2) as pool:
        sessions = [pool.submit(lambda: ex._session) for _ in range(2)]
        assert under_way.wait(TIMEOUT)
        assert not wait(sessions, 0.2).done
        go_on.set()
        assert sessions[0].result(TIMEOUT) is sessions[1].result(TIMEOUT)
    assert opened == [False]


def test_without_a_kernel_it_goes_with_its_last_reference(sample_store: Path) -> None:
    ex = nz.explore(sample_store)
    assert isinstance(ex.comm, comm.DummyComm)
    assert ex.wait(TIMEOUT)
    gone = [weakref.ref(ex), weakref.ref(ex._session), weakref.ref(ex.hierarchy)]
    del ex
    until(lambda: gc.collect() >= 0 and not any(one() for one in gone))


@pytest.mark.parametrize("circular", [False, True], ids=["last reference", "collector"])
def test_one_that_is_gone_is_closed_without_waiting_for_any_lock(
    sample_store: Path, circular: bool
) -> None:
    """The collector runs on any thread, which may hold what others wait for."""
    ex = nz.explore(sample_store)
    assert ex.wait(TIMEOUT)
    session = ex._session
    if circular:
        ex.itself = ex  # type: ignore[attr-defined]
    held = [ex]
    del ex

    def let_go() -> None:
        held.clear()
        gc.collect()

    locks = session.cache._lock, session.conversation._lock, session.prefetch._lock
    with ExitStack() as stack:
        for lock in locks:
            stack.enter_context(lock)
        thread = threading.Thread(target=let_go, daemon=True)
        thread.start()
        thread.join(TIMEOUT)
        waits = thread.is_alive()
    assert not waits
    until(lambda: session.conversation.closed and session.walker._closed)


def test_what_is_open_is_closed_when_the_interpreter_ends(
    sample_store: Path, http_server: Callable[..., Any]
) -> None:
    sources = [str(sample_store), http_server(sample_store).url]
    program = f"""
import atexit
atexit.register(lambda: print([ex._session.conversation.closed for ex in explorers]))
import nz_explorer as nz
explorers = [nz.explore(source) for source in {sources}]
for ex in explorers:
    ex.wait({TIMEOUT})
"""
    command = [sys.executable, "-W", "default::ResourceWarning:aiohttp", "-c", program]
    ended = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=TIMEOUT * 2
    )
    assert (ended.stdout, ended.stderr) == ("[True, True]\n", "")


def test_hierarchies_with_edits_are_not_held_by_the_cache(
    browse: Browse, sample_store: Path
) -> None:
    browser = browse(sample_store)
    path = "/forecast/temperature"
    edited = []
    for number in range(8):
        browser.session.what_if.set(path, "/attributes/units", str(number))
        edited.append(weakref.ref(browser.session.what_if.evaluation.hierarchy))
        browser.ask("picture", path=path, index={}, width=100, height=100)
        browser.session.what_if.reset()
    assert browser.session.hierarchy not in [one() for one in edited]
    until(lambda: gc.collect() >= 0 and not any(one() for one in edited))


def test_one_cache_for_all_sessions(browse: Browse, large: Path, sample_store: Path) -> None:
    one, two = browse(large).session, browse(sample_store).session
    assert one.cache is two.cache is shared_cache()


def test_chunks_go_with_the_hierarchy_they_were_read_from(large: Path) -> None:
    cache = ChunkCache()
    first, second = open_store(large), open_store(large)
    read_window(first["/"], (0, 1), {}, (2000, 2000), cache=cache)
    half = cache.used
    read_window(second["/"], (0, 1), {}, (2000, 2000), cache=cache)
    assert cache.used == 2 * half > 12_000_000
    cache.forget("/", second)
    assert cache.used == half
    read_window(second["/"], (0, 1), {}, (2000, 2000), cache=cache)
    del first
    gc.collect()
    assert cache.used == half
    assert cache.hierarchies == 1


# --- the channel ----------------------------------------------------------------------------


def test_ipykernel_chooses_subshells_as_it_is_known_to() -> None:
    """The override of a private method: if this fails, look at what ipykernel does now.

    `channel.answer_where_asked` replaces `Comm._reply_subshell_for`, which the kernel asks for the subshell that
    a page's message is handled on. Without it a page whose subshell is gone hears nothing, and a busy cell blocks
    the explorer.
    """
    import ipykernel.kernelbase
    from ipykernel.comm.comm import BaseComm

    installed = channel.ipykernel_version()
    first, below = channel.CHECKED_IPYKERNEL
    if installed < first:
        assert not hasattr(BaseComm, "_reply_subshell_for"), (
            f"ipykernel {installed} has _reply_subshell_for: lower CHECKED_IPYKERNEL, {first} now"
        )
        return
    assert installed < below, (
        f"ipykernel {installed} is newer than CHECKED_IPYKERNEL ({below}): see how it routes messages of a comm"
        " to subshells, then raise the limit or drop the override"
    )
    assert hasattr(BaseComm, "_reply_subshell_for"), (
        "ipykernel has no Comm._reply_subshell_for any more: drop the override if messages of a page are handled"
        " on the subshell that the page names"
    )
    taken = list(inspect.signature(BaseComm._reply_subshell_for).parameters)
    assert taken == ["self", "data", "default"], "the signature of _reply_subshell_for has changed"
    source = inspect.getsource(ipykernel.kernelbase.Kernel.shell_channel_thread_main)
    assert "_reply_subshell_for" in source, "the kernel does not ask _reply_subshell_for any more"


class Comm:
    def _reply_subshell_for(self, data: object, default: str) -> str:
        return f"{default} of ipykernel"


class OtherComm:
    def _reply_subshell_for(self, message: object) -> str:
        return "another"


@pytest.mark.parametrize(
    ("installed", "kind", "taken"),
    [((7, 4), Comm, True), ((8, 0), Comm, False), ((7, 5), OtherComm, False)],
)
def test_an_ipykernel_that_is_not_known_is_left_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    installed: tuple[int, int],
    kind: type,
    taken: bool,
) -> None:
    monkeypatch.setattr(channel, "ipykernel_version", lambda: installed)
    opened = kind()
    channel.answer_where_asked(opened)
    assert ("_reply_subshell_for" in vars(opened)) == taken
    assert bool(caplog.records) != taken


@pytest.mark.parametrize("closed", [True, False])
def test_a_program_ends_that_explored_a_store(sample_store: Path, closed: bool) -> None:
    # ipywidgets closes every widget once more as the interpreter ends. A thread that was stopped before that
    # holds what it held for good.
    code = f"""
import threading
import nz_explorer as nz
ex = nz.explore({str(sample_store)!r})
session, holds = ex._session, threading.Event()
def hold():
    with session.walker._walking, session.conversation._lock:
        holds.set()
        threading.Event().wait()
if {closed}:
    ex.close()
    threading.Thread(target=hold, daemon=True).start()
    holds.wait()
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=60)
    assert done.returncode == 0
