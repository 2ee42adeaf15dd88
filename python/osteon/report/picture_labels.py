"""Labels of the picture of a run. The labels are the title, the colour bar, the scale bar and the axes."""

import io
import json
import math
import zlib
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from ..results.patient_axes import is_left_handed, letters_of
from .colours import colour_table
from .data import JobResult
from .picture_marks import Camera, draw_arrows, draw_peak
from .scene import Scene
from .ticks import round_ticks

# Margins above and to the right of a picture with a shorter edge of 1000. src/osteon/job/outputs/labeller.cpp contains
# the same values.
HEAD, SIDE = 74, 236
GLOW = (75 / 255, 230 / 255)  # part of a colour map that volumes use (src/osteon/render/scene/presets.hpp)


@dataclass
class View:
    """Unit vectors (x, y, z) along the rows and columns of a picture, and scale at the centre of the specimen."""

    right: list[float]
    up: list[float]
    mm_per_pixel: float


@dataclass
class Labels:
    """Content of the labels. Lists have the order z, y, x."""

    title: str
    quantity: str  # quantity and its unit
    low: float
    high: float
    at_least: bool = False  # True if values above `high` have the colour of `high`
    largest: float | None = None  # true maximum, if the range ends below this maximum
    colour_map: str = "batlow"
    part_of_map: tuple[float, float] = (0.0, 1.0)
    shape: list[int] = field(default_factory=list)
    spacing_mm: list[float] = field(default_factory=list)
    azimuth_deg: float = 0.0
    elevation_deg: float = 0.0
    zoom: float = 1.0
    is_left_handed: bool = False  # True if the axes of the image are left-handed
    letters: list[list[str]] | None = None  # the patient's sides at the low end and at the high end of x, y and z
    view: View | None = None  # view of a camera that angles do not define
    colours: list[tuple[int, int, int]] | None = (
        None  # colours of the bar from low to high; these colours replace a part of the map
    )
    ground: tuple[int, ...] | None = None  # background of the labels; default: colour of the corner of the picture
    page: tuple[int, int] | None = None  # size of the labelled picture; default: computed from the size of the picture
    arrows: list[dict] = field(default_factory=list)  # arrows of the scene
    peak_mm: list[float] | None = None  # position of the true maximum, relative to the low corner
    peak: str = ""  # label of the maximum

    def camera(self, width: int, height: int) -> Camera:
        size = np.array(self.shape, float) * np.array(self.spacing_mm, float)
        return Camera(size[::-1], self.azimuth_deg, self.elevation_deg, self.zoom, width, height, self.is_left_handed)

    def view_in(self, width: int, height: int) -> View:
        """Return the directions of the axes in a picture with this size, and the scale of the picture."""
        if self.view is not None:
            return self.view
        camera = self.camera(width, height)
        return View(camera.right.tolist(), camera.up.tolist(), camera.mm_per_pixel)


def ticks(low: float, high: float, most: int = 6) -> list[tuple[float, str]]:
    """Return round values in a range. The values have as many digits as necessary to distinguish the values."""
    return [(v, digits_for(v, high - low, max(abs(low), abs(high)))) for v in round_ticks(low, high, most)]


def _typeface() -> str:
    """Return the path of the font DejaVu Sans in matplotlib. "{}" represents the weight. matplotlib is not imported,
    because the import takes longer than drawing the picture."""
    found = find_spec("matplotlib")
    data = Path(found.origin).parent / "mpl-data" if found is not None and found.origin else Path()
    fonts = data / "fonts" / "ttf"
    if not fonts.is_dir():  # some distributions store the fonts in another folder
        import matplotlib

        fonts = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    return str(fonts / "DejaVuSans{}.ttf")


def digits_for(value: float, step: float, largest: float) -> str:
    """Format a value to a hundredth of its range. Values above 1e5 and below 1e-3 are formatted as powers of ten."""
    if largest >= 1e5 or 0 < largest < 1e-2:
        return f"{value:.2e}" if value else "0"
    decimals = max(0, 2 - math.floor(math.log10(step))) if step > 0 else 2
    return f"{value:.{decimals}f}".rstrip("0").rstrip(".") if decimals else f"{value:.0f}"


