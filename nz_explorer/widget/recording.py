"""Questions of the browser, asked in its place, with their answers."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from nz_explorer.model import NodeNotFound
from nz_explorer.store import ReadError, SourceError
from nz_explorer.text.printable import all_encodable
from nz_explorer.widget import protocol
from nz_explorer.widget.session import Session
from nz_explorer.widget.session.conversation import REFUSED


class Recorder:
    """Asks a session as the browser does, and keeps each question with its answer.

    Parameters
    ----------
    session : Session
        The open hierarchy.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.entries: list[dict[str, Any]] = []
        self._asked: dict[str, dict[str, Any]] = {}

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result, {} where there is none; it is recorded when it is asked for the first time.

        Parameters
        ----------
        method : str
            Of the protocol.
        **params
            Its parameters.
        """
        key = json.dumps([method, params], sort_keys=True)
        if key in self._asked:
            return self._asked[key]
        entry: dict[str, Any] = {"method": method, "params": params, "buffers": []}
        try:
            result, buffers = self.session.answer(
                method, msgspec.convert(params, protocol.PARAMS[method])
            )
            entry["result"] = all_encodable(msgspec.to_builtins(result))
            entry["buffers"] = [bytes(one) for one in buffers]
        except (NodeNotFound, ReadError, SourceError, OSError, *REFUSED) as error:
            failure = protocol.Failure("unreadable", str(error), retry=False)
            entry["error"] = all_encodable(msgspec.to_builtins(failure))
        self.entries.append(entry)
        found: dict[str, Any] = entry.get("result", {})
        self._asked[key] = found
        return found
