"""A store as an attacker would make it, in a real browser: nothing of it runs, nothing asks another host.

The ``page`` fixture fails a test for every console error, uncaught error and request to another host.
"""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.conftest import digest
from tests.e2e.lab import Explorer, OpenNotebook
from tests.hostile.stores import NAMES, write

TABS = ("Plot", "Dimensions", "Findings", "Metadata", "netCDF", "Code")
BROUGHT = """() => ({
    pwned: window.pwned ?? null,
    polluted: ({}).polluted ?? null,
    elements: document.querySelectorAll(
        '.nzx script, .nzx img[src="x"], .nzx [onerror], .nzx [onload], .nzx iframe,'
        + '.nzx [href^="javascript"], .nzx [style*="evil"]').length,
})"""


def test_nothing_that_a_store_holds_runs_in_the_browser(
    notebook: OpenNotebook, tmp_path: Path
) -> None:
    store = write(tmp_path / "hostile.zarr")
    before = digest(store)
    book = notebook([f"import nz_explorer as nz\n\nex = nz.explore({str(store)!r})\nex"])
    asked: list[str] = []
    book.page.on("dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss()))
    book.run_all()
    explorer = Explorer(book.widgets.first)
    explorer.wait_until_done()
    for path in ("/", *(f"/{name}" for name in NAMES), "/refused", "/cut", "/pickled"):
        book.run(f"ex.path = {path!r}")
        expect(explorer.selected).to_have_count(1)
        for tab in TABS if path in ("/", f"/{NAMES[0]}", "/pickled") else ("Metadata", "Plot"):
            expect(explorer.show(tab)).not_to_be_empty()
    box = book.widgets.first.bounding_box()
    assert box is not None
    assert book.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    book.save()
    assert asked == []
    assert book.page.evaluate(BROUGHT) == {"pwned": None, "polluted": None, "elements": 0}
    assert not (tmp_path / "pwned").exists()
    assert digest(store) == before
