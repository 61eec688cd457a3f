"""JupyterLab's workspace: what is open when its page is loaded, and how it is laid out."""

from __future__ import annotations

from typing import Any

WORKSPACE: dict[str, Any] = {
    "metadata": {"id": "default"},
    "data": {
        "layout-restorer:data": {
            "main": None,
            "down": {"size": 0, "widgets": []},
            "left": {"collapsed": True, "visible": True, "widgets": ["filebrowser"]},
            "right": {"collapsed": True, "visible": True, "widgets": []},
            "relativeSizes": [0, 1, 0],
            "top": {"simpleVisibility": True},
        }
    },
}
"""JupyterLab's default workspace with its side bars folded: the width belongs to the explorer."""


def workspace_with(notebook: str) -> dict[str, Any]:
    """Return that workspace with a notebook open in it.

    JupyterLab opens what its address names a second later than what was open in its workspace: it saves the workspace
    first, and waits twice for half a second whether that changes.

    Parameters
    ----------
    notebook
        Its path below the server's folder.
    """
    widget, data = f"notebook:{notebook}", WORKSPACE["data"]
    main = {
        "dock": {"type": "tab-area", "currentIndex": 0, "widgets": [widget]},
        "current": widget,
    }
    layout = {**data["layout-restorer:data"], "main": main}
    opened = {"data": {"path": notebook, "factory": "Notebook"}}
    return {**WORKSPACE, "data": {**data, "layout-restorer:data": layout, widget: opened}}
