import base64
import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nz_explorer.model.data_type import NZ_TYPES, parse_v2, parse_v3
from nz_explorer.model.fill_values import (
    MISSING,
    decode_fill,
    decode_storage_fill,
    is_zero,
    matches,
    same_value,
)

INTEGERS = [name for name in NZ_TYPES if "int" in name]
FLOATS = ["float16", "float32", "float64"]
NAN, INF = float("nan"), float("inf")


def xarray_base64(number):
    return base64.b64encode(struct.pack("<d", number)).decode()


def decode(value, name):
    return decode_fill(value, parse_v3(name))


def kinds(fill):
    return [problem.kind for problem in fill.problems]


def suggestion(fill):
    (problem,) = fill.problems
    return problem.suggestion, problem.safety


# --- every cell of the table in 0.6b --------------------------------------------------------


def test_bools_are_for_bool_alone():
    assert decode(True, "bool").value is np.True_
    assert decode(False, "bool").value is np.False_
    for name in [*INTEGERS, *FLOATS, "complex64", "string", "bytes"]:
        assert kinds(decode(True, name)) == ["type"]
        assert not decode(True, name).usable


@pytest.mark.parametrize(("given_value", "meant"), [(0, False), (1, True), (1.0, True)])
def test_numbers_for_bool_suggest_the_bool(given_value, meant):
    fill = decode(given_value, "bool")
    assert not fill.usable
    assert suggestion(fill)[0] is meant


def test_other_values_for_bool():
    assert suggestion(decode("true", "bool")) == (True, "unsafe")
    for value in (2, 0.5, NAN, "yes", "NaN", "0x01"):
        assert kinds(decode(value, "bool")) == ["type"]


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_at_and_beyond_the_limits(name):
    info = np.iinfo(name)
    for value in (int(info.min), int(info.max)):
        fill = decode(value, name)
        assert fill.value == value
        assert fill.value.dtype == np.dtype(name)
        assert fill.problems == ()
    for value in (int(info.min) - 1, int(info.max) + 1, 10**5000):
        fill = decode(value, name)
        assert not fill.usable
        assert kinds(fill) == ["range"]
        assert "can never match" in fill.problems[0].why


def test_the_sentence_about_the_range():
    assert decode(-9999, "uint8").problems[0].why == (
        "-9999 is outside uint8 [0, 255] and can never match"
    )


@pytest.mark.parametrize(
    ("value", "name", "meant"),
    [(-1, "uint8", 255), (255, "int8", -1), (128, "int8", -128), (-128, "uint8", 128)],
)
def test_a_value_of_the_other_signedness_suggests_the_same_bits(value, name, meant):
    assert suggestion(decode(value, name)) == (meant, "suggest")


@pytest.mark.parametrize(("value", "name"), [(-9999, "uint8"), (-129, "uint8"), (256, "int8")])
def test_no_suggestion_where_the_bits_do_not_fit(value, name):
    assert suggestion(decode(value, name))[0] is MISSING


def test_floats_for_integers():
    fill = decode(-99.0, "int16")
    assert fill.value == -99
    assert kinds(fill) == ["spelling"]
    assert suggestion(fill) == (-99, "safe")
    assert kinds(decode(1.5, "int16")) == ["type"]
    assert kinds(decode(1e300, "int16")) == ["range"]
    assert kinds(decode(NAN, "int16")) == ["type"]
    assert kinds(decode(9223372036854775807.0, "int64")) == ["range"]  # is 2**63


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "0x00000001", "nothing", ""])
def test_texts_for_integers(text):
    assert kinds(decode(text, "int32")) == ["type"]
    assert suggestion(decode(text, "int32"))[0] is MISSING


def test_texts_that_are_numbers_suggest_them():
    assert suggestion(decode("-99", "int8")) == (-99, "unsafe")
    assert suggestion(decode("-99.0", "int8")) == (-99, "unsafe")
    assert suggestion(decode("-999", "int8"))[0] is MISSING
    assert suggestion(decode("-99", "float32")) == (-99, "unsafe")
    assert suggestion(decode("1e3", "float32")) == (1000.0, "unsafe")
    assert suggestion(decode(xarray_base64(-9999.0), "int16")) == (-9999, "unsafe")


