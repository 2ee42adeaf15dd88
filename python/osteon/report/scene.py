"""Supports, forces, boundaries and directions in the patient for the viewer. scene.json of a run contains these
data."""

import hashlib
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DataError
from ..results.documents import well_formed
from ..results.patient_axes import is_left_handed, letters_of
from .data import JobResult
from .text import number
from .volumes import thin_labels

HELD, DISPLACED = (58, 134, 255), (255, 122, 26)
FORCES = ((255, 122, 26), (255, 190, 11), (251, 86, 7), (255, 0, 110), (178, 34, 170), (120, 80, 220))
HOT, COLD, OTHER = (232, 72, 60), (58, 134, 255), (64, 176, 128)
MOST_SETS, MOST_ARROWS = 31, 40  # limits in viewer/surface.glsl.js


@dataclass
class Scene:
    """Loads and supports. Positions (x, y, z) are in mm, relative to the low corner."""

    # position of the low corner in the coordinates of the job
    origin: np.ndarray = field(default_factory=lambda: np.zeros(3))
    spacing: np.ndarray = field(default_factory=lambda: np.ones(3))  # spacing of the voxels of the page
    size: np.ndarray = field(default_factory=lambda: np.ones(3))  # size of the box of the specimen
    sets: np.ndarray | None = None  # number of the set that contains each voxel, shape (z, y, x)
    entries: list[dict[str, Any]] = field(default_factory=list)
    arrows: list[dict[str, Any]] = field(default_factory=list)
    letters: list[list[str]] | None = None
    camera: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    is_of_faces: bool = False  # True for conditions on faces and openings instead of supports and forces


def read_scene(result: JobResult) -> Scene:
    """Read the loads of a run, for the voxels of the page. For an older run, the scene is empty."""
    scene = Scene()
    path = result.directory / "scene.json"
    try:
        reported = well_formed(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return scene
    except (OSError, ValueError, RecursionError) as e:
        scene.notes.append(f"Supports and forces are not drawn: scene.json cannot be read ({e!s:.100}).")
        return scene
    try:
        if not str(reported.get("schema", "")).startswith("osteon.scene/1"):
            raise ValueError("schema is not osteon.scene/1")
        _read(scene, reported, result)
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError, OSError, DataError) as e:
        return Scene(notes=[f"Supports and forces are not drawn: scene.json lacks required content ({e!s:.160})."])
    return scene


def _read(scene: Scene, reported: dict[str, Any], result: JobResult) -> None:
    view = reported.get("camera", {})
    scene.camera = {key: float(view[f"{key}_deg"]) for key in ("azimuth", "elevation") if f"{key}_deg" in view}
    scene.camera["zoom"] = 1.0  # with the zoom of the picture, arrows could be clipped
    scene.camera["is_left_handed"] = is_left_handed(reported.get("direction"))
    scene.letters = letters_of(reported.get("direction"))
    scene.spacing = np.array(reported["spacing_mm"], float)[::-1] * result.thinned
    scene.origin = np.array(reported["origin_mm"], float)[::-1]
    scene.size = np.array(reported["shape"], float)[::-1] * scene.spacing / result.thinned
    if volume := reported.get("set_volume"):
        scene.sets = thin_labels(_set_volume(result, volume), result.thinned)
    sets = {int(s["number"]): s for s in reported.get("sets", [])}
    for n, case in enumerate(reported.get("cases", [])):
        name = result.cases[n] if n < len(result.cases) else ""
        _loads(scene, case, name, sets)
    if reported.get("boundaries") and result.share is not None:
        _boundaries(scene, reported["boundaries"], result.share > 0)
    scene.entries = scene.entries[:MOST_SETS]
    del scene.arrows[MOST_ARROWS:]


def _set_volume(result: JobResult, volume: dict[str, Any]) -> np.ndarray:
    from ..images.read_image import read_image

    path = result.directory / Path(str(volume["file"])).name
    if hashlib.sha256(path.read_bytes()).hexdigest() != volume["sha256"]:
        raise DataError(f"'{path.name}' does not match its digest in scene.json")
    values = read_image(str(path)).values
    if values.shape != result.shape or values.dtype != np.uint8:
        raise DataError(f"'{path.name}' has shape {values.shape}, the results have {result.shape}")
    return values


