import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nz_explorer.model.data_type import NZ_TYPES, parse_v2, parse_v3

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("name", NZ_TYPES)
def test_the_thirteen_types(name):
    found = parse_v3(name)
    assert found.nz
    assert found.status == "core"
    assert found.numpy == np.dtype(name)
    assert found.itemsize == np.dtype(name).itemsize
    assert parse_v3({"name": name, "configuration": {}}).name == name
    for order in "<>":
        typestr = np.dtype(name).newbyteorder(order).str
        assert parse_v2(typestr).name == name
        assert parse_v2(typestr).nz
        assert parse_v2(typestr).numpy == np.dtype(typestr)


@pytest.mark.parametrize(
    ("value", "kind", "itemsize", "status"),
    [
        ("float16", "float", 2, "core"),
        ("r24", "raw", 3, "core"),
        ("string", "string", None, "registered"),
        ("variable_length_utf8", "string", None, "registered"),
        ("bytes", "bytes", None, "registered"),
        ("variable_length_bytes", "bytes", None, "registered"),
        ("bfloat16", "float", 2, "registered"),
        ("complex_bfloat16", "complex", 4, "registered"),
        ("complex_float32", "complex", 8, "registered"),
        ("float8_e4m3fnuz", "float", 1, "registered"),
        ("int2", "int", 1, "registered"),
        ("uint4", "uint", 1, "registered"),
        ("float128", "unknown", None, "unknown"),
        ("r12", "unknown", None, "malformed"),
        ("<f4", "unknown", None, "unknown"),
        ("numpy.datetime64", "unknown", None, "malformed"),
        (None, "unknown", None, "malformed"),
        ([], "unknown", None, "malformed"),
        ({"name": 3}, "unknown", None, "malformed"),
        ({"name": "float32", "configuration": {"endian": "big"}}, "unknown", None, "malformed"),
        ({"name": "float32", "configuration": None}, "unknown", None, "malformed"),
    ],
)
def test_version_3(value, kind, itemsize, status):
    found = parse_v3(value)
    assert (found.kind, found.itemsize, found.status) == (kind, itemsize, status)
    assert not found.nz
    assert found.given == value


@pytest.mark.parametrize(
    ("name", "configuration", "dtype"),
    [
        ("fixed_length_utf32", {"length_bytes": 12}, "<U3"),
        ("null_terminated_bytes", {"length_bytes": 5}, "S5"),
        ("raw_bytes", {"length_bytes": 5}, "V5"),
        ("numpy.datetime64", {"unit": "ns", "scale_factor": 1}, "M8[ns]"),
        ("numpy.datetime64", {"unit": "generic", "scale_factor": 1}, "M8"),
        ("numpy.timedelta64", {"unit": "μs", "scale_factor": 25}, "m8[25us]"),
        (
            "struct",
            {"fields": [{"name": "x", "data_type": "int8"}, {"name": "y", "data_type": "r16"}]},
            [("x", "i1"), ("y", "V2")],
        ),
        ("structured", {"fields": [["x", "int8"], ["y", "float32"]]}, [("x", "i1"), ("y", "f4")]),
    ],
)
def test_version_3_with_a_configuration(name, configuration, dtype):
    found = parse_v3({"name": name, "configuration": configuration})
    assert found.status == "registered"
    assert found.name == name
    assert found.numpy == np.dtype(dtype)


@pytest.mark.parametrize(
    ("name", "configuration"),
    [
        ("fixed_length_utf32", {"length_bytes": 10}),
        ("fixed_length_utf32", {"length_bytes": True}),
        ("fixed_length_utf32", {"length_bytes": 0}),
        ("null_terminated_bytes", {"length_bytes": 0}),
        ("raw_bytes", {}),
        ("numpy.datetime64", {"unit": "fortnight", "scale_factor": 1}),
        ("numpy.datetime64", {"unit": "s", "scale_factor": 0}),
        ("struct", {"fields": []}),
        ("struct", {"fields": [{"name": "", "data_type": "int8"}]}),
        ("struct", {"fields": [["x", "int8"], ["x", "int8"]]}),
        ("struct", {"fields": [["x", "string"]]}),
        ("struct", {"fields": [["x", "r7"]]}),
    ],
)
def test_malformed_configuration(name, configuration):
    found = parse_v3({"name": name, "configuration": configuration})
    assert found.status == "malformed"
    assert found.name == name


