"""The list of symptoms leads to rules that exist, and to the cause of every failure that was reported."""

from __future__ import annotations

import tomllib

import pytest

from nz_explorer.conventions import rules
from nz_explorer.diagnosis.likeness import SYNONYMS, words_of
from nz_explorer.diagnosis.symptoms import (
    REPORTS,
    Message,
    Symptom,
    meaning_of,
    messages,
    report_like,
    reports,
    rules_behind,
    symptoms,
    symptoms_of,
)
from nz_explorer.engine.catalogue import has_prefix
from tests.field.case import Case, cases
from tests.field.reports import text
from tests.field.test_field import PENDING


@pytest.mark.parametrize("symptom", symptoms(), ids=lambda symptom: symptom.key)
def test_a_symptom_names_rules_that_work(symptom: Symptom) -> None:
    works = [rule.id for rule in rules().values() if rule.works or rule.status == "off"]
    for prefix in symptom.prefixes:
        assert any(has_prefix(rule_id, prefix) for rule_id in works), prefix
    assert symptom.words


@pytest.mark.parametrize("known", messages(), ids=lambda known: known.said.pattern[:40])
def test_a_known_message_leads_to_rules_that_work_or_says_what_it_means(known: Message) -> None:
    works = {rule.id for rule in rules().values() if rule.works}
    assert set(known.rules) <= works
    assert known.rules or known.meaning


def test_each_harm_has_a_symptom() -> None:
    harmful = {rule.id for rule in rules().values() if rule.works and rule.impact == "values"}
    assert {rule_id for rule_id in harmful if not symptoms_of([rule_id])} == set()


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_each_reported_failure_has_a_symptom(case: Case) -> None:
    assert case.name in PENDING or symptoms_of([case.rule])


def test_symptoms_narrow_what_is_to_be_looked_at() -> None:
    found = [symptom.key for symptom in symptoms_of(["CF-TIME-004"])]
    assert found == ["times-wrong", "selection-fails"]
    assert not symptoms_of([])


