"""From moving a slider to the painted picture, and playing: in real JupyterLab, in a real browser.

Nobody listens while it is measured. Playwright has every message of a page's socket sent to it as text, which takes a
third of the processor time of a step; so the page measures by itself while Playwright is not connected.

Where the time of a step goes (two cores, a map of 1140 × 560 pixels; 85 to 90 ms of processor time in all processes on
a machine whose Python adds a million numbers in 0.1 s): the browser's page takes 50, of which 14 are the front end's own,
8 JupyterLab's (its toolbar lays itself out anew for each message), the rest layout, painting and compositing in software;
the kernel and Jupyter's server take 23, the other processes of the browser 16. On a machine that is busy with other things it
is this sum that decides. Coastlines, drawn for each step, took another 20: they are kept as long as they are the same.
"""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import zarr
from playwright.sync_api import Browser, Locator, Page, Playwright, expect, sync_playwright

from nz_explorer.lab.launcher import serve
from tests.e2e import browser as chromium
from tests.e2e.lab import Explorer, Notebook, write_notebook

STEPS = 60
PLAYED = 60
"""Pictures that are played."""
CHUNK = 12
"""Steps in time that one chunk holds: 50 MB decoded for a slice, which the budget allows."""
NAME = "slider.ipynb"

# A step ends with the frame in which the canvas has the picture of the new label.
MOVE = """async (slider, steps) => {
    const chunk = CHUNK;
    const put = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
    const taken = [];
    for (let step = 1; step <= steps; step++) {
        const at = step % (2 * chunk - 2);
        const canvas = slider.closest("[role=tabpanel]").querySelector("canvas[role=img]");
        const painted = new Promise((done) => {
            new MutationObserver((_, observer) => {
                observer.disconnect();
                requestAnimationFrame(() => setTimeout(() => done(performance.now())));
            }).observe(canvas, { attributeFilter: ["aria-label"] });
        });
        put.call(slider, at < chunk ? at : 2 * chunk - 2 - at);
        const began = performance.now();
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        taken.push((await painted) - began);
    }
    return taken;
}""".replace("CHUNK", str(CHUNK))

# Plays until so many pictures were painted; the milliseconds between them.
PLAY = """async (slider, pictures) => {
    const canvas = slider.closest("[role=tabpanel]").querySelector("canvas[role=img]");
    const button = slider.parentElement.querySelector("button[aria-label^=Play]");
    const painted = [];
    await new Promise((done) => {
        new MutationObserver((_, observer) => {
            if (painted.push(performance.now()) > pictures) done(observer.disconnect());
        }).observe(canvas, { attributeFilter: ["aria-label"] });
        button.click();
    });
    button.click();
    return painted.slice(1).map((at, nth) => at - painted[nth]);
}"""


@dataclass(frozen=True)
class Motion:
    """What pictures in motion take.

    Attributes
    ----------
    moves
        Milliseconds from each of many moves to its painted picture.
    played
        Milliseconds from each picture that is played to the next.
    move_cpu, play_cpu
        Processor time of a picture in all processes: kernel, server and browser. In seconds.
    """

    moves: list[float]
    played: list[float]
    move_cpu: float
    play_cpu: float

    @property
    def rate(self) -> float:
        """Pictures played in a second."""
        return 1000 / float(np.mean(self.played))


def write(folder: Path) -> Path:
    """Write 24 × 721 × 1440 float32."""
    group = zarr.open_group(folder, mode="w")
    shape, chunks = (2 * CHUNK, 721, 1440), (CHUNK, 121, 240)
    names = ("time", "lat", "lon")
    array = group.create_array("t", shape=shape, chunks=chunks, dtype="f4", dimension_names=names)
    base = np.add.outer(np.linspace(-30, 30, 721), 10 * np.sin(np.linspace(0, 6, 1440)))
    array[...] = (base + np.arange(2 * CHUNK)[:, None, None]).astype("f4")
    for name, size in zip(names, shape, strict=True):
        group.create_array(name, data=np.arange(float(size)), dimension_names=(name,))
    return folder


