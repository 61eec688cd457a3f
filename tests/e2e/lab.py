"""A notebook in real JupyterLab, as a test drives it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from nz_explorer.lab.launcher import Server

# Where JupyterLab's own interface is only in the way, its commands and its model are used
# (--LabApp.expose_app_in_browser); everything inside the widget is clicked and typed.
OPEN = 'async path => { await jupyterapp.commands.execute("docmanager:open", { path }); }'
ADD_CELL = """source => {
    const { content } = jupyterapp.shell.currentWidget;
    content.model.sharedModel.addCell({ cell_type: "code", source });
    content.activeCellIndex = content.widgets.length - 1;
    return content.activeCellIndex;
}"""
RUN_CELL = """index => {
    const { content } = jupyterapp.shell.currentWidget;
    content.deselectAll();
    content.activeCellIndex = index;
    jupyterapp.commands.execute("notebook:run-cell");
}"""
RUN_ALL = 'async () => { await jupyterapp.commands.execute("notebook:run-all-cells"); }'
OUTPUTS = """index => {
    const cell = jupyterapp.shell.currentWidget.content.model.cells.get(index);
    return cell.type === "code" ? cell.outputs.toJSON() : [];
}"""
RUNNING = """index => {
    const cell = jupyterapp.shell.currentWidget.content.model.cells.get(index);
    return cell.sharedModel.executionState === "running";
}"""
STATE = """index => {
    const cell = jupyterapp.shell.currentWidget.content.model.cells.get(index).sharedModel;
    return cell.executionState === "idle" && cell.execution_count !== null;
}"""
EXECUTE = """async code => {
    const { kernel } = jupyterapp.shell.currentWidget.sessionContext.session;
    const { content } = await kernel.requestExecute({ code, silent: true }).done;
    return content.status === "ok" ? null : `${content.ename}: ${content.evalue}`;
}"""
RESTART = "() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
SAVE = 'async () => { await jupyterapp.commands.execute("docmanager:save"); }'
FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
IDLE = """() => {
    const session = window.jupyterapp?.shell?.currentWidget?.sessionContext;
    return session?.isReady && session.session?.kernel?.status === "idle";
}"""

START_MS = 60_000
"""JupyterLab loads several megabytes and a kernel starts."""
CELL_MS = 60_000


class CellError(AssertionError):
    """A cell raised; the message is its error."""


def eventually(page: Page, holds: Callable[[], bool]) -> bool:
    """Wait until something holds; returns whether it came to that."""
    end = time.monotonic() + CELL_MS / 1000
    while not (found := holds()) and time.monotonic() < end:
        page.wait_for_timeout(100)
    return found


@dataclass(frozen=True)
class Notebook:
    """A notebook that is open in a page."""

    page: Page
    folder: Path
    name: str

    @classmethod
    def open(
        cls, page: Page, server: Server, folder: Path, name: str, where: str = "lab/tree"
    ) -> Notebook:
        """Open a notebook of the server's folder and wait for its kernel.

        JupyterLab shows it, or Notebook 7 where its path, ``notebooks``, is given.
        """
        page.goto(server.lab_url(name).replace("lab/tree", where))
        page.wait_for_function(IDLE, timeout=START_MS)
        return cls(page, folder, name)

    @classmethod
    def open_beside(cls, page: Page, folder: Path, name: str) -> Notebook:
        """Open a notebook in the JupyterLab that a page shows, and wait for its kernel."""
        page.evaluate(OPEN, name)
        page.wait_for_function(IDLE, timeout=START_MS)
        return cls(page, folder, name)

    @property
    def widgets(self) -> Locator:
        """The explorers on the page."""
        return self.page.locator(".nzx")

    def run_all(self) -> None:
        """Run all cells as the menu does; an error in one is an error here."""
        self.page.evaluate(RUN_ALL)
        count = self.page.evaluate("jupyterapp.shell.currentWidget.content.model.cells.length")
        for index in range(count):
            self._raise_error(index)

    def start(self, code: str) -> int:
        """Add a cell, run it and do not wait; returns the cell's index."""
        index: int = self.page.evaluate(ADD_CELL, code)
        self.page.evaluate(RUN_CELL, index)
        return index

    def finish(self, index: int) -> str:
        """Wait for a cell and return the text that it printed or displayed."""
        self.page.wait_for_function(STATE, arg=index, timeout=CELL_MS)
        self._raise_error(index)
        texts = []
        for output in self.page.evaluate(OUTPUTS, index):
            text = output.get("text") or output.get("data", {}).get("text/plain", "")
            texts.append("".join(text) if isinstance(text, list) else text)
        return "".join(texts).strip()

    def is_running(self, index: int) -> bool:
        """Return whether a cell has been started and has not ended."""
        running: bool = self.page.evaluate(RUNNING, index)
        return running

    def run(self, code: str) -> str:
        """Add a cell, run it and return the text that it printed or displayed."""
        return self.finish(self.start(code))

    def tell(self, code: str) -> None:
        """Run code in the kernel beside the notebook, without a cell."""
        problem: str | None = self.page.evaluate(EXECUTE, code)
        if problem is not None:
            raise CellError(problem)

    def until(self, condition: str) -> None:
        """Wait until something holds in the kernel, such as that it knows what the page has set."""

        def holds() -> bool:
            try:
                self.tell(f"assert {condition}")
            except CellError:
                return False
            return True

        if not eventually(self.page, holds):
            raise CellError(condition)

    def restart_kernel(self) -> None:
        """Restart the kernel; what it knew is gone."""
        self.page.evaluate(RESTART)
        self.page.wait_for_function(IDLE, timeout=START_MS)

    def save(self) -> dict[str, object]:
        """Save the notebook and return what is then in the file."""
        self.page.evaluate(SAVE)
        notebook: dict[str, object] = json.loads((self.folder / self.name).read_text("utf-8"))
        return notebook

    def _raise_error(self, index: int) -> None:
        for output in self.page.evaluate(OUTPUTS, index):
            if output["output_type"] == "error":
                raise CellError(f"cell {index}: {output['ename']}: {output['evalue']}")


