"""Runs the notebooks and saves what they show: ``make notebooks``.

What is saved makes sense where no kernel runs, as on GitHub: the static page of a widget, not the widget.
"""

from __future__ import annotations

import re
import sys
import warnings
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

ROOT = Path(__file__).parent.parent
NOTEBOOKS = ROOT / "notebooks"
WIDGET = "application/vnd.jupyter.widget-view+json"
SOLUTION = re.compile(r"<details><summary>Solution</summary>\s*```python\n(.*?)```", re.DOTALL)


def run(notebook: NotebookNode, folder: Path) -> NotebookNode:
    """Execute a notebook in a folder; an error in a cell is raised."""
    with warnings.catch_warnings():
        # the client's own: the kernel's sockets and loops are closed a little late
        warnings.simplefilter("ignore")
        NotebookClient(
            notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": folder}}
        ).execute()
    return notebook


def read(name: str) -> NotebookNode:
    """Return a notebook of the repository."""
    return nbformat.read(NOTEBOOKS / name, as_version=4)


def solved(notebook: NotebookNode) -> NotebookNode:
    """Put the solutions, which stand in folded text, into the cells before them."""
    for before, cell in zip(notebook.cells, notebook.cells[1:], strict=False):
        if cell.cell_type == "markdown" and (found := SOLUTION.search(cell.source)):
            before.source = found[1]
    return notebook


def printed(notebook: NotebookNode, prefix: str) -> dict[str, str]:
    """Return by cell what those printed whose id begins in this way."""
    return {
        cell.id: "".join(one.text for one in cell.outputs if one.output_type == "stream")
        for cell in notebook.cells
        if cell.cell_type == "code" and cell.id.startswith(prefix)
    }


def without_widgets(notebook: NotebookNode) -> NotebookNode:
    """Leave of widgets their static pages, and of times and homes nothing."""
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.get("outputs", ()):
            if "text" in output:
                output.text = output.text.replace(str(Path.home()), "~")
            data = output.get("data", {})
            data.pop(WIDGET, None)
            for kind, text in data.items():
                if isinstance(text, str):
                    data[kind] = text.replace(str(Path.home()), "~")
    return notebook


def main() -> None:
    """Run all notebooks, or those that are named, and save them."""
    for name in sys.argv[1:] or ("explore.ipynb", "teach.ipynb", "lecture.ipynb", "debug.ipynb"):
        notebook = without_widgets(run(read(name), NOTEBOOKS))
        nbformat.write(notebook, NOTEBOOKS / name)
        size = (NOTEBOOKS / name).stat().st_size
        print(f"{name}: {len(notebook.cells)} cells, {size // 1024} kB")


if __name__ == "__main__":
    main()