def measure(store: Path, steps: int = STEPS) -> Motion:
    """Move a slider step by step, then play.

    Parameters
    ----------
    store
        From `write`.
    steps
        How many moves are measured.
    """
    cell = f"import nz_explorer as nz\nex = nz.explore({str(store)!r}, path='/t')\nex"
    with (
        tempfile.TemporaryDirectory() as name,
        serve(Path(name), options=["--LabApp.expose_app_in_browser=True"]) as server,
        sync_playwright() as playwright,
        _browser(Path(name)) as address,
    ):
        folder = Path(name)
        write_notebook(folder / NAME, [cell])
        browser = playwright.chromium.connect_over_cdp(address)
        page = browser.contexts[0].new_page()
        page.set_viewport_size({"width": 1400, "height": 1000})
        book = Notebook.open(page, server, folder, NAME)
        book.run_all()
        explorer = Explorer(book.widgets.first)
        explorer.wait_until_done()
        expect(explorer.root.locator("[aria-busy=false]")).to_be_visible()
        # the first ones fill the cache
        _alone(playwright, browser, address, explorer.slider("time"), MOVE, CHUNK)
        results: list[tuple[list[float], float]] = []
        for script, number in ((MOVE, steps), (PLAY, PLAYED)):
            browser, page = _connected(playwright, address)
            explorer = Explorer(Notebook(page, folder, NAME).widgets.first)
            if script is PLAY:  # the default, 12 a second, is never passed
                explorer.root.get_by_role("button", name="More", exact=True).dispatch_event("click")
                explorer.root.get_by_role("combobox", name="Frames per second").select_option("25")
                page.keyboard.press("Escape")
            slider = explorer.slider("time")
            results.append(_alone(playwright, browser, address, slider, script, number))
    (moves, move_cpu), (played, play_cpu) = results
    return Motion(moves, played, move_cpu / steps, play_cpu / PLAYED)


@contextmanager
def _browser(folder: Path) -> Iterator[str]:
    """Start a browser that Playwright can leave and come back to; gives its address."""
    profile = folder / "profile"
    options = ["--headless=new", "--remote-debugging-port=0", f"--user-data-dir={profile}"]
    found = chromium.find()
    assert found is not None, "no Chromium: make browser"
    command = [found, *chromium.ARGUMENTS, *options, "about:blank"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        port = profile / "DevToolsActivePort"
        try:
            while not (port.exists() and port.read_text().strip()):
                assert process.poll() is None, "Chromium did not start"
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port.read_text().split()[0]}"
        finally:
            process.terminate()


def _connected(playwright: Playwright, address: str) -> tuple[Browser, Page]:
    browser = playwright.chromium.connect_over_cdp(address)
    return browser, next(page for page in browser.contexts[0].pages if NAME in page.url)


def _alone(
    playwright: Playwright, browser: Browser, address: str, at: Locator, script: str, number: int
) -> tuple[list[float], float]:
    """Run a script in a page that nobody listens to; return its milliseconds and the processor's seconds."""
    start = """(element, [script, number]) => {
        globalThis.measured = null;
        setTimeout(async () => { globalThis.measured = await eval(script)(element, number); }, 1000);
    }"""
    at.evaluate(start, [script, number])
    browser.close()  # of a browser that runs by itself, only the connection
    before = _processor_seconds()
    busy = before
    while True:  # until nothing is done any more
        time.sleep(2)
        if (now := _processor_seconds()) - busy < 0.15:
            break
        busy = now
    browser, page = _connected(playwright, address)
    page.wait_for_function("globalThis.measured !== null")
    taken: list[float] = page.evaluate("globalThis.measured")
    browser.close()
    return taken, now - before


def _processor_seconds() -> float:
    """Return what the browser, the server and the kernel have taken of the processor so far."""
    total = 0.0
    for process in psutil.Process().children(recursive=True):
        try:
            times: Any = process.cpu_times()
            if process.name() != "node":  # Playwright
                total += times.user + times.system
        except psutil.NoSuchProcess:
            continue
    return total


def percentile(taken: list[float], part: int) -> float:
    """Return a percentile of times."""
    return float(np.percentile(taken, part))