def _loads(scene: Scene, case: dict, name: str, sets: dict) -> None:
    supports, forces = case.get("supports", []), case.get("forces", [])
    longest = max((np.linalg.norm(f["force_N"]) for f in forces), default=0.0)
    reported: dict[int, tuple[list[str], tuple[int, int, int]]] = {}
    groups: dict[str, tuple[int, int, int]] = {}
    for s in supports:
        n, axes = int(s.get("set", 0)), "".join(reversed(str(s.get("held", ""))))
        if s.get("kind") == "displaced":
            text, colour = _displacement(s), DISPLACED
            _face_arrows(scene, s, n, name)
        else:
            text, colour = f"fixed along {', '.join(axes)}", HELD
        reported.setdefault(n, ([], colour))[0].append(text)
    for f in forces:
        n, vector = int(f.get("set", 0)), np.array(f["force_N"], float)[::-1]
        stem = re.sub(r"_?(left|right|l|r)$", "", str(f["on"]))
        colour = groups.setdefault(stem, FORCES[len(groups) % len(FORCES)])
        magnitude = float(np.linalg.norm(vector))
        reported.setdefault(n, ([], colour))[0].append(f"{number(magnitude, 3)} N")
        if magnitude > 0.02 * longest and magnitude > 0:
            _force_arrows(scene, f, n, name, vector, colour, magnitude / longest)
    for n, (texts, colour) in reported.items():
        if n not in sets:
            continue
        known = next((e for e in scene.entries if e["number"] == n), None)
        label = f"{sets[n]['name']}: {', '.join(dict.fromkeys(texts))}"
        if known is None:
            nodes = f" ({number(int(sets[n]['nodes']))} nodes)"
            scene.entries.append({"number": n, "label": label + nodes, "colour": list(colour)})


def _displacement(s: dict) -> str:
    if "turn_deg" in s:
        return f"turned by {number(float(np.linalg.norm(s['turn_deg'])), 3)}°"
    u = [float(v) for v in s["displacement_mm"]]
    along = [f"{number(v, 3)} mm along {axis}" for axis, v in zip("zyx", u, strict=True) if v]
    return f"moved by {', '.join(along)}"


def _arrow(
    tail: np.ndarray, tip: np.ndarray, colour: tuple[int, int, int], label: str, case: str = ""
) -> dict[str, Any]:
    ends = {"from": [float(v) for v in tail], "to": [float(v) for v in tip]}
    return {**ends, "colour": list(colour), "label": label, "case": case}


