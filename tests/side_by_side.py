"""Draws the real data of the tests beside plain matplotlib from ``xarray.open_dataset``.

``python tests/side_by_side.py FOLDER`` writes a PNG for each pair, to be looked at.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import xarray
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from nz_explorer.model import open_store
from nz_explorer.plots import figure, make

DATA = Path(__file__).parent / "data" / "netcdf"
PAIRS = [
    # file, variable, index, and the coordinates of plain matplotlib
    ("ostia_monthly.nc", "surface_temperature", {"time": 6}, ("longitude", "latitude")),
    ("E1_north_america.nc", "air_temperature", {"time": 100}, ("longitude", "latitude")),
    (
        "nemo_1m_20150101-20150201_grid-T.nc",
        "tos",
        {"time_counter": 0},
        ("nav_lon", "nav_lat"),
    ),
]


def plain(dataset: xarray.Dataset, name: str, index: dict[str, int], on: tuple[str, str]) -> Figure:
    """Draw with nothing but xarray's values and matplotlib."""
    part = dataset[name].isel({k: v for k, v in index.items() if k in dataset[name].dims})
    x, y = (dataset[coordinate].values for coordinate in on)
    drawn = Figure(figsize=(8, 5), layout="constrained")
    FigureCanvasAgg(drawn)
    axes = drawn.add_subplot()
    if x.ndim == 2:  # by points, so that no cell reaches across the map
        good = np.isfinite(part.values)
        picture = axes.scatter(x[good], y[good], c=part.values[good], s=4, cmap="viridis")
    else:
        picture = axes.pcolormesh(x, y, part.values, cmap="viridis")
    drawn.colorbar(picture)
    axes.set_title(f"xarray and matplotlib: {name} {index}")
    return drawn


def pixels(drawn: Figure) -> np.ndarray:
    """Return a figure as RGBA."""
    canvas = FigureCanvasAgg(drawn)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


def main(target: Path) -> None:
    """Write all pairs."""
    target.mkdir(parents=True, exist_ok=True)
    for file, name, index, on in PAIRS:
        with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
            warnings.simplefilter("ignore")  # what xarray thinks of the files
            dataset = xarray.open_dataset(DATA / file, decode_times=False)
            store = Path(folder) / "store.zarr"
            dataset.to_zarr(store, zarr_format=3, consolidated=False)
            look = make(open_store(store), f"/{name}", index, width=1600, height=1000)
            ours = pixels(figure(look, curvilinear=look.curvilinear is not None))
            theirs = pixels(plain(dataset, name, index, on))
        both = Figure(figsize=(16, 5), layout="constrained")
        FigureCanvasAgg(both)
        for axes, image in zip(both.subplots(1, 2), (ours, theirs), strict=True):
            axes.imshow(image)
            axes.set_axis_off()
        both.savefig(target / f"{file.partition('.')[0]}-{name}.png", dpi=100)
        print(target / f"{file.partition('.')[0]}-{name}.png", look.label)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "side-by-side"))