def round_length(longest: float) -> float:
    """Return the largest length of the form 1, 2 or 5 times a power of ten that is at most `longest`."""
    power = 10.0 ** math.floor(math.log10(longest))
    return next(m * power for m in (5.0, 2.0, 1.0) if m * power <= longest * (1 + 1e-12))


def draw(picture: Image.Image, labels: Labels) -> Image.Image:
    """Return a larger picture on the same background. The title is above the picture, and the labels are on the
    right."""
    picture = picture.convert("RGB")
    unit = max(min(picture.size) / 1000, 0.25)
    head, side = round(HEAD * unit), round(SIDE * unit)
    if labels.page is not None:
        side, head = labels.page[0] - picture.width, labels.page[1] - picture.height
    ground = labels.ground or picture.getpixel((0, 0))
    face = _typeface()

    def font(size: float, weight: str = "") -> ImageFont.FreeTypeFont:
        return ImageFont.truetype(face.format(weight), max(8, round(size * unit)))

    if labels.shape:
        camera = labels.camera(*picture.size)
        picture = draw_arrows(picture, camera, labels.arrows, unit, font)
        if labels.peak_mm is not None:
            picture = draw_peak(picture, camera, np.array(labels.peak_mm[::-1]), labels.peak, unit, font)
    page = Image.new("RGB", (picture.width + side, picture.height + head), ground)
    page.paste(picture, (0, head))
    pen = ImageDraw.Draw(page)
    ink = (20, 24, 30) if sum(ground) > 3 * 127 else (236, 239, 243)
    pen.text((28 * unit, 26 * unit), labels.title, ink, font(29, "-Bold"))
    left, right = picture.width + 12 * unit, page.width - 20 * unit
    _bar(pen, labels, (left, head + 70 * unit, right, head + 0.62 * picture.height), unit, ink, font)
    if labels.shape or labels.view is not None:
        view = labels.view_in(*picture.size)
        _scale(pen, view.mm_per_pixel, (left, right, page.height - 28 * unit), unit, ink, font)
        _axes(pen, view, labels.letters, (left + 70 * unit, page.height - 150 * unit), unit, ink, font)
    return page


def _bar(pen, labels, box, unit, ink, font) -> None:
    if not labels.high > labels.low:
        return
    left, top, right, bottom = box
    table = np.array(labels.colours) if labels.colours else colour_table(labels.colour_map)
    first, last = (0.0, 1.0) if labels.colours else labels.part_of_map
    thick, long = 22 * unit, bottom - top
    for i in range(round(long)):
        # a part of the last pixel may be below the end
        t = first + (last - first) * max(0.0, 1 - i / max(1.0, long - 1))
        colour = table[round((len(table) - 1) * t)]
        pen.rectangle((left, top + i, left + thick, top + i + 1), tuple(int(v) for v in colour))
    small = font(20)
    high = digits_for(labels.high, labels.high - labels.low, abs(labels.high))
    shown = [
        (v, text) for v, text in ticks(labels.low, labels.high) if labels.high - v > 0.06 * (labels.high - labels.low)
    ]
    for value, text in [*shown, (labels.high, ("≥ " if labels.at_least else "") + high)]:
        y = top + long * (labels.high - value) / (labels.high - labels.low)
        pen.line((left + thick, y, left + thick + 7 * unit, y), ink, max(1, round(2 * unit)))
        pen.text((left + thick + 13 * unit, y), text, ink, small, anchor="lm")
    text = _wrapped(labels.quantity, small, right - left)
    pen.multiline_text((left, top - 22 * unit), text, ink, small, anchor="ld", spacing=4 * unit)
    if labels.largest is not None:
        text = f"maximum {digits_for(labels.largest, labels.largest, abs(labels.largest))}"
        pen.text((left, bottom + 18 * unit), text, ink, small, anchor="lt")


def _wrapped(text: str, font: ImageFont.FreeTypeFont, width: float) -> str:
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and font.getlength(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)