@pytest.mark.parametrize(
    ("value", "name", "dtype"),
    [
        ("<u1", "uint8", "u1"),
        ("|f4", "float32", "f4"),
        (">S1", "null_terminated_bytes", "S1"),
        ("<U5", "fixed_length_utf32", "<U5"),
        ("|V3", "raw_bytes", "V3"),
        ("<M8[ns]", "numpy.datetime64", "M8[ns]"),
        (">m8[25s]", "numpy.timedelta64", ">m8[25s]"),
        ([["a", "<f4"], ["b", "|S3", [2]]], "struct", [("a", "<f4"), ("b", "S3", (2,))]),
        ([["a", [["b", "<i2"]]]], "struct", [("a", [("b", "<i2")])]),
    ],
)
def test_version_2(value, name, dtype):
    found = parse_v2(value)
    assert found.known
    assert found.name == name
    assert found.numpy == np.dtype(dtype)


def test_objects_of_version_2_need_their_codec():
    assert parse_v2("|O").kind == "unknown"
    assert parse_v2("|O", "pickle").kind == "unknown"
    assert parse_v2("|O", "vlen-utf8").kind == "string"
    assert parse_v2("|O", "vlen-bytes").kind == "bytes"


@pytest.mark.parametrize(
    "value",
    [
        [["x", "|S0", [2]]],
        "<f3",
        "<i16",
        "<M8[0s]",
        "<M8[99999999999s]",
        "<M4",
        "<f4[ns]",
        "<t4",
        "<f",
        {},
        [],
    ],
)
def test_malformed_typestr(value):
    assert parse_v2(value).status == "malformed"


def test_unknown_typestr():
    assert parse_v2("float32").status == "unknown"
    assert parse_v2("<f16").status in ("unknown", "malformed")


def test_what_is_equal_but_not_the_same_is_not_confused():
    assert parse_v3(1).text != parse_v3(True).text
    assert parse_v3("float32") is parse_v3("float32")


@given(json_values)
def test_any_json_value_gives_a_type(value):
    for found in (parse_v3(value), parse_v2(value)):
        assert found.status in ("core", "registered", "unknown", "malformed")
        assert len(found.text) <= 250


names = st.sampled_from(
    ["struct", "structured", "raw_bytes", "fixed_length_utf32", "numpy.datetime64", "r8", "int8"]
)
configurations = st.dictionaries(
    st.sampled_from(["fields", "length_bytes", "unit", "scale_factor"]),
    json_values
    | st.lists(st.tuples(st.text(max_size=2), names).map(list), max_size=3)
    | st.sampled_from(["s", "ns", 4, 8, 2**40]),
)


@given(names, configurations)
def test_any_configuration_gives_a_type(name, configuration):
    parse_v3({"name": name, "configuration": configuration})


@given(
    st.from_regex(r"[<>|=]?[biufcmMSUVOt][0-9]{0,5}(\[[0-9]{0,11}(ns|s|Y|x)\])?", fullmatch=True)
)
def test_any_typestr_gives_a_type(text):
    parse_v2(text)
    parse_v2([["x", text], ["y", text, [2, 3]]])


@pytest.mark.parametrize("depth", [3, 5000])
def test_deep_nesting_is_refused_not_followed(depth):
    value = "int8"
    typestr = "<i2"
    for _ in range(depth):
        value = {"name": "struct", "configuration": {"fields": [["x", value]]}}
        typestr = [["x", typestr]]
    expected = "registered" if depth == 3 else "malformed"
    assert parse_v3(value).status == expected
    assert parse_v2(typestr).status == expected
