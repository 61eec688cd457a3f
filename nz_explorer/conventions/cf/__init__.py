"""CF, as far as it changes what readers show: packing, times, missing values, references to other arrays."""

from pathlib import Path

from nz_explorer.engine.convention import Convention

FOLDER = Path(__file__).parent

CF = Convention(
    key="cf",
    name="CF",
    title="What decoding needs of the CF conventions",
    families=("CF",),
    rules=tuple(
        f"{__name__}.{module}"
        for module in (
            "packing",
            "times",
            "durations",
            "appended_times",
            "missing_values",
            "rounded_marks",
            "plausibility",
            "references",
            "unreferenced",
            "attribute_types",
            "known_values",
            "orientation",
            "bounds",
            "maps.grids",
            "maps.transforms",
            "two_systems",
        )
    ),
    catalogue=(FOLDER / "catalogue.toml",),
    has_verdict=False,  # whoever passes these few rules need not keep CF
    order=7,
)