def _places(scene: Scene, n: int) -> np.ndarray:
    """Return the centres (x, y, z) of the voxels of a set. The number of centres is at most some thousands."""
    if scene.sets is None or n == 0:
        return np.zeros((0, 3))
    found = np.argwhere(scene.sets == n)
    return (found[:: max(1, len(found) // 4000), ::-1] + 0.5) * scene.spacing


def spread_points(points: np.ndarray, count: int) -> np.ndarray:
    """Select points with large distances between each other. Each new point has the largest distance from the points
    that have already been selected."""
    if not len(points):
        return points
    chosen = [int(np.linalg.norm(points - points.mean(0), axis=1).argmin())]
    distance = np.full(len(points), np.inf)
    while len(chosen) < min(count, len(points)):
        distance = np.minimum(distance, np.linalg.norm(points - points[chosen[-1]], axis=1))
        chosen.append(int(distance.argmax()))
    return points[chosen]


def parts_of(points: np.ndarray, reach: float) -> list[np.ndarray]:
    """Group points with distances of less than about `reach` between each other."""
    cells: dict[tuple[int, ...], list[int]] = {}
    for i, cell in enumerate(np.floor(points / reach).astype(int)):
        cells.setdefault(tuple(cell), []).append(i)
    groups = []
    while cells:
        heap, group = [next(iter(cells))], []
        while heap:
            z, y, x = heap.pop()
            if (z, y, x) not in cells:
                continue
            group += cells.pop((z, y, x))
            heap += [(z + a, y + b, x + c) for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)]
        groups.append(points[group])
    return groups


def _face_arrows(scene: Scene, s: dict, n: int, case: str) -> None:
    """Add parallel arrows of equal length to a set with a displacement."""
    u = np.array(s["displacement_mm"], float)[::-1]
    points = _places(scene, n)
    if not len(points) or not np.linalg.norm(u):
        return
    if "turn_deg" in s:
        return  # the points of the set move in different directions
    direction = u / np.linalg.norm(u)
    length = 0.16 * scene.size.max()
    outward = np.dot(direction, points.mean(0) - scene.size / 2) > 0
    reach = np.abs(direction) @ scene.spacing / 2
    label = f"{number(float(np.linalg.norm(u)), 3)} mm"
    for i, p in enumerate(spread_points(points, 5)):
        tip = p + direction * (reach + length) if outward else p - direction * reach
        scene.arrows.append(_arrow(tip - direction * length, tip, DISPLACED, label if i == 0 else "", case))


def _force_arrows(
    scene: Scene, f: dict, n: int, case: str, vector: np.ndarray, colour: tuple[int, int, int], share: float
) -> None:
    """Add an arrow for each part of a set. The arrow of a pushing force ends at the part. The arrow of a pulling force
    begins at the part."""
    points = _places(scene, n)
    point = np.array(f["point_mm"], float)[::-1] - scene.origin
    direction = vector / np.linalg.norm(vector)
    groups = parts_of(points, 0.12 * scene.size.max()) if len(points) else [point[None]]
    groups = [g for g in groups if len(g) > 0.1 * len(points)] if len(groups) > 1 else groups
    for group in groups[:4]:
        at = group.mean(0) if len(groups) > 1 else point
        part = len(group) / sum(map(len, groups))
        length = max(0.32 * scene.size.max() * share * part, 0.06 * scene.size.max())
        pulls = np.dot(direction, at - scene.size / 2) > 0
        tail, tip = (at, at + direction * length) if pulls else (at - direction * length, at)
        label = f"{str(f['on']).replace('_', ' ')} {number(float(np.linalg.norm(vector)) * part, 3)} N"
        scene.arrows.append(_arrow(tail, tip, colour, label, case))


def _boundaries(scene: Scene, reported: list[dict], solid: np.ndarray) -> None:
    """Add conditions on faces of the image. The set of a condition consists of the voxels in the layer at the face."""
    scene.is_of_faces = True
    if scene.sets is None:
        scene.sets = np.zeros(solid.shape, "u1")
    temperatures = [float(b["temperature_K"]) for b in reported if "temperature_K" in b]
    for b in reported[:MOST_SETS]:
        face = re.fullmatch(r"([zyx])_(low|high)", str(b.get("face", "")))
        n = len(scene.entries) + 1
        colour = OTHER
        if "temperature_K" in b and len(set(temperatures)) > 1:
            colour = HOT if float(b["temperature_K"]) == max(temperatures) else COLD
        inflow = float(b.get("inflow_mm3_per_s", 0.0))
        if b.get("kind") in ("velocity", "flow_rate", "pressure", "outlet") and inflow:
            colour = DISPLACED if inflow > 0 else HELD
        label = f"{b.get('face', 'inside')}: {_condition_text(b)}"
        if face:
            axis, high = "zyx".index(face[1]), face[2] == "high"
            layer: list[Any] = [slice(None)] * 3
            layer[axis] = -1 if high else 0
            part = solid[tuple(layer)] & _within(b, axis, solid.shape, scene)
            # A later condition on a part of the face has priority over an earlier condition.
            scene.sets[tuple(layer)][part] = n
            if inflow and part.any():
                _opening_arrow(scene, n, axis, high, inflow, colour)
        scene.entries.append({"number": n, "label": label, "colour": list(colour)})


def _opening_arrow(scene: Scene, n: int, axis: int, high: bool, inflow: float, colour: tuple[int, int, int]) -> None:
    points = _places(scene, n)
    into = np.zeros(3)
    into[2 - axis] = -1.0 if high else 1.0
    length = 0.16 * scene.size.max()
    for i, p in enumerate(spread_points(points, 3)):
        label = f"{number(abs(inflow), 3)} mm³/s" if i == 0 else ""
        outside = p - into * length
        scene.arrows.append(
            _arrow(outside, p, colour, label, "") if inflow > 0 else _arrow(p, outside, colour, label, "")
        )


def _within(b: dict, axis: int, shape: tuple[int, ...], scene: Scene) -> np.ndarray:
    """Return a mask with the shape of a face. Voxels inside the box or ball of the condition are True."""
    others = [a for a in range(3) if a != axis]
    centres = [scene.origin[2 - a] + (np.arange(shape[a]) + 0.5) * scene.spacing[2 - a] for a in others]
    inside = np.ones([shape[a] for a in others], bool)
    for key, keep in (("low_mm", np.greater_equal), ("high_mm", np.less_equal)):
        if key in b:
            for i, a in enumerate(others):
                row = keep(centres[i], float(b[key][a]))
                inside &= row[:, None] if i == 0 else row[None, :]
    if "centre_mm" in b and "radius_mm" in b:
        d = [(c - float(b["centre_mm"][a])) ** 2 for c, a in zip(centres, others, strict=True)]
        inside &= d[0][:, None] + d[1][None, :] <= float(b["radius_mm"]) ** 2
    return inside


UNITS = {
    "temperature_K": "K",
    "flux_W_per_m2": "W/m²",
    "transfer_W_per_m2K": "W/(m² K)",
    "velocity_mm_per_s": "mm/s",
    "flow_rate_mm3_per_s": "mm³/s",
    "pressure_Pa": "Pa",
    "pressure_drop_Pa": "Pa drop",
    "inflow_W": "W in",
    "inflow_mm3_per_s": "mm³/s in",
}


def _condition_text(b: dict) -> str:
    values = [f"{number(float(b[key]), 4)} {unit}" for key, unit in UNITS.items() if key in b]
    return ", ".join([str(b.get("kind", "")).replace("_", " "), *values])