@pytest.mark.parametrize("name", FLOATS)
def test_numbers_for_floats(name):
    fill = decode(-999, name)
    assert fill.value == -999
    assert fill.value.dtype == np.dtype(name)
    assert decode(-999.0, name).problems == ()
    # 1e309 is the bare token Infinity to a JSON reader
    assert kinds(decode(1e309 if name == "float64" else 1e39, name)) == (
        [] if name == "float64" else ["range"]
    )
    assert kinds(decode(10**400, name)) == ["range"]
    assert math.isnan(decode(NAN, name).value)
    assert decode(-INF, name).value == -INF


def test_rounding_is_noted_and_matched():
    fill = decode(-9999.9, "float32")
    assert fill.value == np.float32(-9999.9)
    assert kinds(fill) == ["rounding"]
    assert suggestion(fill) == (float(np.float32(-9999.9)), "safe")
    assert kinds(decode(-9999.9, "float64")) == []
    assert kinds(decode(2**53 + 1, "float64")) == ["rounding"]
    assert matches(np.array([1e20, 1], "f4"), decode(1e20, "float32")).tolist() == [True, False]


@pytest.mark.parametrize("name", FLOATS)
def test_names_for_floats(name):
    assert math.isnan(decode("NaN", name).value)
    assert decode("Infinity", name).value == INF
    assert decode("-Infinity", name).value == -INF
    assert decode("NaN", name).dialect == "name"
    for wrong, right in [("nan", "NaN"), ("inf", "Infinity"), (" NaN", "NaN")]:
        assert suggestion(decode(wrong, name)) == (right, "safe")
        assert not decode(wrong, name).usable


def test_hexadecimal_is_the_big_endian_bit_pattern():
    assert decode("0x3f800000", "float32").value == 1
    assert decode("0x3FF0000000000000", "float64").value == 1
    assert math.isnan(decode("0x7fc00001", "float32").value)
    assert decode("0x7fc00001", "float32").dialect == "hex"
    for text in ("0x3f80", "0x3ff0000000000000", "0X3f800000", "0x3f80 000"):
        assert kinds(decode(text, "float32")) == ["type"]


@pytest.mark.parametrize("name", FLOATS)
@given(number=st.floats(width=16))
def test_xarray_base64_is_a_little_endian_double_for_every_float(name, number):
    fill = decode(xarray_base64(number), name)
    assert fill.dialect == "base64"
    assert kinds(fill) == ["dialect"]
    np.testing.assert_array_equal(fill.value, np.dtype(name).type(number))
    literal, safety = suggestion(fill)
    assert safety == "unsafe"
    np.testing.assert_array_equal(decode(literal, name).value, fill.value)


def test_base64_that_is_not_the_canonical_double():
    for text in ("AAAAAICHw8B=", "AAAAAICHw8A", "AAAAAICHw8A=\n", "AQID", "AAAAAICHw8AA"):
        assert kinds(decode(text, "float32")) == ["type"]
    assert kinds(decode(xarray_base64(1e300), "float32")) == ["range"]


def test_complex_numbers():
    pair = decode([-999.0, "NaN"], "complex64")
    assert pair.dialect == "pair"
    assert pair.problems == ()
    assert pair.value.real == -999
    assert math.isnan(pair.value.imag)
    real = decode(5, "complex128")
    assert real.value == 5
    assert suggestion(real) == ([5, 0.0], "safe")
    xarray = decode([xarray_base64(-999.0), xarray_base64(NAN)], "complex64")
    assert xarray.value.real == -999
    assert xarray.dialect == "base64"
    assert suggestion(xarray) == ([-999.0, "NaN"], "unsafe")
    assert decode(["0x3f800000", 0], "complex64").value == 1
    for wrong in ("NaN", "0x3f800000", xarray_base64(1.0), "text", True):
        assert kinds(decode(wrong, "complex64")) == ["type"]
    for wrong in ([1, "x"], [1, None], [1, True], [1, [2]]):
        assert kinds(decode(wrong, "complex64")) == ["type"]
    for wrong in ([1], [1, 2, 3], [], None, {}):
        assert kinds(decode(wrong, "complex64")) == ["list"]


