"""What the widget leaves in a notebook: itself, and a page for who has no kernel."""

from __future__ import annotations

import contextlib
from typing import Any

from nz_explorer.model import NodeNotFound
from nz_explorer.store import ReadError
from nz_explorer.text.printable import encodable
from nz_explorer.widget.explorer.after_changes import after_changes
from nz_explorer.widget.explorer.synced_widget import SyncedWidget
from nz_explorer.widget.lifetimes import lifetimes

STATIC_PAGE_SECONDS = 1.5
"""How long displaying waits for the walk, so that the saved page can show its result."""
PAGE_SECONDS = 1.5
"""The page is made anew for what somebody looks at for so long, and so long after the end of a walk."""


class DisplayedWidget(SyncedWidget):
    """A widget that is displayed with its page, which is made anew for what somebody stays with."""

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle: Any = super()._repr_mimebundle_(**kwargs)
        if bundle is None:  # the front end does not show widgets
            return None
        lifetimes.displayed(self)
        self._session.wait(STATIC_PAGE_SECONDS)
        if not self._saved_page:
            after_changes(
                self, ("path", "index", "view", "_walks"), PAGE_SECONDS, DisplayedWidget._renew_page
            )
        page = self._page()
        data, *metadata = bundle if isinstance(bundle, tuple) else (bundle,)
        data = {**data, "text/html": page, "text/plain": repr(self)}
        return (data, *metadata) if metadata else data

    def _page(self) -> str:
        """Return the page for who has no kernel, and tell the front end, which saves it with the notebook."""
        from nz_explorer.widget.static_page import FRAMED, static_page

        page = encodable(static_page(self._session, self.path, self.view, self.index))
        self._saved_page = FRAMED + page
        return page

    def _renew_page(self) -> None:
        # Not worth opening the store again; and where it cannot be read any more, the page before is better than none.
        with contextlib.suppress(NodeNotFound, ReadError, OSError, ValueError, RuntimeError):
            if self.is_open:
                self._page()
