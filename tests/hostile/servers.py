"""Servers as an attacker would run them: each answers a path with whatever a test wants on the wire."""

from __future__ import annotations

import contextlib
import http.server
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Answer = Callable[["Connection"], None]
MEBIBYTE = 2**20
MOST = 256 * MEBIBYTE
"""What a server sends that never ends by itself: enough to be seen in memory, and no danger to the machine."""


class Connection(http.server.BaseHTTPRequestHandler):
    """One connection; `sent` counts the bytes of all bodies."""

    protocol_version = "HTTP/1.1"
    server: Any

    def log_message(self, *_: Any) -> None:
        """Keep the test output readable."""

    def do_GET(self) -> None:
        """Answer a request."""
        attacker: Attacker = self.server.attacker
        attacker.requests.append((self.command, self.path, dict(self.headers)))
        for end, answer in attacker.answers.items():
            if self.path.partition("?")[0].endswith(end):
                with contextlib.suppress(OSError):
                    answer(self)
                self.close_connection = True
                return
        document = attacker.documents.get(self.path.lstrip("/"))
        self.head(404 if document is None else 200, {"Content-Length": len(document or b"")})
        if self.command == "GET":
            self.wfile.write(document or b"")

    do_HEAD = do_GET  # noqa: N815

    def head(self, status: int, headers: dict[str, Any]) -> None:
        """Send a status and headers."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()

    def send(self, data: bytes) -> None:
        """Send a part of a body."""
        self.wfile.write(data)
        self.server.attacker.sent += len(data)


@dataclass
class Attacker:
    """What is served: honest documents, and by the ends of their paths answers that are not."""

    documents: dict[str, bytes]
    answers: dict[str, Answer]
    url: str = ""
    sent: int = 0
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)


@contextlib.contextmanager
def attack(documents: dict[str, bytes], answers: dict[str, Answer]) -> Iterator[Attacker]:
    """Serve on a free port of the loopback."""
    attacker = Attacker(documents, answers)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Connection)
    server.daemon_threads = True
    server.attacker = attacker  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    attacker.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield attacker
    finally:
        attacker.stopped.set()
        server.shutdown()
        server.server_close()
        thread.join()


def promised(size: int, status: int = 200) -> Answer:
    """Promise so many bytes, and send a few."""

    def answer(to: Connection) -> None:
        to.head(status, {"Content-Length": size})
        to.send(b"{}")

    return answer


def endless(status: int = 200, *, chunked: bool = False, **headers: Any) -> Answer:
    """Send a body that does not end."""

    def answer(to: Connection) -> None:
        more = {"Transfer-Encoding": "chunked"} if chunked else {"Connection": "close"}
        to.head(
            status, {**{name.replace("_", "-"): value for name, value in headers.items()}, **more}
        )
        piece = b" " * MEBIBYTE
        for _ in range(MOST // MEBIBYTE):
            to.send(b"%x\r\n%s\r\n" % (len(piece), piece) if chunked else piece)

    return answer


def body(data: bytes, status: int = 200, **headers: Any) -> Answer:
    """Send a body."""

    def answer(to: Connection) -> None:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        to.head(status, {"Content-Length": len(data), **given})
        if to.command == "GET":
            to.send(data)

    return answer


def slowly(data: bytes, step: int, seconds: float) -> Answer:
    """Send a body piece by piece."""

    def answer(to: Connection) -> None:
        to.head(200, {"Content-Length": len(data)})
        for at in range(0, len(data), step):
            to.send(data[at : at + step])
            to.server.attacker.stopped.wait(seconds)

    return answer


def redirect(target: str, status: int = 302) -> Answer:
    """Lead elsewhere."""
    return lambda to: to.head(status, {"Location": target, "Content-Length": 0})


def wait_until(done: Callable[[], bool], seconds: float = 10.0) -> bool:
    """Return whether something came true in time."""
    end = time.monotonic() + seconds
    while not done() and time.monotonic() < end:
        time.sleep(0.01)
    return done()
