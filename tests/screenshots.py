"""Takes the README's pictures from real JupyterLab: ``make screenshots``.

The pictures show the real data of ``tests/data``, the sample dataset and its broken sibling. They go to
``notebooks/images``.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from nz_explorer.lab import demo_data  # noqa: E402
from nz_explorer.lab.launcher import Server, serve  # noqa: E402
from tests.e2e import browser as chromium  # noqa: E402
from tests.e2e.lab import IDLE, START_MS, Explorer, Notebook, write_notebook  # noqa: E402

IMAGES = ROOT / "notebooks" / "images"
DATA = ROOT / "tests" / "data"
GROUPS = {
    "atmosphere": "E1_north_america.nc",
    "ocean": "nemo_1m_20150101-20150201_grid-T.nc",
    "satellite": "ostia_monthly.nc",
}
SIZE = {"width": 1440, "height": 900}
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}


@dataclass(frozen=True)
class Shot:
    """One picture: what is opened, and what is done before it is taken."""

    name: str
    source: Path
    theme: str
    prepare: Callable[[Notebook, Explorer], None]


def main() -> None:
    """Take all pictures."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        # A store's path is shown in the picture: a short one that is the same everywhere.
        sample = demo_data.write_sample(folder / "sample.zarr")
        broken = demo_data.write_broken(folder / "broken.zarr")
        real = real_data(folder)
        shots = [
            Shot("explore", real, "light", show_sea),
            Shot("series", real, "dark", show_air),
            Shot("teach", sample, "light", show_netcdf),
            Shot("debug", broken, "light", show_findings),
        ]
        isolate(folder)
        options = ["--LabApp.expose_app_in_browser=True"]
        with (
            serve(folder, options=options) as server,
            sync_playwright() as playwright,
        ):
            chrome = chromium.find()
            if chrome is None:
                raise SystemExit("no Chromium: run `make browser`")
            browser = playwright.chromium.launch(executable_path=chrome, args=chromium.ARGUMENTS)
            for shot in shots:
                take(browser, server, folder, shot)
            browser.close()


def real_data(folder: Path) -> Path:
    """Convert the real data as people have them: written by xarray, a group for each file."""
    import xarray

    target = folder / "climate.zarr"
    with warnings.catch_warnings():
        # xarray warns that consolidated metadata is new in Zarr v3.
        warnings.simplefilter("ignore")
        for group, name in GROUPS.items():
            with xarray.open_dataset(DATA / "netcdf" / name) as dataset:
                dataset.to_zarr(target, group=group, zarr_format=3)
    return target


def isolate(folder: Path) -> None:
    """Keep the user's JupyterLab settings out of the pictures."""
    for name in ("JUPYTER_CONFIG_DIR", "JUPYTERLAB_SETTINGS_DIR", "JUPYTER_RUNTIME_DIR"):
        place = folder / f".{name.lower()}"
        place.mkdir(mode=0o700)
        os.environ[name] = str(place)


def take(browser: Browser, server: Server, folder: Path, shot: Shot) -> None:
    """Open a notebook, prepare the view and take the picture of the widget."""
    name = f"{shot.name}.ipynb"
    source = shot.source.relative_to(folder).as_posix()
    write_notebook(folder / name, [f'import nz_explorer as nz\n\nex = nz.explore("{source}")\nex'])
    context = browser.new_context(viewport=SIZE, device_scale_factor=1.5)  # type: ignore[arg-type]
    page: Page = context.new_page()
    # A workspace of its own: JupyterLab would bring back the notebook of the picture before.
    workspace = f"/lab/workspaces/{shot.name}/tree/"
    page.goto(server.lab_url(name).replace("/lab/tree/", workspace))
    page.wait_for_function(IDLE, timeout=START_MS)
    notebook = Notebook(page, folder, name)
    page.evaluate(
        "theme => jupyterapp.commands.execute('apputils:change-theme', { theme })",
        THEMES[shot.theme],
    )
    expect(page.locator("body")).to_have_attribute(
        "data-jp-theme-light", str(shot.theme == "light").lower()
    )
    notebook.run_all()
    explorer = Explorer(notebook.widgets.first)
    expect(explorer.tree).to_be_visible(timeout=60_000)  # a kernel may be slow to start
    explorer.wait_until_done()
    shot.prepare(notebook, explorer)
    target = IMAGES / f"{shot.name}.png"
    explorer.root.screenshot(path=target, animations="disabled")
    print(f"{target.relative_to(ROOT)}: {target.stat().st_size // 1024} kB", flush=True)
    context.close()
    for session in server.request("GET", "api/sessions"):
        server.request("DELETE", f"api/sessions/{session['id']}")


def show_sea(notebook: Notebook, explorer: Explorer) -> None:
    """Select the temperature of the sea, on the two-dimensional coordinates of its grid."""
    notebook.run('ex.path = "/ocean/tos"')
    expect(explorer.picture).to_have_attribute("aria-label", re.compile("tos"))


def show_air(notebook: Notebook, explorer: Explorer) -> None:
    """Select the temperature of the air, some years in, with the series of two points."""
    notebook.run('ex.path = "/atmosphere/air_temperature"')
    expect(explorer.picture).to_have_attribute("aria-label", re.compile("air_temperature"))
    notebook.run(
        'ex.index = {"time": 150}\n'
        'ex.pins = [{"latitude": 30, "longitude": 15}, {"latitude": 10, "longitude": 36}]'
    )
    expect(explorer.slider("time")).to_have_value("150")


def show_netcdf(notebook: Notebook, explorer: Explorer) -> None:
    """Point at a variable in the CDL of the ocean, so that its document lights up."""
    explorer.item("ocean").click()
    expect(explorer.selected).to_have_attribute("data-path", "/ocean")
    panel = explorer.show("netCDF")
    panel.get_by_text("latitude(rlat").first.hover()
    expect(panel).to_contain_text("/ocean/latitude")


def show_findings(notebook: Notebook, explorer: Explorer) -> None:
    """Unfold what is wrong with the dimensions of the forecast."""
    explorer.item("forecast").click()
    expect(explorer.selected).to_have_attribute("data-path", "/forecast")
    panel = explorer.show("Findings")
    findings = panel.get_by_role("list", name="Findings")
    findings.locator("[data-rule=NZ-DIM-010]").first.get_by_role("button").first.click()
    expect(panel).to_contain_text("What readers do")


if __name__ == "__main__":
    main()
