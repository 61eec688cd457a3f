"""Python that reduces dimensions to a number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nz_explorer.text.source_code import line, noted
from nz_explorer.values.reduction import Reduction


def reduced_lines(
    reduction: Reduction, latitude: Sequence[str], *, undefined: bool
) -> Iterator[str]:
    """Yield lines that reduce the last dimensions of ``values``.

    Parameters
    ----------
    reduction : Reduction
        What is made of which dimensions.
    latitude : sequence of str
        Lines that bind ``latitude`` to where values lie along the last of them; empty where all count alike.
    undefined : bool
        Whether some results are NaN because all that would count is.
    """
    yield noted("values = np.ma.masked_invalid(values.astype(float))", "NaN does not count")
    over = tuple(range(-len(reduction.axes), 0))
    method = reduction.method
    if reduction.latitudes is not None:
        yield from latitude
        yield "weights = np.cos(np.radians(latitude, dtype=float)).clip(0)"
        yield "weights = np.broadcast_to(weights, values.shape)"
        yield "values = np.ma.masked_array(values.filled(0), np.ma.getmaskarray(values))"
        mean = line("np.ma.average(values, axis={}, weights=weights)", over)
        if method == "std":
            yield f"apart = values - np.ma.expand_dims({mean}, {over})"
            mean = mean.replace("(values", "(apart**2", 1)
            mean = f"np.ma.sqrt({mean})"
        yield noted(f"values = {mean}", "weighted by area")
    elif method == "any":
        yield line("values = (values != 0).any(axis={}).astype(float)", over)
    else:
        yield f"values = values.{method}(axis={over})"
    if undefined:
        gone = line("missing.all(axis={})", over)
        text = f"values = np.ma.masked_array(np.ma.filled(values, np.nan), {gone})"
        yield noted(text, "of nothing but NaN: NaN")
    else:
        yield "values = np.ma.asarray(values)"
