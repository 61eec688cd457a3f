"""What `nz-explorer demo` does: a notebook is opened whose first cell has been run, alive."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from nz_explorer.lab.launcher import LOOPBACK, run_first_cell
from nz_explorer.lab.workspace import workspace_with
from tests.e2e.conftest import Lab
from tests.e2e.lab import Explorer, Notebook, OpenNotebook, write_notebook

COUNTER = '''
import anywidget, traitlets

class Counter(anywidget.AnyWidget):
    _esm = """
    export default {
      render({ model, el }) {
        const button = document.createElement("button");
        const show = () => { button.textContent = `count ${model.get("n")}`; };
        button.onclick = () => { model.set("n", model.get("n") + 1); model.save_changes(); };
        model.on("change:n", show);
        show();
        el.append(button);
      }
    };
    """
    n = traitlets.Int(3).tag(sync=True)

counter = Counter()
counter
'''


def test_a_cell_run_before_the_browser_came_is_alive(lab: Lab, page: Page) -> None:
    write_notebook(lab.folder / "early.ipynb", [COUNTER, ""])
    run_first_cell(lab.server, "early.ipynb")
    notebook = Notebook.open(page, lab.server, lab.folder, "early.ipynb")
    page.get_by_role("button", name="count 3").click()
    expect(page.get_by_role("button", name="count 4")).to_be_visible()
    assert notebook.run("counter.n") == "4"
    notebook.run("counter.n = 9")
    expect(page.get_by_role("button", name="count 9")).to_be_visible()
    assert "html" in lab.server.request("GET", "api/nbconvert")  # for the menu; listed late


def test_a_cell_run_before_the_browser_came_comes_back_to_its_place(
    lab: Lab, page: Page, broken_store: Path
) -> None:
    source = f"import nz_explorer as nz\nex = nz.explore({str(broken_store)!r})\nex"
    write_notebook(lab.folder / "place.ipynb", [source, ""])
    run_first_cell(lab.server, "place.ipynb")
    notebook = Notebook.open(page, lab.server, lab.folder, "place.ipynb")
    explorer = Explorer(notebook.widgets.first)
    places = "list(__import__('platformdirs').user_state_path('nz_explorer').glob('places/*.json'))"
    notebook.run(f"[one.unlink() for one in {places}]")  # those of other notebooks
    explorer.item("forecast").click()
    notebook.until(f"any('/forecast' in one.read_text() for one in {places})")
    notebook.restart_kernel()
    notebook.run_all()
    again = Explorer(notebook.widgets.first)
    expect(again.selected).to_have_attribute("data-path", "/forecast")


def test_a_notebook_of_the_workspace_is_open_once_whether_the_address_names_it_or_not(
    lab: Lab, page: Page
) -> None:
    write_notebook(lab.folder / "at once.ipynb", [COUNTER])
    run_first_cell(lab.server, "at once.ipynb")
    for where in ("at once.ipynb", ""):
        lab.server.request("PUT", "lab/api/workspaces/default", workspace_with("at once.ipynb"))
        page.goto(lab.server.lab_url(where))
        expect(page.get_by_role("button", name="count 3")).to_be_visible(timeout=60_000)
        expect(page.get_by_role("tab", name="at once.ipynb")).to_have_count(1)


def test_cells_of_an_opened_notebook_run(notebook: OpenNotebook) -> None:
    opened = notebook([COUNTER])
    opened.run_all()
    expect(opened.page.get_by_role("button", name="count 3")).to_be_visible()


def test_an_error_in_a_cell_is_an_error_of_the_test(
    notebook: OpenNotebook,
) -> None:
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        notebook([]).run("1 / 0")


@pytest.mark.parametrize("path", ["api/contents", "api/nbconvert"])
def test_the_server_wants_its_token(lab: Lab, path: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(f"{lab.server.url}{path}")
    assert refused.value.code == 403
    refused.value.close()


def test_the_server_listens_on_loopback_only(lab: Lab) -> None:
    found = re.match(rf"http://{re.escape(LOOPBACK)}:(\d+)/$", lab.server.url)
    assert found
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # Nothing is sent: connecting a datagram socket only picks the outward address.
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no other interface than loopback")
        outward = probe.getsockname()[0]
    with pytest.raises(OSError, match=r"refused|timed out|unreachable"):
        socket.create_connection((outward, int(found[1])), timeout=5)


@pytest.mark.usefixtures("lab")
def test_demo_prints_the_address_and_ends_cleanly() -> None:
    # `lab` is asked for its environment: this JupyterLab must not touch the user's either.
    process = subprocess.Popen(
        [sys.executable, "-m", "nz_explorer.cli", "demo", "--no-browser"],
        # Tests that run in the background hand down that Ctrl-C is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    url = None
    with process.stdout:
        for line in process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\S+", line):
                url = found[0]
                break
        assert url is not None, "it ended without printing an address"
        assert "token=" in url
        with urllib.request.urlopen(url) as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
    assert process.wait(timeout=30) == 0
    assert "Stopped." in rest
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(url)
