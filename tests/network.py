"""A network between a client and a server on this machine: slow, narrow or failing, as a test wants it.

It is a layer around a WSGI application, so a folder and moto's S3 are served through the same one.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from werkzeug.exceptions import NotFound
from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.utils import send_from_directory

Fault = Literal["reset", "hang", "truncate"] | int
"""What may go wrong: the connection is reset, nothing is answered, half is sent, or a status."""


def no_fault(path: str) -> Fault | None:
    """Let everything through."""
    return None


TICK = 0.01
"""Seconds between the ticks by which a quiet is measured."""

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


@dataclass
class Network:
    """Passes requests on to an application, late or not at all.

    Everything may be set while it runs.

    Attributes
    ----------
    latency
        Seconds until a request is answered.
    quiet
        Seconds for which no further request must have come before any is answered.
    bandwidth
        Bytes that come through per second and connection, None for all.
    failures
        How many of the next requests are answered with 503.
    fault
        Takes the path of a request and says what goes wrong with it, None for nothing.
    requests
        Method and path of what was asked for, in order.
    """

    application: Wsgi
    latency: float = 0.0
    quiet: float = 0.0
    bandwidth: float | None = None
    failures: int = 0
    fault: Callable[[str], Fault | None] = no_fault
    requests: list[str] = field(default_factory=list)
    sent: int = 0
    """Bytes of the bodies that went out."""
    cut: int = 0
    """How many answers nobody waited for any more."""
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _answered: int = 0
    _deepest: int = 0
    _ticks: int = 0
    _came: int = 0
    """The tick at which the last request came."""
    _stopped: threading.Event = field(default_factory=threading.Event)
    _ticking: threading.Event = field(default_factory=threading.Event)

    def forget(self) -> None:
        """Begin to count anew."""
        with self._lock:
            self.requests.clear()
            self.sent = 0
            self._answered = self._deepest = 0

    @property
    def round_trips(self) -> int:
        """How many requests had to wait for one another.

        A request comes after those whose answers were on their way before it arrived. With `quiet` nothing is
        answered as long as a client still sends requests, so that what it sends at once counts as one.
        """
        return self._deepest

    @property
    def repeated(self) -> dict[str, int]:
        """What was asked for more than once."""
        with self._lock:
            return {path: times for path, times in Counter(self.requests).items() if times > 1}

    def stop(self) -> None:
        """Let go of what hangs."""
        self._stopped.set()

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        """Answer a request."""
        query = f"?{environ['QUERY_STRING']}" if environ["QUERY_STRING"] else ""
        with self._lock:
            asked = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO']}{query}"
            if environ.get("HTTP_RANGE"):
                asked += f" {environ['HTTP_RANGE']}"
            self.requests.append(asked)
            self._came = self._ticks
            depth = self._answered + 1
            self._deepest = max(self._deepest, depth)
            fault = self.fault(environ["PATH_INFO"])
            if self.failures:
                self.failures -= 1
                fault = 503
        try:
            if self.latency:
                # latency is what is simulated here, not waiting for something
                time.sleep(self.latency)
            if self.quiet and not self._ticking.is_set():
                self._ticking.set()
                threading.Thread(target=self._tick, daemon=True).start()
            while (left := TICK * (self._came - self._ticks) + self.quiet) > 0:
                if self._stopped.wait(left):
                    break
            if fault is not None:
                return self._fail(fault, environ, start)
            return self._narrow(self.application(environ, start))
        finally:
            with self._lock:
                self._answered = max(self._answered, depth)

    def _tick(self) -> None:
        """Count by turns, not by the clock: what is too busy for a client to send anything delays these as well."""
        while not self._stopped.wait(TICK):
            self._ticks += 1

    def _narrow(self, body: Iterable[bytes]) -> Iterable[bytes]:
        body = self._counted(body)
        if self.bandwidth is None:
            return body
        return _slowly(_whole(body), self.bandwidth)

    def _counted(self, body: Iterable[bytes]) -> Iterator[bytes]:
        try:
            for piece in body:
                with self._lock:
                    self.sent += len(piece)
                yield piece
        finally:
            if hasattr(body, "close"):
                body.close()

    def _fail(
        self, fault: Fault, environ: dict[str, Any], start: Callable[..., Any]
    ) -> Iterable[bytes]:
        if isinstance(fault, int):
            start(f"{fault} FAULT", [("Content-Length", "0")])
            return ()
        if fault == "hang":
            self._stopped.wait()
        if fault == "truncate":
            whole = _whole(self.application(environ, start))
            return _half(whole, environ["werkzeug.socket"])
        _reset(environ["werkzeug.socket"])
        raise ConnectionResetError


def _whole(body: Iterable[bytes]) -> bytes:
    try:
        return b"".join(body)
    finally:
        if (close := getattr(body, "close", None)) is not None:
            close()


def _slowly(whole: bytes, bandwidth: float) -> Iterator[bytes]:
    step = max(1, int(bandwidth / 100))
    for at in range(0, len(whole), step):
        yield whole[at : at + step]
        time.sleep(0.01)


def _half(whole: bytes, connection: socket.socket) -> Iterator[bytes]:
    yield whole[: len(whole) // 2]
    connection.shutdown(socket.SHUT_RDWR)


def _reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.shutdown(socket.SHUT_RDWR)


def some(share: float, seed: int, *faults: Fault) -> Callable[[str], Fault | None]:
    """Return a fault for this share of the requests, the same ones with the same seed."""
    dice = random.Random(seed)
    return lambda path: dice.choice(faults) if dice.random() < share else None


def folder(root: Path) -> Wsgi:
    """Return an application that serves the files of a folder, also parts of them, and lists nothing."""

    def application(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        path = environ["PATH_INFO"].lstrip("/").encode("latin-1").decode("utf-8", "replace")
        try:
            answer: Any = send_from_directory(root, path, environ)
        except (NotFound, OSError):
            answer = NotFound()
        return _closed_at_the_end(answer(environ, start))

    return application


def _closed_at_the_end(body: Any) -> Iterator[bytes]:
    """Close a file also where the client resets the connection, where werkzeug forgets to."""
    try:
        yield from body
    finally:
        if hasattr(body, "close"):
            body.close()


class _Quiet(WSGIRequestHandler):
    def log(self, *_: Any) -> None:
        """Keep the test output readable."""

    def connection_dropped(self, error: BaseException, environ: Any = None) -> None:
        """Count answers that a client did not wait for."""
        network = getattr(self.server, "app", None)
        if isinstance(network, Network):
            network.cut += 1


@contextlib.contextmanager
def serve(network: Network, handler: type[WSGIRequestHandler] = _Quiet) -> Iterator[str]:
    """Serve on a free port of the loopback; gives the URL."""
    server = make_server("127.0.0.1", 0, network, threaded=True, request_handler=handler)
    server.daemon_threads = True  # type: ignore[attr-defined]
    server.request_queue_size = 256
    server.socket.listen(256)  # a burst must not be refused because the queue is short
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        network.stop()
        server.shutdown()
        server.server_close()
        thread.join()


def slow_store(folder: Path, latency: float) -> Any:
    """Return a zarr store that takes so many seconds for every request, and knows no other limit.

    What is measured with it is how often a client waits, not how fast a server of this machine is: the
    files are in memory, since to read one from a disk zarr hands it to a thread.
    """
    from zarr.buffer.cpu import Buffer
    from zarr.storage import MemoryStore, WrapperStore

    class Slow(WrapperStore[Any]):
        async def get(self, *arguments: Any, **options: Any) -> Any:
            await asyncio.sleep(latency)
            return await self._store.get(*arguments, **options)

        async def exists(self, key: str) -> bool:
            await asyncio.sleep(latency)
            return bool(await self._store.exists(key))

        async def list_dir(self, prefix: str) -> Any:  # type: ignore[override]
            await asyncio.sleep(latency)
            async for name in self._store.list_dir(prefix):
                yield name

    files = (path for path in folder.rglob("*") if path.is_file())
    content = {
        path.relative_to(folder).as_posix(): Buffer.from_bytes(path.read_bytes()) for path in files
    }
    return Slow(MemoryStore(content, read_only=True))


class Gate:
    """Holds back answers of a store, each with what the store held when it was asked.

    A key is held back once; whoever asks for it again is answered at once. Listings are known as ``folder/``.
    """

    SECONDS = 10
    """After which an answer goes out all the same: a test that waits for it itself fails, and does not hang."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        """Whether something is held back."""
        self.expired = False
        """Whether somebody has waited in vain."""
        self.requests: list[str] = []
        self._held: set[str] = set()
        self._released = threading.Event()

    def hold(self, *keys: str) -> None:
        """Hold back the next answers to these keys."""
        self.asked.clear()
        self._released.clear()
        self._held = set(keys)

    def release(self) -> None:
        """Let the answers go."""
        self._held = set()
        self._released.set()

    def wait(self) -> None:
        """Wait until an answer is held back."""
        assert self.asked.wait(self.SECONDS), "nothing was asked"

    async def passes(self, key: str) -> None:
        """Wait where an answer is held back."""
        self.requests.append(key)
        if key in self._held:
            self._held.discard(key)
            self.asked.set()
            if not await asyncio.to_thread(self._released.wait, self.SECONDS):
                self.expired = True

    def store(self, folder: Path) -> Any:
        """Return a zarr store of a folder behind the gate."""
        from zarr.storage import LocalStore, WrapperStore

        gate = self

        class Gated(WrapperStore[Any]):
            async def get(self, key: str, *arguments: Any, **options: Any) -> Any:
                answer = await self._store.get(key, *arguments, **options)
                await gate.passes(key)
                return answer

            async def exists(self, key: str) -> bool:
                return bool(await self._store.exists(key))

            async def list_dir(self, prefix: str) -> Any:  # type: ignore[override]
                names = [name async for name in self._store.list_dir(prefix)]
                await gate.passes(f"{prefix}/" if prefix else "/")
                for name in names:
                    yield name

        return Gated(LocalStore(folder, read_only=True))