def test_text_is_taken_literally():
    for text in ("NaN", "Infinity", "0x3f800000", "AAAAAICHw8A=", "", "n/a"):
        assert decode(text, "string").value == text
    for wrong in (1, 1.5, True):
        assert kinds(decode(wrong, "string")) == ["type"]
    short = {"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}}
    assert decode("ab", short).value == "ab"
    assert kinds(decode("abc", short)) == ["range"]


def test_byte_strings():
    assert decode("AQID", "bytes").value == b"\1\2\3"
    assert decode("AQID", "bytes").dialect == "base64"
    assert decode("n/a", "bytes").value == b"n/a"
    assert decode("NaN", "bytes").value == b"NaN"
    assert decode("Infinity", "bytes").value == b"Infinity"  # is base64, too
    assert decode([1, 2, 3], "bytes").value == b"\1\2\3"
    character = parse_v2(">S1")
    assert decode_fill("x", character).value == b"x"
    assert decode_fill("AA==", character).value == b"\0"
    assert kinds(decode_fill("xyz", character)) == ["range"]


@pytest.mark.parametrize("name", [*INTEGERS, *FLOATS, "bool", "string"])
@pytest.mark.parametrize("value", [None, {}, {"a": 1}, [], [1, 2], [[1]], [None]])
def test_what_is_no_scalar(name, value):
    fill = decode(value, name)
    assert kinds(fill) == ["list"]
    assert suggestion(fill)[0] is MISSING
    assert not fill.usable


@pytest.mark.parametrize(
    ("value", "name", "meant", "safety"),
    [
        ([-99], "int16", -99, "safe"),
        ([-99.0], "int16", -99, "safe"),
        (["-99"], "int16", -99, "unsafe"),
        (["NaN"], "float32", "NaN", "safe"),
        (["nan"], "float32", "NaN", "unsafe"),
        ([True], "bool", True, "safe"),
        (["x"], "string", "x", "safe"),
        (["AQID"], "bytes", "AQID", "safe"),
        ([5], "complex64", [5, 0.0], "safe"),
        ([300], "uint8", MISSING, "suggest"),
    ],
)
def test_a_list_of_one_suggests_the_one(value, name, meant, safety):
    assert suggestion(decode(value, name)) == (meant, safety)


def test_types_that_numpy_lacks_are_not_decoded_and_not_blamed():
    for name in ("bfloat16", "int4", "nonsense"):
        fill = decode(1, name)
        assert not fill.usable
        assert fill.problems == ()


def test_a_record_in_a_record_is_decoded():
    given = {"fields": [{"name": "x", "data_type": "float32"}]}
    point = {"name": "struct", "configuration": given}
    fields = [{"name": "p", "data_type": point}, {"name": "v", "data_type": "float64"}]
    data_type = parse_v3({"name": "struct", "configuration": {"fields": fields}})

    fill = decode_storage_fill({"p": {"x": 1.0}, "v": 3.14}, data_type, 3)

    assert fill.value.item() == ((1.0,), 3.14)
    assert not decode_storage_fill({"p": {"y": 1.0}, "v": 3.14}, data_type, 3).usable


def test_raw_times_and_records():
    assert decode([1, 2], "r16").value.tobytes() == b"\1\2"
    assert decode([255], "r8").value.tobytes() == b"\xff"
    assert kinds(decode([1], "r16")) == ["type"]
    time = parse_v2("<M8[s]")
    assert decode_fill(5, time).value == np.datetime64(5, "s")
    assert np.isnat(decode_fill("NaT", time).value)
    assert np.isnat(decode_fill(-(2**63), time).value)
    assert kinds(decode_fill("now", time)) == ["type"]
    assert kinds(decode_fill(2**63, time)) == ["range"]
    record = parse_v2([["a", "<i2"], ["b", "<f4"]])
    assert decode_fill({"a": 1, "b": "NaN"}, record).value["a"] == 1
    assert kinds(decode_fill({"a": 1}, record)) == ["type"]
    assert decode_fill("AQAAAIA/", record).value.tolist() == (1, 1.0)


@pytest.mark.parametrize(
    ("value", "data_type", "text"),
    [
        ([1, -2], "complex64", "1.0-2.0j"),
        ([1, -0.0], "complex64", "1.0-0.0j"),
        ([1, 2], "complex64", "1.0+2.0j"),
        (["NaN", "NaN"], "complex64", "NaN+NaNj"),
        (["-Infinity", "0xffc00000"], "complex64", "-Infinity+NaNj"),
        ([xarray_base64(1.0), 2], "complex64", "1.0+2.0j (xarray base64)"),
        ("0x3f800000", "float32", "1.0 (0x3f800000)"),
        (xarray_base64(0.1), "float32", "0.1 (xarray base64)"),
        ("AQID", "bytes", "0x010203"),
        ("0x3f", "bytes", '"0x3f"'),
        ("YWIA", "|S3", '"ab"'),
        ("AAAA", "|S3", "0x000000"),
        ("/+4A", "|S3", "0xffee00"),
        ("A" * 24, "|S18", "18 bytes 00"),
        ("/w" + "A" * 22, "|S18", "0xff000000000000000000000000000000… (18 bytes)"),
        ("YWIAAA==", [["a", "|S3"], ["b", "|i1"]], '("ab", 0)'),
        ([1, 255], "r16", "0x01ff"),
        (True, "bool", "true"),
        ("a", "string", '"a"'),
        ("NaT", "<M8[s]", "NaT"),
        (5, "<m8[s]", "5 seconds"),
        (7, "<M8", "7"),
        ("AQACAAAAAAAAAA==", [["a", "<i2"], ["b", "<M8"]], "(1, 2)"),
        ({"a": 1, "b": 0.5}, [["a", "<i2"], ["b", "<f4"]], "(1, 0.5)"),
        ("x" * 3, "|S2", '"xxx" (not usable)'),
        (1, "nonsense", "1 (not decoded)"),
    ],
)
def test_how_a_value_is_shown(value, data_type, text):
    parse = parse_v3 if isinstance(data_type, str) and data_type[0] not in "<|" else parse_v2
    assert decode_fill(value, parse(data_type)).text == text


@pytest.mark.parametrize(
    ("value", "data_type", "why"),
    [
        ("0x7f", "float32", '"0x7f" has 2 hex digits after 0x; float32 needs 8'),
        ("0x7fc000001", "float32", "has 9 hex digits after 0x; float32 needs 8"),
        ([0, 256], "r16", "[0, 256] is not a list of bytes (0 to 255)"),
        ([0, -1], "bytes", "[0, -1] is not a list of bytes (0 to 255)"),
        ("xyz", "|S2", "longer than the 2 bytes of the data type"),
        ("x", "|S0", "longer than the 0 bytes of the data type"),
        ("abcd", "<U3", "longer than the 3 characters of the data type"),
        (INF, "<M8[s]", 'Infinity is not an integer or "NaT"'),
        (NAN, "<M8[s]", 'NaN is not an integer or "NaT"'),
        (1.5, "<M8[s]", '1.5 is not an integer or "NaT"'),
        (True, "<M8[s]", 'true is a bool, not an integer or "NaT"'),
        (1, "string", "1 is a number, not a string"),
    ],
)
def test_why_a_value_is_refused(value, data_type, why):
    parse = parse_v2 if data_type[0] in "<|" else parse_v3
    fill = decode_fill(value, parse(data_type))
    assert why in fill.problems[0].why
    assert not fill.usable


def test_values_at_the_edge_of_what_fits():
    assert decode_fill("abc", parse_v2("<U3")).value == "abc"
    assert decode_fill("a", parse_v2("<U3")).value == "a"
    assert decode_fill("abc\0\0", parse_v2("<U3")).usable
    assert decode_fill(1.0, parse_v2("<M8[s]")).value == np.datetime64(1, "s")
    assert decode_fill(2**63 - 1, parse_v2("<M8[ns]")).usable
    assert decode([0, 255], "r16").usable
    assert decode_storage_fill(0, parse_v3("string"), 3).value == "0"
    assert not decode_storage_fill(1, parse_v3("string"), 3).usable
    assert not decode_storage_fill(0, parse_v2("<U3"), 2).usable
    assert decode_storage_fill(0, parse_v3("bytes"), 3).value == b""
    assert not decode_storage_fill(1, parse_v3("bytes"), 3).usable


def as_base64(number, size=8):
    return base64.b64encode(number.to_bytes(size, "little", signed=True)).decode()


@pytest.mark.parametrize(
    ("number", "name", "meant"),
    [
        (127, "int8", 127),
        (128, "int8", MISSING),
        (-128, "int8", -128),
        (-129, "int8", MISSING),
        (255, "uint8", 255),
        (256, "uint8", MISSING),
        (0x7FFF, "int16", 0x7FFF),
    ],
)
def test_integers_in_base64_are_suggested_where_they_fit(number, name, meant):
    fill = decode(as_base64(number), name)
    assert suggestion(fill)[0] == meant
    assert not fill.usable


def test_what_is_suggested_for_a_part_of_a_complex_number_is_the_pair():
    rounded = decode([0.1, 1], "complex64")
    assert suggestion(rounded) == ([float(np.float32(0.1)), 1], "safe")
    assert decode([1, 0.1], "complex64").problems[0].suggestion == [1, float(np.float32(0.1))]
    both = decode([xarray_base64(1.0), 0.1], "complex64")
    assert [problem.kind for problem in both.problems] == ["dialect", "rounding"]
    assert decode([xarray_base64(1.0), 2], "complex64").value == 1 + 2j
    assert decode([2, xarray_base64(1.0)], "complex64").dialect == "base64"


# --- the storage fill value -------------------------------------------------------------------


def test_storage_fill_values():
    assert decode_storage_fill(None, parse_v2("<f4"), 2).problems == ()
    assert not decode_storage_fill(None, parse_v2("<f4"), 2).usable
    assert kinds(decode_storage_fill(None, parse_v3("float32"), 3)) == ["list"]
    assert math.isnan(decode_storage_fill("NaN", parse_v2("<f4"), 2).value)
    assert decode_storage_fill("AA==", parse_v2("|S1"), 2).value == b"\0"
    assert decode_storage_fill(0, parse_v2("|O", "vlen-utf8"), 2).value == "0"
    assert decode_storage_fill("", parse_v2("|S4"), 2).value == b""
    assert decode_storage_fill([0, 1], parse_v3("complex64"), 3).value == 1j
    record = [["a", "<i2"], ["b", "<f4"]]
    assert decode_storage_fill(0, parse_v2(record), 2).value.tolist() == (0, 0.0)
    for value in (-1, 1, 0.0, False):
        assert kinds(decode_storage_fill(value, parse_v2(record), 2)) == ["type"]
    assert decode_storage_fill("AQID", parse_v2("|V3"), 2).value.tobytes() == b"\1\2\3"
    # base64 of a double is a dialect of xarray's attribute, not of the member
    assert kinds(decode_storage_fill(xarray_base64(1.0), parse_v3("float64"), 3)) == ["type"]


# --- matching ---------------------------------------------------------------------------------


def test_every_nan_matches_nan():
    values = np.array([0x7FC00000, 0x7FC00001, 0xFFC00000, 0x3F800000], "u4").view("f4")
    assert matches(values, decode("0x7fc00000", "float32")).tolist() == [True, True, True, False]
    assert not matches(values, decode(1e30, "float32")).any()


def test_complex_numbers_match_part_by_part():
    values = np.array([complex(1, NAN), complex(NAN, NAN), complex(1, 2), complex(NAN, 2)])
    assert matches(values, decode([1, "NaN"], "complex128")).tolist() == [True, False, False, False]
    assert matches(values, decode(["NaN", "NaN"], "complex128")).tolist() == [
        False,
        True,
        False,
        False,
    ]
    assert matches(values, decode([1, 2], "complex128")).tolist() == [False, False, True, False]


def test_large_integers_match_exactly():
    values = np.array([2**63 - 1, 2**63 - 2], "i8")
    assert matches(values, decode(2**63 - 1, "int64")).tolist() == [True, False]
    assert matches(np.array([2**64 - 1], "u8"), decode(2**64 - 1, "uint64")).all()


def test_texts_and_bytes_match():
    fill = decode("n/a", "string")
    for values in (
        np.array(["n/a", "b"], object),
        np.array(["n/a", "b"]),
        np.array(["n/a", "b"], np.dtypes.StringDType()),
    ):
        assert matches(values, fill).tolist() == [True, False]
    assert matches(np.array([b"x", b""], "S1"), decode_fill("AA==", parse_v2("|S1"))).tolist() == [
        False,
        True,
    ]
    assert matches(np.array([b"\1\2\3", 5], object), decode("AQID", "bytes")).tolist() == [
        True,
        False,
    ]


def test_times_raw_values_and_records_match():
    times = np.array([5, "NaT"], "M8[s]")
    assert matches(times, decode_fill(5, parse_v2("<M8[s]"))).tolist() == [True, False]
    assert matches(times, decode_fill("NaT", parse_v2("<M8[s]"))).tolist() == [False, True]
    raw = np.frombuffer(b"\1\2\3\4", "V2").reshape(1, 2)
    assert matches(raw, decode([3, 4], "r16")).tolist() == [[False, True]]
    records = np.array([(1, 1.0), (2, 1.0)], [("a", "<i2"), ("b", "<f4")])
    fill = decode_fill("AQAAAIA/", parse_v2([["a", "<i2"], ["b", "<f4"]]))
    assert matches(records, fill).tolist() == [True, False]


def test_dates_with_earlier_ones_and_complex_numbers_of_either_part():
    times = np.array([4, 5, 6, "NaT"], "M8[s]")
    fill = decode_fill(5, parse_v2("<M8[s]"))
    assert matches(times, fill).tolist() == [False, True, False, False]
    assert not matches(times.view("m8[s]"), fill).any()
    assert not matches(times.view("i8"), fill).any()
    assert not matches(np.array([5]), decode_fill("NaT", parse_v2("<M8[s]"))).any()
    values = np.array([complex(NAN, 1), complex(NAN, 0), complex(1, NAN)])
    assert matches(values, decode(["NaN", 1], "complex128")).tolist() == [True, False, False]


def test_fixed_length_text_ends_where_its_nuls_begin():
    fill = decode_fill("ab\0", parse_v2("<U3"))
    assert matches(np.array(["ab", "abc", ""], "U3"), fill).tolist() == [True, False, False]
    whole = np.array(["ab\0", "ab"], np.dtypes.StringDType())  # which keeps them
    assert matches(whole, decode("ab\0", "string")).tolist() == [True, False]
    padded = decode_fill("YQA=", parse_v2("|S2"))
    assert matches(np.array([b"a", b"ab", b""], "S2"), padded).tolist() == [True, False, False]
    for values in (np.array([b"ab"], "S2"), np.array([1]), np.array([b"ab"], "V2")):
        assert matches(values, fill).tolist() == [False]
    assert matches(np.array(["a"], "U1"), padded).tolist() == [False]


def test_raw_values_of_another_length_match_nothing():
    assert not matches(np.zeros(2, "V3"), decode([0, 0], "r16")).any()
    assert matches(np.zeros(2, "V2"), decode([0, 0], "r16")).all()
    assert not matches(np.zeros(2, "u2"), decode([0, 0], "r16")).any()
    assert matches(np.zeros(2, "V0"), decode([0, 0], "r16")).tolist() == [False, False]
    assert matches(np.frombuffer(b"\1\2", "V2"), decode([1, 3], "r16")).tolist() == [False]


@pytest.mark.parametrize(
    ("one", "other", "name", "same"),
    [
        (1, 1, "float32", True),
        (1, 2, "float32", False),
        (2, 1, "int16", False),
        ("NaN", "0xffc00000", "float32", True),
        ("NaN", 1, "float32", False),
        (1, "NaN", "float32", False),
        (["NaN", 1], ["NaN", 2], "complex64", False),
        (["NaN", 1], ["0xffc00000", 1], "complex64", True),
        ("NaT", -(2**63), "<M8[s]", True),
        ("NaT", 5, "<M8[s]", False),
        ([1, 2], [1, 3], "complex64", False),
        (0.0, -0.0, "float32", True),
        ("a", "a", "string", True),
        ("b", "a", "string", False),
        ("a", "b", "string", False),
        ("AQID", [1, 2, 3], "bytes", True),
        ("AQID", [1, 2, 4], "bytes", False),
        ([1, 2], "AQI=", "r16", True),
        ([1, 2], [1, 3], "r16", False),
        (True, False, "bool", False),
    ],
)
def test_which_fill_values_are_the_same(one, other, name, same):
    """As a dataset declares `_FillValue` and `missing_value`, or stores another than it declares."""
    data_type = parse_v2(name) if name.startswith("<") else parse_v3(name)
    assert same_value(decode_fill(one, data_type), decode_fill(other, data_type)) is same


@pytest.mark.parametrize("text", ["a", "", "1"])
def test_a_text_is_not_the_same_as_a_number(text):
    assert not same_value(decode(text, "string"), decode(1, "int8"))
    assert not same_value(decode(1, "int8"), decode(text, "string"))


@pytest.mark.parametrize(
    ("value", "data_type", "zero"),
    [
        (0, "int8", True),
        (1, "int8", False),
        (-0.0, "float64", True),
        ("NaN", "float64", False),
        ([0, 0], "complex64", True),
        ([0, 1], "complex64", False),
        (False, "bool", True),
        (True, "bool", False),
        ("", "string", True),
        ("\0", "string", True),
        ("0", "string", False),
        ("", "bytes", True),
        ("AA==", "bytes", True),
        ("AQ==", "bytes", False),
        ([0, 0], "r16", True),
        ([0, 1], "r16", False),
        (0, "<M8[s]", True),
        (1, "<M8[s]", False),
        ("NaT", "<m8[s]", False),
    ],
)
def test_what_programs_write_where_nobody_has_chosen_a_value(value, data_type, zero):
    parse = parse_v2 if data_type.startswith("<") else parse_v3
    assert is_zero(decode_fill(value, parse(data_type)).value) is zero


def test_values_of_another_kind_match_nothing():
    assert not matches(np.array(["a"]), decode(1, "int8")).any()
    assert not matches(np.array([1]), decode("a", "string")).any()
    assert not matches(np.array([1]), decode(None, "int8")).any()
    assert not matches(np.array([1, 2]), decode([1, 2], "r16")).any()
    assert matches(np.empty((0, 3)), decode(1, "float32")).shape == (0, 3)
    assert matches(np.array(3), decode(3, "int8")).shape == ()


# --- whatever is written ------------------------------------------------------------------------

texts = st.text() | st.sampled_from(
    [
        "NaN",
        "nan",
        "-inf",
        "0x7fc00000",
        "0x",
        "AAAAAICHw8A=",
        "AQID",
        "-99",
        "1e999",
        "NaT",
        "\ud800",
    ]
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
types = st.sampled_from(
    [
        *(parse_v3(name) for name in (*NZ_TYPES, "float16", "r8", "r24", "r8", "string", "bytes")),
        *(parse_v2(text) for text in ("|S1", "|S8", "<U3", ">U3", "|V0", "<M8[ns]", "<m8", ">f4")),
        parse_v2("|O"),
        parse_v2([["a", "<i2"], ["b", [["c", ">f4"]]]]),
        parse_v3("int4"),
        parse_v3(None),
    ]
)


@given(json_values, types)
def test_any_json_value_is_decoded_or_explained(value, data_type):
    storage = [decode_storage_fill(value, data_type, version) for version in (2, 3)]
    for fill in (decode_fill(value, data_type), *storage):
        assert isinstance(fill.text, str)
        for problem in fill.problems:
            assert problem.why
            assert len(problem.why) < 400
        if data_type.numpy is None:
            assert not fill.usable
            continue
        if data_type.numpy.hasobject or data_type.kind in ("string", "bytes"):
            continue
        if fill.usable:
            assert fill.value.dtype == data_type.numpy.newbyteorder("=")
            sample = np.array([fill.value], fill.value.dtype)
            assert matches(sample, fill).all()


@given(json_values, types)
def test_a_safe_suggestion_is_a_good_value(value, data_type):
    for problem in decode_fill(value, data_type).problems:
        if problem.safety == "safe":
            again = decode_fill(problem.suggestion, data_type)
            assert again.usable
            assert again.problems == () or {p.kind for p in again.problems} <= {
                "rounding",
                "dialect",
            }


@pytest.mark.parametrize("value", [[0.1, 1], [0.1, 0.1], ["NaN", 0.1], 0.1, 16777217])
def test_what_is_suggested_for_a_complex_number_is_a_pair(value):
    data_type = parse_v3("complex64")
    decoded = decode_fill(value, data_type)
    assert decoded.problems
    for problem in decoded.problems:
        again = decode_fill(problem.suggestion, data_type)
        assert isinstance(problem.suggestion, list)
        assert np.array_equal(again.value, decoded.value, equal_nan=True)