OpenNotebook = Callable[[Sequence[str]], Notebook]
"""The fixture ``notebook``: opens one that is made of these cells."""


@dataclass(frozen=True)
class Explorer:
    """The widget, by the names that assistive technology hears."""

    root: Locator

    @property
    def tree(self) -> Locator:
        """The tree."""
        return self.root.get_by_role("tree", name="Groups and arrays")

    @property
    def selected(self) -> Locator:
        """The selected row of the tree."""
        return self.tree.get_by_role("treeitem", selected=True)

    @property
    def status(self) -> Locator:
        """Progress and counts."""
        return self.root.get_by_role("status").first

    @property
    def picture(self) -> Locator:
        """The picture."""
        return self.root.get_by_role("img").first

    @property
    def values(self) -> Locator:
        """The data area of the picture, which takes pointer and keys."""
        return self.root.get_by_role("application", name="Values").first

    def item(self, name: str) -> Locator:
        """Return a row of the tree by the node's name."""
        return self.tree.get_by_role("treeitem", name=name, exact=True)

    def tab(self, name: str) -> Locator:
        """Return a tab by its name."""
        return self.root.get_by_role("tablist").get_by_role("tab", name=name)

    def show(self, tab: str) -> Locator:
        """Open a tab and return its panel."""
        self.tab(tab).click()
        expect(self.tab(tab)).to_have_attribute("aria-selected", "true")
        return self.root.get_by_role("tabpanel")

    def slider(self, dimension: str) -> Locator:
        """Return the slider of a dimension."""
        return self.root.get_by_role("slider", name=dimension, exact=True)

    def pixels(self) -> str:
        """Return what the picture's canvas shows, as a data URL."""
        canvas = self.root.locator("canvas").first
        url: str = canvas.evaluate("canvas => canvas.toDataURL()")
        return url

    def settle(self) -> None:
        """Wait until the picture is drawn and stands where it stays."""
        self.root.page.evaluate(FRAMES)
        expect(self.root.locator("[aria-busy]")).to_have_attribute("aria-busy", "false")
        self.root.page.evaluate(FRAMES)

    def wait_until_repainted(self, before: str) -> None:
        """Wait until the picture's canvas shows something else."""
        assert eventually(self.root.page, lambda: self.pixels() != before), "the picture stays"

    def wait_until_done(self) -> None:
        """Wait until the background walk has ended."""
        expect(self.root.get_by_role("progressbar")).to_have_count(0, timeout=CELL_MS)


def write_notebook(path: Path, cells: Sequence[str]) -> Path:
    """Write a notebook of code cells."""
    notebook = {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "cells": [
            {
                "id": f"cell{number}",
                "cell_type": "code",
                "metadata": {},
                "execution_count": None,
                "outputs": [],
                "source": source,
            }
            for number, source in enumerate(cells)
        ],
    }
    path.write_text(json.dumps(notebook, indent=1), "utf-8")
    return path
