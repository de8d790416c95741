"""Recorded games as GIF or MP4 films, from the viewpoint of one player or of the referee.

A film has a frame for each position that its viewer can tell from the one before, at the moments that all players know
of and at the viewer's own decisions. So neither the frames nor their number depend on what is hidden.
"""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sackarmies_env.core.atomic_write import write_safely
from sackarmies_env.core.game import Game, Records
from sackarmies_env.core.messages import missing_extra, printable
from sackarmies_env.core.record import GameRecord, replay
from sackarmies_env.render import theme
from sackarmies_env.render.moments import Moments
from sackarmies_env.render.picture import REFEREE
from sackarmies_env.render.rgb import paint_rgb
from sackarmies_env.render.scene import drawing_of

FORMATS = (".gif", ".mp4")
FPS = 2  # positions per second
LAST = 3.0  # seconds for which the end is shown
ACCENTS = (theme.HIGHLIGHT, theme.CAPTIVES, theme.RAISED, theme.LOWERED, *theme.SEATS, *theme.BANDS.values())
SWATCH = 8  # rows of each accent added to the samples: rare colors that the palette must include
COLORS = 64  # of a GIF, the same in all frames
SAMPLES = 4  # frames from which these colors are chosen

Progress = Callable[[int], None]


def positions_of(game: Game, record: GameRecord, viewer: int | None = REFEREE) -> list[Records]:
    """Return the positions of a recorded game, each `(1,)`, that look different to `viewer` from the one before.

    The referee is shown every decision, a seat only `moments`.

    Raises:
        ValueError: the record does not replay, or `viewer` is not a seat.
    """
    first = game.new_states(1)
    game.start(first, record.seed, record.forced)
    positions, shown = [first], drawing_of(game, first, viewer)
    moments = Moments(game, [viewer])

    def look(states: Records) -> None:
        nonlocal shown
        drawing = drawing_of(game, states, viewer)
        if drawing != shown:
            positions.append(game.clone(states))
            shown = drawing

    def listen(ply: int, before: Records, action: int, after: Records) -> None:
        for moment in moments.of_ply(before, action, after):
            if moment.is_shown:
                look(moment.after)

    look(replay(game, record, listen))  # a game that was left may end where no moment is
    return positions


def write_video(
    path: Path,
    game: Game,
    positions: Sequence[Records],
    viewer: int | None = REFEREE,
    *,
    fps: float = FPS,
    progress: Progress = lambda frames: None,
) -> None:
    """Write positions as a film; an interrupted write leaves the old file as it was.

    Args:
        path: the file, whose name ends in .gif or .mp4.
        game: the game.
        positions: `(1,)` records each, see `positions_of`.
        viewer: seat whose knowledge is shown, or None for the referee, who sees all.
        fps: positions per second, more than 0 and at most 50.
        progress: called with 1 for each frame that is drawn.

    Raises:
        ValueError: the file name has another ending, `fps` is out of range, or a library is not installed.
        OSError: the file cannot be written.
    """
    check_video(path, fps)

    def paint(states: Records) -> NDArray[np.uint8]:
        return paint_rgb(drawing_of(game, states, viewer).scene)

    def frames() -> Iterator[NDArray[np.uint8]]:
        for states in positions:
            yield paint(states)
            progress(1)

    try:
        if path.suffix.lower() == ".gif":
            chosen = {round(place) for place in np.linspace(0, len(positions) - 1, SAMPLES)}
            samples = [paint(positions[place]) for place in sorted(chosen)]
            content = _gif(frames(), len(positions), samples, fps)
        else:
            content = _mp4(frames(), fps)
    except ImportError as error:
        raise ValueError(missing_extra(error, f"a film ({path.suffix})", "video") or str(error)) from None
    write_safely(path, content)


def check_video(path: Path, fps: float) -> None:
    """Check the arguments of `write_video`.

    Raises:
        ValueError: the file name does not end in one of `FORMATS`, or `fps` is out of range.
    """
    if path.suffix.lower() not in FORMATS:
        raise ValueError(f"{printable(path)}: the name of a video must end in {' or '.join(FORMATS)}")
    if not 0 < fps <= 50:
        raise ValueError(f"fps must be greater than 0 and at most 50, not {fps}")


def _gif(frames: Iterator[NDArray[np.uint8]], count: int, samples: list[NDArray[np.uint8]], fps: float) -> bytes:
    """Return frames as a GIF with one palette for all, so that unchanged pixels are left out ("optimize")."""
    from PIL import Image, ImageColor

    swatches = [np.full((SWATCH, theme.WIDTH, 3), ImageColor.getrgb(color), np.uint8) for color in ACCENTS]
    palette = Image.fromarray(np.concatenate(samples + swatches)).quantize(COLORS, Image.Quantize.MEDIANCUT)
    reduced = (Image.fromarray(frame).quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    durations = [*([round(1000 / fps)] * (count - 1)), round(1000 * LAST)]
    file = io.BytesIO()
    next(reduced).save(file, "GIF", save_all=True, append_images=reduced, duration=durations, loop=0, optimize=True)
    return file.getvalue()


def _mp4(frames: Iterator[NDArray[np.uint8]], fps: float) -> bytes:
    """Return frames as an MP4 that browsers can play (H.264)."""
    from imageio_ffmpeg import write_frames  # type: ignore[import-untyped]  # it has no types

    with tempfile.TemporaryDirectory(prefix="sackarmies-") as folder:
        path = Path(folder) / "film.mp4"
        size = (theme.WIDTH, theme.HEIGHT)
        options = {"codec": "libx264", "quality": 6, "output_params": ["-movflags", "+faststart"]}
        writer = write_frames(str(path), size, fps=fps, ffmpeg_log_level="error", **options)
        writer.send(None)  # starts the writer
        for frame in frames:
            writer.send(np.ascontiguousarray(frame))
        for _ in range(round(LAST * fps)):
            writer.send(np.ascontiguousarray(frame))
        writer.close()
        return path.read_bytes()