@pytest.mark.parametrize(
    ("message", "first", "never"),
    [
        ("BadZipFile: Bad magic number for file header", "TREE-007", "OME-"),
        ('ReferenceNotReachable: Reference "lat/0" failed to fetch target', "TREE-020", "OME-"),
        ("RuntimeError: error during blosc decompression: -1", "Z2-CHUNK-004", "OME-"),
        (
            "KeyError: 'Zarr object is missing the attribute `_ARRAY_DIMENSIONS`'",
            "NZ-DIM-001",
            "Z3-",
        ),
        ("ValueError: coordinateTransformations: [] should be non-empty", "OME-IMG-006", "NCZ-"),
        (
            "ValueError: destination buffer too small; expected at least 27456, got 8256",
            "Z2-CHUNK-004",
            "CF-",
        ),
        ('ERROR: KeyError: key "zlib" not found', "Z2-CODEC-002", "OME-"),
        (
            "IsADirectoryError: [Errno 21] Is a directory: '/data/in_2024_01.zarr.zip'",
            "TREE-011",
            "OME-",
        ),
        ("every variable is NaN when it is loaded", "Z2-CHUNK-005", "CF-PACK"),
        (
            "ERROR: MethodError: Cannot `convert` an object of type Nothing to an object of type Float32",
            "Z2-FV-005",
            "TREE-",
        ),
        ("KeyError: 'A/1'", "OME-PLATE-002", "CF-"),
        ('Error opening "zarr" driver: "dtype": Unsupported zarr dtype: "<u1"', "Z2-DT-001", "CF-"),
        ("ArgumentError: <M8[D] is not a valid numpy typestr", "Z2-OGC-004", "CF-"),
        (
            'Cannot deserialize value of type `dev.zarr.zarrjava.v2.DataType` from String ">u2": not one of the values accepted',
            "Z2-DT-001",
            "CF-",
        ),
        (
            'Error in if (metadata$fill_value %in% c("NaN", "Infinity")) { : argument is of length zero',
            "Z2-FV-005",
            "NCZ-",
        ),
        (
            "rasterio.errors.WindowError: Bounds and transform are inconsistent",
            "CF-MAP-005",
            "TREE-",
        ),
        ("Warning message: [rast] unknown extent", "CF-MAP-005", "NCZ-"),
        ("KeyError: \"not all values found in index 'time'\"", "NZ-COORD-002", "NCZ-"),
        (
            "HTTP 400: Could not find any valid variables in '/descending:vv'",
            "NZ-COORD-002",
            "NCZ-",
        ),
        ("Band metadata shows DIM_dim0_INDEX in place of the time", "NZ-TYPE-001", "NCZ-"),
        (
            "it silently returns all-zeros for a zstd-compressed Zarr v2 array",
            "Z2-CODEC-002",
            "OME-",
        ),
        (
            'ERROR 4: ZARR:"/datasets/ESP0025722.zip": No such file or directory',
            "TREE-009",
            "CF-",
        ),
        (
            "BoundsError: attempt to access 2-element Array at index [3]: parseDT(::Type{CFTime.DateTimeStandard}",
            "CF-TIME-001",
            "NCZ-",
        ),
        ("InvalidGeographicBounds: (-180.3125, -90.25, 179.6875, 90.25)", "CF-MAP-003", "OME-"),
        (
            "AttributeError: 'numpy.int64' object has no attribute 'decode'",
            "CF-ATTR-004",
            "OME-",
        ),
        ("KeyError: 'spatial_ref'", "CF-REF-001", "OME-"),
        (
            "ValueError: Times can't be serialized faithfully to int64 with requested units 'days since 2000-01-01'",
            "CF-TIME-004",
            "OME-",
        ),
        ("OSError: [Errno -51] NetCDF: Unknown file format: 'x.zarr'", "NCZ-MODE-001", "OME-"),
        (
            "cannot reindex or align along dimension 'time' because the (pandas) index has duplicate values",
            "CF-COORD-001",
            "NZ-DIM-",
        ),
        (
            "cannot reindex or align along dimension 'x' because of conflicting dimension sizes: {3, 4}",
            "NZ-DIM-010",
            "OME-",
        ),
        ("the names of the stations are shown as bytes b'KJFK'", "NZ-TYPE-002", "Z3-CHUNK-"),
        (
            "SerializationWarning: variable 'a' has multiple fill values {-999.0, -99.0}, decoding all values to NaN.",
            "NZ-FILL-013",
            "OME-",
        ),
    ],
)
def test_the_rule_behind_a_message_is_named_early(message: str, first: str, never: str) -> None:
    """A message on one format leads to no rule on the other."""
    found = [info.id for info in rules_behind(message, rules().values())]
    assert first in found[:3], found
    assert not any(one.startswith(never) for one in found), found


@pytest.mark.parametrize(
    ("message", "first"),
    [
        ("TypeError: Expected a JSON object, got NoneType.", "JSON-006"),
        (
            "ValueError: Failed to parse input for 'zarr_format': expected Literal[2, 3], got 2.0.",
            "Z3-DOC-001",
        ),
        (
            "Got Zarr V3 group metadata with the following disallowed extra fields: ['must_understand']",
            "Z3-DOC-004",
        ),
        (
            "Array metadata contains storage transformers: ({'name': 'cache', 'must_understand': False},)",
            "Z3-ST-001",
        ),
        (
            "The `endian` configuration needs to be specified for multi-byte data types.",
            "Z3-CODEC-004",
        ),
        ("Failed to parse input for 'typesize': expected int, got True.", "Z3-CODEC-006"),
        ("Failed to parse input for 'order': expected Literal['C', 'F'], got None.", "Z2-ARR-009"),
        (
            "Failed to parse input for 'separator': expected Literal['.', '/'], got '_'.",
            "Z3-KEY-001",
        ),
        ("Expected an '.' or '/' separator. Got _ instead.", "Z2-ARR-010"),
        ("Failed to parse input for 'level': expected int, got '5'.", "Z3-CODEC-005"),
        ("Sharding `index_codecs` must produce a fixed-size encoding", "Z3-CODEC-008"),
        ("TypeError: Dimension 0: chunk edge length must be an int, got 2.0", "Z3-GRID-001"),
        ("`chunk_grid` and `shape` need to have the same number of dimensions.", "Z3-GRID-002"),
        ("Rectilinear chunk grids are experimental and disabled by default.", "Z3-GRID-007"),
        ("ImportError: The cast_value codec requires the 'cast-value-rs' package.", "NZ-CODEC-004"),
        ("scalar_map encode value 300 is not representable in dtype uint8.", "Z3-CODEC-011"),
        ("Invalid type: 0. Expected a dict or base64-encoded string.", "Z3-FV-007"),
        (
            "ValidationError: 1 validation error for Multiscale\naxes\n  Field required",
            "OME-IMG-004",
        ),
        ("Value error, All space axes must be at the end of the axes list.", "OME-IMG-004"),
        (
            "TypeError: Affine.from_gdal() missing 1 required positional argument: 'f'",
            "CF-ATTR-001",
        ),
        ("RuntimeError: error initializing 'odc' accessor.", "CF-ATTR-001"),
        ("Could not find 'version' in group attributes. Expected location: …", "OME-VER-002"),
        (
            "ValidationError: 1 validation error for PlateMeta\nrows\n  Field required",
            "OME-PLATE-001",
        ),
    ],
)
def test_what_newer_readers_say_leads_to_the_rule(message: str, first: str) -> None:
    assert first in [info.id for info in rules_behind(message, rules().values())][:2]


