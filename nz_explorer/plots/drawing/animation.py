"""Pictures of many slices, one after the other, as an animation of matplotlib."""

from __future__ import annotations

import importlib
import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from nz_explorer.plots.drawing.canvas import empty
from nz_explorer.plots.figure import draw_on

if TYPE_CHECKING:
    from matplotlib.animation import FuncAnimation

    from nz_explorer.plots.picture import QuickLook

Film = Literal["gif", "mp4"]

_NO_LAYOUT: Any = {"figure.autolayout": False, "figure.constrained_layout.use": False}
_NO_FFMPEG = "MP4 takes ffmpeg: pip install imageio-ffmpeg"


def animation(
    look: Callable[[int], QuickLook],
    frames: Sequence[int],
    *,
    fps: float = 8.0,
    width: float = 8.0,
    height: float = 5.0,
    **options: object,
) -> FuncAnimation:
    """Return an animation of pictures.

    Parameters
    ----------
    look
        Returns the picture of one of `frames`.
    frames
        What is shown one after the other.
    fps
        Frames a second.
    width, height
        In inches.
    **options
        As `figure` takes them.
    """
    from matplotlib import rc_context
    from matplotlib.animation import FuncAnimation

    drawn, _ = empty(width, height)

    places: list[Any] = []

    def show(frame: int) -> list[object]:
        drawn.clear()
        draw_on(drawn, look(frame), **options)
        # laid out once: nothing moves but the picture, which is drawn the faster for it
        if len(places) != len(drawn.axes):
            drawn.set_layout_engine("constrained")
            drawn.draw_without_rendering()
            places[:] = [axes.get_position() for axes in drawn.axes]
            with rc_context(_NO_LAYOUT):  # "none" leaves one behind, for which all is drawn twice
                drawn.set_layout_engine(None)
        for axes, place in zip(drawn.axes, places, strict=True):
            axes.set_position(place)
        return []

    class Animation(FuncAnimation):
        """Writes a GIF by Pillow, without a word about ffmpeg, which might not be there."""

        def save(self, filename: Any, writer: Any = None, **given: Any) -> None:  # type: ignore[override]
            if writer is None and str(filename).lower().endswith(".gif"):
                writer = "pillow"
            ffmpeg = "" if writer == "pillow" else _ffmpeg()
            if writer is None and not ffmpeg and str(filename).lower().endswith(".mp4"):
                raise ValueError(_NO_FFMPEG)
            canvas: Any = drawn.canvas
            # each frame is drawn where it is written; matplotlib would draw it once more before
            canvas.draw_idle = lambda *_: None
            try:
                with rc_context({"animation.ffmpeg_path": ffmpeg} if ffmpeg else {}):
                    super().save(filename, writer, **given)
            finally:
                del canvas.draw_idle

        def __del__(self) -> None:
            """One that was cancelled before its first picture is no mistake, as matplotlib would warn."""

    return Animation(
        drawn,
        show,  # type: ignore[arg-type]
        frames,
        init_func=list,  # else the first one is drawn twice
        interval=1000 / fps,
        cache_frame_data=False,
    )


def _ffmpeg() -> str:
    """Return where ffmpeg is: on the path, or what the package imageio-ffmpeg brings; empty where it is not."""
    found = shutil.which("ffmpeg")
    if found is None:
        with suppress(ImportError, RuntimeError):
            found = importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe()
    return found or ""


def film(
    shown: FuncAnimation, form: Film, fps: float, progress: Callable[[int, int], object]
) -> bytes:
    """Return an animation as the bytes of a file.

    Parameters
    ----------
    shown
        The animation.
    form
        A GIF, by Pillow, or an MP4, by ffmpeg.
    fps
        Frames a second.
    progress
        Called with how many frames there are, and of how many; what it raises ends the work.

    Raises
    ------
    ValueError
        If there is no ffmpeg.
    """
    writer = "pillow" if form == "gif" else "ffmpeg"
    if form == "mp4" and not _ffmpeg():
        raise ValueError(_NO_FFMPEG)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"film.{form}"
        shown.save(
            str(file),
            writer=writer,
            fps=fps,  # type: ignore[arg-type]
            progress_callback=lambda at, of: progress(at + 1, of),
        )
        return file.read_bytes()
