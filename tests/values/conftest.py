import json
from pathlib import Path

import pytest
import zarr

from nz_explorer.model import open_store


class Store:
    """A store that a test writes with zarr-python, spoils, and opens."""

    def __init__(self, folder: Path, zarr_format: int = 3) -> None:
        self.folder = folder
        self.zarr_format = zarr_format
        self.group = zarr.open_group(folder, mode="w", zarr_format=zarr_format)

    def array(self, name, values=None, *, dims=None, attributes=None, **options):
        """Write an array; its chunk grid and fill value as in `options`."""
        if values is not None:
            options.setdefault("shape", values.shape)
            options.setdefault("dtype", values.dtype)
        if self.zarr_format == 3 and dims is not None:
            options["dimension_names"] = dims
        found = self.group.create_array(name, **options)
        if values is not None:
            found[...] = values
        attributes = dict(attributes or {})
        if self.zarr_format == 2 and dims is not None:
            attributes["_ARRAY_DIMENSIONS"] = list(dims)
        if attributes:
            found.attrs.update(attributes)
        return found

    def edit(self, name, **members):
        """Change members of an array's main document; None as a value is kept as null, with ... there is none."""
        file = self.folder / name / ("zarr.json" if self.zarr_format == 3 else ".zarray")
        document = json.loads(file.read_text())
        document.update(members)
        document = {key: value for key, value in document.items() if value is not ...}
        file.write_text(json.dumps(document))

    def chunk(self, name, *coordinates):
        """Return the file of a chunk."""
        if self.zarr_format == 3:
            return self.folder.joinpath(name, "c", *map(str, coordinates))
        return self.folder / name / ".".join(map(str, coordinates))

    def open(self):
        """Open the hierarchy."""
        return open_store(self.folder)

    def __getitem__(self, name):
        return self.open()[f"/{name}"]


@pytest.fixture(params=[3, 2], ids=["v3", "v2"])
def any_store(request, tmp_path):
    return Store(tmp_path / "store.zarr", request.param)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store.zarr")


@pytest.fixture
def store_v2(tmp_path):
    return Store(tmp_path / "store.zarr", 2)