def test_a_message_says_what_the_reader_needs_where_the_store_is_right() -> None:
    assert "HDF5_PLUGIN_PATH" in meaning_of("NetCDF: Filter error: undefined filter encountered")
    assert "consolidated=False" in meaning_of("KeyError: '.zmetadata'")
    assert "|u1" in meaning_of('"dtype": Unsupported zarr dtype: "<u1"')
    assert "zarrs" in meaning_of("incompatible fill value 0 for data type string")
    assert "zarr_format=2" in meaning_of("n5.N5Exception$N5IOException: No container exists at /a")
    assert "/vsizip/" in meaning_of("ERROR 4: `a.zip' not recognized as a supported file format.")
    for right_store in (
        "java.lang.IllegalArgumentException: Cannot determine attribute's type",
        "ValueError: failed to prevent overwriting existing key _FillValue in attrs",
        "skipping dataset: spatial resolutions are different in x, y: 0.000199795 and 0.00020218",
        "AttributeError: 'Float32' object has no attribute 'value'",
        "Error: Order length must match the number of dimensions.",
        "TypeError: Object of type float32 is not JSON serializable",
        "ValueError: Specified Zarr chunks encoding['chunks'] would overlap multiple Dask chunks",
    ):
        assert meaning_of(right_store)
        assert rules_behind(right_store, rules().values()) == []
    assert not meaning_of("ValueError: conflicting sizes for dimension 'x'")


def test_a_known_message_leads_to_few_rules() -> None:
    """Whoever reads them goes through all of them."""
    found = rules_behind(
        "OverflowError: Python integer -1 out of bounds for uint8", rules().values()
    )
    assert [info.id for info in found][:2] == ["Z2-FV-004", "Z3-FV-003"]
    assert len(found) <= 5


def test_the_reports_are_those_of_the_field_guide() -> None:
    assert REPORTS.read_text("utf-8") == text(), "write it with python -m tests.field.reports"
    assert {report.rule for report in reports()} <= set(rules())


@pytest.mark.parametrize(
    ("noticed", "rule"),
    [
        ("appending hourly data to the store, all hours of the day became midnight", "CF-TIME-004"),
        ("the plugin shows a black image, everything is 0, keys have dots", "OME-IMG-009"),
        ("depths are drawn upwards, positive is up", "CF-ATTR-003"),
        ("half of the map is blank, its longitudes end at 360", "CF-MAP-003"),
        ("two processes wrote concurrently, and pieces are absent since", "Z3-CHUNK-004"),
        ("ncview shows nothing", "NCZ-MODE-001"),
        ("zoomed out tiles are black", "OME-IMG-002"),
        ("the segmentation is absent, the image itself renders", "OME-LABEL-001"),
        ("one timestamp was loaded a second time, and is repeated", "CF-COORD-001"),
    ],
)
def test_what_is_noticed_in_plain_words_leads_to_a_rule(noticed: str, rule: str) -> None:
    assert rule in [info.id for info in rules_behind(noticed, rules().values())][:5]


