"""Marks in the picture of a run. The marks are arrows for loads, and a ring around the maximum."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFont

HALF_FIELD_OF_VIEW = math.radians(15)  # half of the field of view in src/osteon/render/rays/view.cpp
BEHIND = 0.45  # opacity of arrows with their tip behind the centre of the specimen

Font = Callable[[float], ImageFont.FreeTypeFont]
Colour = tuple[int, int, int]


@dataclass
class Camera:
    """Perspective of a picture. Points (x, y, z) are in mm, relative to the low corner of the box of the specimen."""

    size_mm: np.ndarray  # size of the box in mm
    azimuth_deg: float
    elevation_deg: float
    zoom: float
    width: int  # width in pixels
    height: int
    # True for left-handed axes of the image; as in view.cpp, the vector to the right is then reversed
    is_left_handed: bool = False

    def __post_init__(self) -> None:
        az, el = math.radians(self.azimuth_deg), math.radians(self.elevation_deg)
        self.ahead = -np.array([math.cos(el) * math.cos(az), math.cos(el) * math.sin(az), math.sin(el)])
        self.right = np.array([-math.sin(az), math.cos(az), 0.0]) * (-1 if self.is_left_handed else 1)
        self.up = np.array([-math.sin(el) * math.cos(az), -math.sin(el) * math.sin(az), math.cos(el)])
        self.middle = 0.5 * np.asarray(self.size_mm, float)
        self.distance = float(np.linalg.norm(self.middle)) / math.sin(HALF_FIELD_OF_VIEW)

    @property
    def mm_per_pixel(self) -> float:
        """Scale at the centre of the specimen."""
        return math.tan(HALF_FIELD_OF_VIEW) * self.distance / (0.5 * min(self.width, self.height)) / self.zoom

    def depth(self, point: np.ndarray) -> float:
        """Return the distance between a point and the centre of the specimen along the view direction [mm]. In front of
        the centre, the distance is negative."""
        return float((np.asarray(point, float) - self.middle) @ self.ahead)

    def project(self, point: np.ndarray) -> tuple[float, float]:
        """Return column and row of a point in the picture. Integers are corners of pixels."""
        from_middle = np.asarray(point, float) - self.middle
        size = self.mm_per_pixel * (1 + self.depth(point) / self.distance)
        return (
            0.5 * self.width + float(from_middle @ self.right) / size,
            0.5 * self.height - float(from_middle @ self.up) / size,
        )


def draw_arrows(picture: Image.Image, camera: Camera, arrows: Sequence[dict], unit: float, font: Font) -> Image.Image:
    """Draw outlined arrows. Arrows on the far side are faint. The label of an arrow is at the end with the larger
    distance from the middle."""
    for arrow in sorted(arrows, key=lambda a: -camera.depth(a["to"])):
        tail, tip = camera.project(arrow["from"]), camera.project(arrow["to"])
        length = math.dist(tail, tip)
        if length < 2 * unit:
            continue
        head = min(0.5 * length, 22 * unit)
        along = ((tip[0] - tail[0]) / length, (tip[1] - tail[1]) / length)
        neck = (tip[0] - head * along[0], tip[1] - head * along[1])
        side = (-0.42 * head * along[1], 0.42 * head * along[0])
        layer = Image.new("RGBA", picture.size)
        pen = ImageDraw.Draw(layer)
        edge, colour = (16, 18, 22), tuple(arrow["colour"])
        for ink, more in ((edge, 1.5 * unit), (colour, 0.0)):
            pen.line((*tail, *neck), ink, max(1, round(6 * unit + 2 * more)))
            s = 1 + more / (0.42 * head)
            pen.polygon(
                [
                    (tip[0] + more * along[0], tip[1] + more * along[1]),
                    (neck[0] + s * side[0], neck[1] + s * side[1]),
                    (neck[0] - s * side[0], neck[1] - s * side[1]),
                ],
                ink,
            )
        if arrow.get("label"):
            middle = np.array([0.5 * picture.width, 0.5 * picture.height])
            free = max((tail, tip), key=lambda p: float(np.linalg.norm(np.array(p) - middle)))
            draw_label(pen, picture.size, free, str(arrow["label"]), colour, unit, font)
        if camera.depth(arrow["to"]) > 0:
            layer.putalpha(layer.getchannel("A").point(lambda a: round(BEHIND * a)))
        picture = Image.alpha_composite(picture.convert("RGBA"), layer)
    return picture.convert("RGB")


def draw_peak(
    picture: Image.Image, camera: Camera, point: np.ndarray, text: str, unit: float, font: Font
) -> Image.Image:
    """Draw a ring around the maximum, and the label of the maximum. Occlusion is ignored."""
    picture = picture.copy()
    pen = ImageDraw.Draw(picture)
    x, y = camera.project(point)
    for ink, thick in (((16, 18, 22), 5 * unit), ((255, 255, 255), 2 * unit)):
        r = 11 * unit + thick / 2
        pen.ellipse((x - r, y - r, x + r, y + r), outline=ink, width=max(1, round(thick)))
    draw_label(pen, picture.size, (x + 12 * unit, y - 22 * unit), text, (255, 255, 255), unit, font)
    return picture


def draw_label(
    pen: ImageDraw.ImageDraw, size: tuple[int, int], at: tuple[float, float], text: str, ink: Colour, unit: float,
    font: Font,
) -> None:  # fmt: skip
    """Draw a label with a dark outline next to a point. If necessary, the label is shifted into the picture."""
    face = font(18)
    width, height = face.getlength(text), 24 * unit
    x = min(max(at[0] + 6 * unit, 4 * unit), size[0] - width - 6 * unit)
    y = min(max(at[1] - height / 2, 4 * unit), size[1] - height - 4 * unit)
    pen.text((x, y), text, ink, face, stroke_width=max(1, round(2 * unit)), stroke_fill=(16, 18, 22))
