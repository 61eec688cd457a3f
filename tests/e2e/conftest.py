"""Real JupyterLab and real Chromium; a console error or an uncaught one fails the test."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Error,
    Page,
    Request,
    expect,
    sync_playwright,
)

from nz_explorer.lab.launcher import Server, serve
from nz_explorer.lab.workspace import WORKSPACE
from tests.e2e import browser as chromium
from tests.e2e.lab import START_MS, Notebook, OpenNotebook, write_notebook

FAILURES = Path(__file__).parent / "failures"
THEMES = "@jupyterlab/apputils-extension:themes"
VIEWPORT = {"width": 1400, "height": 1000}
LOADED = "() => window.jupyterapp !== undefined"
RESTORED = "async () => { await jupyterapp.restored; }"
CLEAR = """async () => {
    for (const one of [...jupyterapp.shell.widgets("main")]) one.dispose();
    await jupyterapp.serviceManager.sessions.shutdownAll();
    if (document.body.dataset.jpThemeLight !== "true")
        await jupyterapp.commands.execute("apputils:change-theme", { theme: "JupyterLab Light" });
}"""
TIMEOUT_MS = 20_000
"""How long what must come may take, while other tests keep the machine busy."""

expect.set_options(timeout=TIMEOUT_MS)

outcome = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Iterator[pytest.TestReport]:
    """Remember whether a test failed, for the screenshot that its page takes."""
    report: pytest.TestReport = yield
    item.stash[outcome] = item.stash.get(outcome, False) or report.failed
    return report


@dataclass(frozen=True)
class Lab:
    """A JupyterLab of the tests' own, and the folder it shows."""

    server: Server
    folder: Path


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Run JupyterLab for all tests, untouched by the user's settings and caches."""
    home = tmp_path_factory.mktemp("jupyter")
    folder = tmp_path_factory.mktemp("notebooks")
    with pytest.MonkeyPatch.context() as environment:
        for name in (
            "JUPYTER_CONFIG_DIR",
            "JUPYTER_DATA_DIR",
            "JUPYTER_RUNTIME_DIR",
            "JUPYTERLAB_SETTINGS_DIR",
            "IPYTHONDIR",
            "XDG_CACHE_HOME",
            "XDG_STATE_HOME",
        ):
            place = home / name.lower()
            place.mkdir(mode=0o700)
            environment.setenv(name, str(place))
        options = [
            f"--{app}.expose_app_in_browser=True" for app in ("LabApp", "JupyterNotebookApp")
        ]
        with serve(folder, options=options) as server:
            yield Lab(server, folder)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Run Chromium; not longer, for while Playwright runs no other event loop does in this thread."""
    path = chromium.find()
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("no Chromium: run `make browser`")
        pytest.skip("no Chromium: run `make browser`")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=chromium.ARGUMENTS)
        yield running
        running.close()


def reset(lab: Lab) -> None:
    """Give JupyterLab no open notebooks and its own theme: it restores both when a page is opened."""
    lab.server.request("PUT", "lab/api/workspaces/default", WORKSPACE)
    lab.server.request("PUT", f"lab/api/settings/{THEMES}", {"raw": "{}"})


def end_kernels(lab: Lab) -> None:
    """Leave no kernels behind, when the page, which would complain, no longer knows them."""
    for session in lab.server.request("GET", "api/sessions"):
        lab.server.request("DELETE", f"api/sessions/{session['id']}")


def open_page(browser: Browser) -> tuple[Page, list[str]]:
    """Open a page in a context of its own; its errors come to stand in the list."""
    context = browser.new_context(viewport=VIEWPORT)
    page = context.new_page()
    page.set_default_timeout(TIMEOUT_MS)
    problems: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        at = message.location.get("url", "")
        # JupyterLab says so when a test breaks its connection while it sends.
        closing = "WebSocket is already in CLOSING" in message.text
        # Jupyter's server cannot list its kernels in the moment in which one is started (last_activity is None); the
        # page asks again.
        starting = "status of 500" in message.text and "/api/kernels?" in at
        if message.type == "error" and not closing and not starting:
            problems.append(f"console: {message.text} ({at})")

    def on_request(asked: Request) -> None:
        if not re.match(r"(https?|wss?)://127\.0\.0\.1[:/]|data:|blob:", asked.url):
            problems.append(f"network: {asked.url}")

    page.on("console", on_console)

    def on_error(error: Error) -> None:
        # Notebook 7 has errors of its own, also without a widget.
        if "/static/notebook/" not in (error.stack or ""):
            problems.append(f"uncaught: {error}")

    page.on("pageerror", on_error)
    page.on("request", on_request)
    return page, problems


def take_picture_of_failure(page: Page, item: pytest.Item) -> None:
    """Keep what a page shows at the end of a test that failed."""
    FAILURES.mkdir(exist_ok=True)
    name = re.sub(r"\W+", "-", item.name).strip("-")
    page.screenshot(path=FAILURES / f"{name}.png")


@dataclass
class Window:
    """A JupyterLab that stays open for the tests of a module, since loading it takes longer than most of them."""

    browser: Browser
    lab: Lab
    _shown: tuple[Page, list[str]] | None = None

    def show(self) -> tuple[Page, list[str]]:
        """Return the page and its errors, loaded if it is not open."""
        if self._shown is None:
            reset(self.lab)
            self._shown = open_page(self.browser)
            page, _ = self._shown
            page.goto(self.lab.server.lab_url("").replace("lab/tree/", "lab"))
            page.wait_for_function(LOADED, timeout=START_MS)
            page.evaluate(RESTORED)
        return self._shown

    def clear(self) -> None:
        """Close what is open in it, end its kernels, and give it its size and theme again."""
        page, _ = self.show()
        page.evaluate(CLEAR)
        page.set_viewport_size(VIEWPORT)

    def close(self) -> None:
        """Close the page; the next test loads it."""
        if self._shown is not None:
            self._shown[0].context.close()
            self._shown = None
            end_kernels(self.lab)


@pytest.fixture(scope="module")
def window(browser: Browser, lab: Lab) -> Iterator[Window]:
    """Share a JupyterLab among the notebooks of a module."""
    shared = Window(browser, lab)
    yield shared
    shared.close()


@pytest.fixture
def page(window: Window, request: pytest.FixtureRequest) -> Iterator[Page]:
    """Open a page; afterwards its errors are the test's, and a failed test leaves a picture."""
    window.close()  # it would write into the workspace that this one reads
    reset(window.lab)
    page, problems = open_page(window.browser)
    yield page
    if request.node.stash.get(outcome, False) or problems:
        take_picture_of_failure(page, request.node)
    found = list(problems)
    page.context.close()
    end_kernels(window.lab)
    assert not found, "the page reported errors"


@pytest.fixture
def notebook(window: Window, request: pytest.FixtureRequest) -> Iterator[OpenNotebook]:
    """Open a notebook made of these cells, as with a page, but in a JupyterLab that was used before."""
    page, problems = window.show()
    problems.clear()
    name = re.sub(r"\W+", "-", request.node.name).strip("-") + ".ipynb"

    def open_notebook(cells: Sequence[str]) -> Notebook:
        write_notebook(window.lab.folder / name, cells)
        return Notebook.open_beside(page, window.lab.folder, name)

    yield open_notebook
    if failed := request.node.stash.get(outcome, False) or bool(problems):
        take_picture_of_failure(page, request.node)
    found = list(problems)
    if failed:
        window.close()
    else:
        window.clear()
    assert not found, "the page reported errors"