@pytest.mark.parametrize(
    ("posted", "rule"),
    [
        ("ncdump shows wrong values", "Z2-CODEC-004"),
        ("coordinates are garbage in ncdump -v lat, and right in xarray", "Z2-CODEC-004"),
        ("ncview says: no variables found in the zarr url", "NCZ-MODE-001"),
        ("my zarr is a single array and xr.open_zarr does not open it", "TREE-008"),
        ("zarr.open returns an Array, open_group fails", "TREE-008"),
        ("all zeros when I read from a bucket where I have no list permission", "TREE-017"),
        ("s3 without ListBucket returns zeros for chunks", "TREE-017"),
        ("float values scaled twice", "CF-PACK-006"),
        (
            "reflectance is 10000 times too small, the array is float32 with scale_factor",
            "CF-PACK-006",
        ),
        ("max of the variable is 9.96921E+036", "CF-FILL-001"),
        ("land is -3.4028235E38 instead of nodata", "CF-FILL-001"),
        ("array written by tensorstore comes back as all fill values", "Z3-CHUNK-005"),
        ("GDAL lists the array but ReadAsArray returns only nodata", "Z3-CHUNK-005"),
        ("ValueError: zip() argument 2 is shorter than argument 1", "NZ-DIM-001"),
        ("I get dim_0 and dim_1 in place of lat and lon", "NZ-DIM-001"),
        ("gdalinfo shows no coordinate system for my zarr", "CF-REF-006"),
        ("metpy cannot find the latitude coordinate", "CF-MAP-006"),
        ("cf_xarray does not see my bounds", "CF-REF-002"),
        ("pixel values at 154 become -102 in the other reader", "CF-PACK-004"),
        ("temperature is in the range of 25000 instead of 250", "NZ-PACK-001"),
        ("time is shown as int64 0 1 2 3 instead of dates", "CF-TIME-001"),
        ("ds.sel(time='2020-01') returns an empty dataset", "NZ-COORD-002"),
        ("numbers look byte-swapped, 1 is read as 16777216", "CF-RANGE-004"),
        ("OSError: [Errno 36] File name too long", "Z3-NAME-005"),
        ("area weights are wrong since I flipped the latitudes", "CF-COORD-005"),
        ("the second file's values are off by a constant after merging", "CF-PACK-005"),
        ("image looks sheared after opening with another language", "Z2-ARR-009"),
        ("zarr 2 cannot open it: there is zarr.json only", "TREE-005"),
        ("temperatures are around 0.03 K", "CF-PACK-006"),
        ("values are ten thousand times too small", "NZ-PACK-002"),
        ("labels shifted by half a pixel", "CF-MAP-008"),
        ("labels shifted by half a pixel", "OME-IMG-012"),
        ("the levels of the pyramid are off by half a pixel", "OME-IMG-012"),
        ("shards read as zero after rclone", "Z3-CHUNK-004"),
        ("shards read as zero after rclone", "Z3-CHUNK-003"),
    ],
)
def test_what_people_post_leads_to_the_rule_among_the_first_three(posted: str, rule: str) -> None:
    assert rule in [info.id for info in rules_behind(posted, rules().values())][:3]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a hole where the hours were lost", "missing times"),
        ("scale and offset differ", "scale_factor"),
        ("it takes long from the bucket", "slow in the cloud"),
    ],
)
def test_people_use_several_words_for_the_same(one: str, other: str) -> None:
    assert words_of(other) <= words_of(one)


def test_a_word_stands_for_one_thing() -> None:
    """A word that is in two lines would count as the first word of the last one only."""
    lines = tomllib.loads(SYNONYMS.read_text("utf-8"))["words"]
    meant = [{words_of(one) for one in line} for line in lines]
    assert all(len(one) == 1 for one in meant), meant
    assert len(set().union(*meant)) == len(lines)


def test_words_about_something_else_lead_nowhere() -> None:
    assert not rules_behind("my cat sleeps on the warm laptop", rules().values())
    assert report_like("my cat sleeps on the warm laptop") is None


def test_a_report_that_says_the_same_is_shown() -> None:
    report = report_like("xr.open_zarr converts 0 values to nan")
    assert report is not None
    assert report.url == "https://github.com/pydata/xarray/issues/4930"
