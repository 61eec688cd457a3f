"""From ``nz-explorer lab`` to the first picture in a browser that runs already: ``python -m tests.benchmarks --only lab``.

JupyterLab, opening what its address names, waits twice for half a second whether its workspace changes; ours is open in the
workspace. Where the other time goes (processor time, two cores, 7.0 s in all): JupyterLab's server 1.1 s, of which half are imports; the
command 0.4 s and the imports of the first kernel 1.1 s beside it (`nz_explorer.lab.warm_kernel`); then the page, which
takes 3 s in its own process and 1 s in the others of the browser, and what is left of the kernel, 0.4 s, of which half is
the saved picture. Left out until the notebook is there, or altogether: nbconvert for the menu of formats and the check of
JupyterLab's build (0.4 s of the server's loop, which would have handed out the notebook in that time), npm, which is asked
for language servers (0.3 s), and a grammar that nobody uses (1.1 s).
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

from playwright.sync_api import Browser, Error, Page, sync_playwright

from tests.benchmarks.results import Result
from tests.e2e import browser as chromium
from tests.e2e.lab import write_notebook

ROUNDS = 5
PICTURE = ".nzx canvas[role=img][aria-label]"
VARIABLES = ("JUPYTER_CONFIG_DIR", "JUPYTERLAB_SETTINGS_DIR", "JUPYTER_RUNTIME_DIR")
"""Of JupyterLab, so that the person's own settings play no part."""
TOKEN = "plain"
PLAIN = (
    "--allow-root",
    "--ServerApp.ip=127.0.0.1",
    "--ServerApp.port_retries=50",
    f"--IdentityProvider.token={TOKEN}",
    "--LabApp.news_url=None",
)


def rows(folder: Path, store: Path) -> list[Result]:
    """Start the command, open what it names, and wait for the picture; beside it JupyterLab alone, until a notebook is shown."""
    places = {name: folder / name.lower() for name in VARIABLES}
    for place in places.values():
        place.mkdir(mode=0o700)
    environment = {**os.environ, **{name: str(place) for name, place in places.items()}}
    write_notebook(folder / "empty.ipynb", [""])
    ours = [sys.executable, "-m", "nz_explorer.cli", "lab", "--no-browser", str(store)]
    plain = [sys.executable, "-m", "jupyterlab", "--no-browser", *PLAIN]
    plain.append(f"--ServerApp.root_dir={folder}")
    taken, alone = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium.find(), args=[*chromium.ARGUMENTS]
        )
        for _ in range(ROUNDS):
            taken.append(_seconds(browser, ours, environment, "", (".jp-Notebook", PICTURE)))
            alone.append(
                _seconds(browser, plain, environment, "/tree/empty.ipynb", (".jp-Notebook",))
            )
        browser.close()
    server, notebook, picture = (statistics.median(one) for one in zip(*taken, strict=True))
    reference = statistics.median(one[-1] for one in alone)
    work = f"nz-explorer lab: server {server:.1f} s, notebook {notebook:.1f} s, first picture (load {os.getloadavg()[0]:.0f})"
    what = "JupyterLab, an empty notebook"
    return [
        Result(work, picture, what, reference, reference / picture, "<= 4 s", picture <= 4),
    ]


def _seconds(
    browser: Browser,
    command: list[str],
    environment: dict[str, str],
    below: str,
    shown: tuple[str, ...],
) -> list[float]:
    """Return when a server said its address, and when each of some elements was seen, since it was started."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    began = time.perf_counter()
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**environment, "PYTHONUNBUFFERED": "1"},
    ) as process:
        try:
            assert process.stdout is not None
            lines = (re.search(r"http://127\S+", line) for line in process.stdout)
            address = next(found[0] for found in lines if found)
            times = [time.perf_counter() - began]
            if below:
                # JupyterLab does not print a token that it was given.
                address = f"{address.split('/lab')[0]}/lab{below}?token={TOKEN}"
            _open(page, address, process)
            for one in shown:
                page.wait_for_selector(one, timeout=60_000)
                times.append(time.perf_counter() - began)
            page.context.close()
        finally:
            process.terminate()  # in the background of a shell Ctrl-C is ignored
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:  # JupyterLab sometimes waits for a kernel without end
                process.kill()
    return times


def _open(page: Page, address: str, process: subprocess.Popen[str]) -> None:
    """Go to an address that JupyterLab may have said a moment before it answers there."""
    while True:
        try:
            page.goto(address, wait_until="commit")
        except Error as error:
            # the page that says so may come a moment later, and is in the way of the next attempt
            again = any(one in str(error) for one in ("ERR_CONNECTION_REFUSED", "chrome-error://"))
            if not again or process.poll() is not None:
                raise
            page.wait_for_timeout(20)
        else:
            return
