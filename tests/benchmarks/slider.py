"""From moving a slider to the painted picture: in real JupyterLab, in a real browser."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import zarr
from playwright.sync_api import expect, sync_playwright

from nz_explorer.lab.launcher import serve
from tests.e2e import browser as chromium
from tests.e2e.lab import Explorer, Notebook, write_notebook

STEPS = 60
CHUNK = 12
"""Steps in time that one chunk holds: 50 MB decoded for a slice, which the budget allows."""

# A step ends with the frame in which the canvas has the picture of the new label.
MOVE = """async (slider, [steps, chunk]) => {
    const root = slider.getRootNode().querySelector(".nzx");
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
}"""


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


def measure(store: Path, steps: int = STEPS, before: str = "", after: str = "") -> list[float]:
    """Return the milliseconds from each of many moves to its painted picture.

    Parameters
    ----------
    store
        From `write`.
    steps
        How many moves are measured.
    before, after
        Python that the kernel runs around them, such as a profiler.
    """
    with (
        tempfile.TemporaryDirectory() as name,
        serve(Path(name), options=["--LabApp.expose_app_in_browser=True"]) as server,
        sync_playwright() as playwright,
    ):
        cell = f"import nz_explorer as nz\nex = nz.explore({str(store)!r}, path='/t')\nex"
        write_notebook(Path(name) / "slider.ipynb", [cell])
        browser = playwright.chromium.launch(
            executable_path=chromium.find(), args=chromium.ARGUMENTS
        )
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        book = Notebook.open(page, server, Path(name), "slider.ipynb")
        book.run_all()
        explorer = Explorer(book.widgets.first)
        explorer.wait_until_done()
        expect(explorer.root.locator("[aria-busy=false]")).to_be_visible()
        slider = explorer.slider("time")
        slider.evaluate(MOVE, [CHUNK, CHUNK])  # the first ones fill the cache
        if before:
            book.run(before)
        taken: list[float] = slider.evaluate(MOVE, [steps, CHUNK])
        if after:
            print(book.run(after))
        browser.close()
        return taken


def percentile(taken: list[float], part: int) -> float:
    """Return a percentile of times."""
    return float(np.percentile(taken, part))