def _scale(pen, mm_per_pixel, place, unit, ink, font) -> None:
    left, right, y = place
    length = round_length((right - left) * mm_per_pixel)
    pen.rectangle((left, y - 4 * unit, left + length / mm_per_pixel, y), ink)
    pen.text((left, y - 12 * unit), f"{length:g} mm", ink, font(20), anchor="lb")


def _axes(pen, view, letters, place, unit, ink, font) -> None:
    """Draw the axes. For a patient, each axis has the letter of its side, as in the viewer of the report."""
    (x0, y0), length = place, 42 * unit
    for a, (name, colour) in enumerate(zip("xyz", ((209, 73, 91), (58, 157, 93), (63, 127, 208)), strict=True)):
        across, up = view.right[a], view.up[a]
        if math.hypot(across, up) < 0.1:
            continue  # this axis is perpendicular to the picture
        pen.line((x0, y0, x0 + across * length, y0 - up * length), colour, max(1, round(4 * unit)))
        text = f"{name} {letters[a][1]}" if letters else name
        away = length + (24 if letters else 16) * unit
        pen.text((x0 + across * away, y0 - up * away), text, ink, font(20), anchor="mm")


def of_result(result: JobResult, scene: Scene | None = None) -> Image.Image | None:
    """Return the labelled picture of a job. If the job has no picture, the result is None. @param scene loads and
    supports of the specimen"""
    s = result.summary
    if "picture" not in s.get("files", {}):
        return None
    try:
        picture = Image.open(result.directory / "picture.png").convert("RGB")
    except (OSError, ValueError, SyntaxError):
        return None
    _, title, unit = result.field_name
    reported, image = s.get("shown", {}), s.get("image", {})
    low, high = float(reported.get("low", 0.0)), float(reported.get("high") or 0.0)
    largest = next((f.thin.largest for f in result.fields if f.limits is not None), None)
    labels = Labels(
        title=f"{s.get('job', '')}: {reported.get('caption', '')}".rstrip(": "),
        quantity=title + ("" if unit in ("", "1") else f" ({unit})"),
        low=low,
        high=high,
        at_least=largest is not None and largest > high,
        largest=largest if largest is not None and largest > high else None,
        colour_map=str(reported.get("colour_map", "batlow")),
        part_of_map=tuple(float(v) for v in reported.get("part_of_map", GLOW)),
    )
    camera = read_camera(result.directory)
    if camera and image.get("spacing_mm"):
        labels.shape, labels.spacing_mm = list(result.shape), [float(h) for h in image["spacing_mm"]]
        labels.azimuth_deg, labels.elevation_deg, labels.zoom = camera
        labels.letters = letters_of(image.get("direction"))
        labels.is_left_handed = is_left_handed(image.get("direction"))
        first_case = result.cases[0] if result.cases else ""
        labels.arrows = [a for a in scene.arrows if a["case"] in ("", first_case)] if scene else []
        if isinstance(peak := reported.get("peak"), dict):
            labels.peak_mm = [float(v) - o for v, o in zip(peak["at_mm"], result.origin_mm, strict=True)]
            labels.peak = f"max {digits_for(float(peak['value']), float(peak['value']), float(peak['value']))}"
    return draw(picture, labels)


def as_png(picture: Image.Image | None) -> bytes:
    """Encode a picture without loss. Without a picture, the result is empty. Rows without filters compress as well as
    the strips that a run writes, and compress faster."""
    out = io.BytesIO()
    if picture is not None:
        picture.save(out, "PNG", compress_level=3, compress_type=zlib.Z_RLE)
    return out.getvalue()


def read_camera(directory: Path) -> tuple[float, float, float] | None:
    """Return azimuth and elevation of the picture in degrees, and the zoom. For an older run, the result is None."""
    try:
        camera = json.loads((directory / "scene.json").read_text(encoding="utf-8"))["camera"]
        return float(camera["azimuth_deg"]), float(camera["elevation_deg"]), float(camera["zoom"])
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return None
