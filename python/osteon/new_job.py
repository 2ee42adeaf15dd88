"""Write a job from an image: `python -m osteon.new_job IMAGE [--protocol NAME] [-o JOB.toml]`; docs/howto/new.md.

The job contains the values in the image, and the values that the protocol cites. Missing values are omitted and marked.
`osteon check` lists the missing values.
"""

import argparse
import json
import os
import re
import shlex
import sys
import textwrap
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from .errors import DATA, USAGE, DataError, complain
from .images.grey_histogram import Greys, greys_of
from .images.look_at_image import header
from .images.read_image import files_of, read_image, silence
from .images.volume import check_shape, three_axes

PROTOCOLS = Path(__file__).with_name("protocols")
DEFAULT = "solid"
MOST_BYTES = 256 << 20  # files up to this size are read completely
WIDTH = 120
LIKELY_MM = (1e-4, 5.0)  # range of the voxel edges of scanners, from nanometre CT to old clinical slices
AIR_HU = -500  # about half of the value of air; lower values indicate a scan in HU that contains air
# separation of a flat histogram; for a single bell, the separation is 2/pi, and for two phases, the separation is
# larger
CLEAR = 0.75


@dataclass
class ImageProperties:
    """Properties of an image that a job needs."""

    format: str
    shape: tuple[int, int, int] | None
    spacing_mm: tuple[float, ...] | None
    greys: Greys | None
    whole: bool
    labels: dict[str, str] = field(default_factory=dict)
    calibration: dict | None = None
    unit: str | None = None
    warnings: list[str] = field(default_factory=list)


def protocols() -> list[str]:
    return sorted(path.stem for path in PROTOCOLS.glob("*.toml"))


def load_protocol(name: str) -> dict:
    if name not in protocols():
        raise DataError(f"no protocol '{name}'; known protocols: {', '.join(protocols())}")
    return tomllib.loads((PROTOCOLS / f"{name}.toml").read_text(encoding="utf-8"))


def inspect_image(source: str) -> ImageProperties:
    """Read the properties of an image. @throws DataError if the image cannot be read"""
    size = sum(p.stat().st_size for p in files_of(source))
    if size <= MOST_BYTES:
        volume = read_image(source)
        facts = volume.facts
        return ImageProperties(
            volume.format,
            volume.values.shape,
            volume.spacing_mm,
            greys_of([volume.values]),
            True,
            dict(facts.get("labels", {})),
            facts.get("calibration"),
            facts.get("unit"),
            volume.warnings,
        )
    try:
        found = header(source)
        planes = [p[None] if p.ndim == 2 else p for p in found.planes]
    except (DataError, ImportError):
        raise
    except Exception as e:  # Readers of foreign formats raise any exception for damaged files.
        raise DataError(f"'{source}' cannot be read: {' '.join(str(e).split())[-200:]}") from None
    if found.shape is not None:
        check_shape(tuple(found.shape), source)
    shape = None if found.shape is None else three_axes(tuple(found.shape), source)
    return ImageProperties(found.format, shape, found.spacing_mm, greys_of(planes) if planes else None, False)


def write_job(source: str, target: Path, protocol: str) -> tuple[str, list[str]]:
    """Return the text of the job, and the decisions that the user still has to make. @throws DataError"""
    rules, image = load_protocol(protocol), inspect_image(source)
    doubts = list(image.warnings)
    decide = list(rules.get("decide", []))
    path = os.path.relpath(source, target.parent.resolve()) if not Path(source).is_absolute() else source
    lines = [
        *_comment(f"Written by `osteon new {source} --protocol {protocol}`: {rules['title']}."),
        *_comment("Sources of its numbers: " + "; ".join(rules["source"]) + "."),
        *_comment(f"Phase that is computed: {rules['phase']['name']} ({rules['phase']['source']})."),
        "# Every key: docs/reference/job.md. Lists are in the order z, y, x.",
        f"name = {_text(_name(target.stem))}",
        f"physics = {_text(rules['physics'])}",
        "",
        "[image]",
        f"path = {_text(path)}",
        *_spacing(image, rules, doubts, decide),
        "",
        *_segment(image, rules, doubts, decide),
        *_materials(image, rules),
        rules["job"].strip("\n"),
    ]
    if decide or doubts:
        lines += ["", "# Before the first run:"]
        for item in doubts:
            lines += _comment("doubt: " + item)
        for item in decide:
            lines += _comment("decide: " + item)
    return "\n".join(lines) + "\n", [*(f"doubt: {d}" for d in doubts), *(f"decide: {d}" for d in decide)]


def _spacing(image: ImageProperties, rules: dict, doubts: list[str], decide: list[str]) -> list[str]:
    if image.spacing_mm is None:
        decide.insert(0, f"spacing_mm of [image]: this {image.format} does not state the voxel size")
        return [f"# spacing_mm = [ , , ]         # missing: the {image.format} does not state it; voxel edges in mm"]
    stated = [float(h) for h in image.spacing_mm]
    shown = ", ".join(f"{h:g}" for h in stated)
    for axis, h in zip("zyx", stated, strict=True):
        if not LIKELY_MM[0] <= h <= LIKELY_MM[1]:
            thousand = f"; {h / 1000:g} mm if the number in the file is in micrometres" if h > LIKELY_MM[1] else ""
            doubts.append(f"voxels of {h:g} mm along {axis} are unusual for a scan: check the unit{thousand}")
            break
    expected = rules.get("spacing_mm")
    if expected and any(abs(h - expected) > 0.02 * expected for h in stated):
        doubts.append(
            f"the protocol is for voxels of {expected:g} mm, the image has [{shown}] mm; moduli depend on voxel size"
        )
    size = ""
    if image.shape is not None:
        size = ": " + " x ".join(f"{n * h:.4g}" for n, h in zip(image.shape, stated, strict=True)) + " mm in all"
    return [f"# spacing_mm is [{shown}] mm, as the file states it{size}"]


def _segment(image: ImageProperties, rules: dict, doubts: list[str], decide: list[str]) -> list[str]:
    keep = [f'keep = "{rules["keep"]}"'] if "keep" in rules else []
    greys = image.greys
    if greys is None:
        return [
            "[segment]",
            *_comment("no threshold: grey values become known when the image is imported; Otsu's method sets it"),
            *keep,
            "",
        ]
    unit = f" {image.unit}" if image.unit else ""
    lines = _comment(
        f"greys from {greys.low:g} to {greys.high:g}{unit}"
        + ("" if image.whole else f", from {greys.voxels} voxels in a few planes")
    )
    if greys.threshold is None:
        doubts.append(f"every sampled voxel is {greys.low:g}: the image has one phase only")
        return ["[segment]", *lines, *keep, ""]
    if _is_labels(image):
        if "[density_law]" in rules["job"]:
            doubts.append("the protocol computes moduli from grey values, but the image has labels; use the scan")
        return ["[segment]", *lines, *_label_rules(image, rules, doubts, decide), *keep, ""]
    threshold = rules["threshold"]
    if "HU" in threshold and image.unit == "HU":
        lines += _comment(f"threshold of the protocol: {threshold['HU']:g} HU ({threshold['source']})")
        return ["[segment]", *lines, f"threshold = {threshold['HU']:g}", *keep, ""]
    if "HU" in threshold:
        doubts.append(
            f"the protocol's threshold is {threshold['HU']:g} HU ({threshold['source']}), but the {image.format} does "
            "not state that its values are HU; Otsu's threshold is written"
        )
    else:
        lines += _comment(f"source of the threshold: {threshold['source']}")
    doubts += _below_water(image)
    low, high = sorted(greys.above_at_deviation)
    lines += _comment(
        f"Otsu's threshold; it is {greys.threshold:.6g} +- {greys.deviation:.3g} (standard deviation over "
        f"{'slabs of the image' if image.whole else 'planes'}). {100 * greys.above:.1f} % of the voxels are brighter, "
        f"{100 * low:.1f} to {100 * high:.1f} % within that."
    )
    if greys.separation < CLEAR:
        doubts.append(
            f"the grey values have no two clear phases (Otsu's separation is {greys.separation:.2f}, that of a flat "
            "histogram 0.75): choose the threshold by inspection, or by a phantom"
        )
    if rules["solid"] == "dark":
        below = greys.low - 1
        return ["[segment]", *lines, f"threshold = {below:g}", f"upper = {greys.threshold:.6g}", *keep, ""]
    return ["[segment]", *lines, f"threshold = {greys.threshold:.6g}", *keep, ""]


def _below_water(image: ImageProperties) -> list[str]:
    """Return a doubt if the threshold of Otsu separates air from tissue. This fault occurs in scans with much air."""
    greys = image.greys
    is_in_hu = image.unit == "HU" or (image.unit is None and greys.low < AIR_HU)
    if not is_in_hu or greys.threshold >= 0:
        return []
    return [
        f"Otsu's threshold is {greys.threshold:g}{' HU' if image.unit == 'HU' else ''}, below water at 0 HU: it "
        "separates air from tissue; set a threshold in HU, for example 148 for trabecular and 226 for all bone "
        "(InVesalius)"
    ]


def _label_rules(image: ImageProperties, rules: dict, doubts: list[str], decide: list[str]) -> list[str]:
    """Return the keys of label images. For a protocol of pores, the labels of the solid are empty."""
    values = image.greys.values
    lines_of_labels = _comment("few distinct integers: read as labels")
    if rules["solid"] != "dark":
        return [*lines_of_labels, "labels = true", "void_labels = [0]" if 0 in values else "# void_labels = []"]
    solid = [int(v) for v in values if v != 0]
    decide.append(f"label 0 is {rules['phase']['name'].partition(':')[0]}, and labels {solid} are not: check this")
    if 0 not in values:
        doubts.append(f"no voxel has label 0, which the protocol uses for {rules['phase']['name'].partition(':')[0]}")
    return [*lines_of_labels, "labels = true", f"void_labels = {solid}   # all except the computed phase"]


def _labels_with_material(image: ImageProperties, rules: dict) -> list[int]:
    """For a protocol of pores, return the label 0. For a protocol of solids, return all other labels."""
    return [0] if rules["solid"] == "dark" else [int(n) for n in image.greys.values if n != 0]


def _is_labels(image: ImageProperties) -> bool:
    values = image.greys.values
    return bool(image.labels) or (0 < len(values) <= 8 and values[0] == 0 and len(values) > 2 and max(values) < 2**16)


def _materials(image: ImageProperties, rules: dict) -> list[str]:
    if "material" not in rules:
        return []
    material = rules["material"]
    labels = (
        _labels_with_material(image, rules)
        if image.greys and image.greys.threshold is not None and _is_labels(image)
        else [None]
    )
    lines = []
    for label in labels:
        lines.append("[[material]]")
        is_one = label is None or len(labels) == 1
        name = image.labels.get(str(label), material["name"] if is_one else f"{material['name']} {label}")
        lines.append(f"name = {_text(name)}")
        if label is not None:
            lines.append(f"label = {label}")
        for key, value in material.items():
            if key == "name":
                continue
            lines.append(f"# {key} =     # missing: {value}" if isinstance(value, str) else f"{key} = {value:g}")
        lines.append("")
    return lines


def _comment(text: str) -> list[str]:
    text = "".join(c if c.isprintable() else " " for c in text)
    return textwrap.wrap(
        " ".join(text.split()), WIDTH, initial_indent="# ", subsequent_indent="#   ", break_long_words=False
    )


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _name(stem: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", stem).strip("._") or "job"


def _stem(source: str) -> str:
    name = re.sub(r"[*?\[\]]+", "", Path(source).name).strip(".") or "job"
    for ending in (".nii.gz", ".ome.tif", ".ome.tiff"):
        if name.lower().endswith(ending):
            return name[: -len(ending)]
    return Path(name).stem


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="osteon new", description="Write a job from an image.")
    parser.add_argument("image")
    parser.add_argument("-p", "--protocol", default=DEFAULT)
    parser.add_argument("-o", "--output")
    try:
        given = parser.parse_args(arguments)
    except SystemExit as e:
        return USAGE if e.code else 0
    target = Path(given.output or _name(_stem(given.image)) + ".toml")
    try:
        if target.exists() or target.is_symlink():
            raise DataError(f"'{target}' exists already and is not overwritten; choose another name by -o")
        with silence():
            text, open_points = write_job(given.image, target, given.protocol)
        try:
            data = text.encode()
        except UnicodeEncodeError:
            raise DataError(
                f"the name {given.image!r} is not valid UTF-8, which a job requires; rename the image"
            ) from None
        with target.open("xb") as file:
            file.write(data)
    except DataError as e:
        complain(e)
        return DATA
    except ImportError as e:
        complain(f"the Python package '{e.name}' is missing; run `./run setup`")
        return 5
    except OSError as e:
        complain(f"cannot write '{target}': {e.strerror}")
        return 5
    for point in open_points:
        print(point)
    word = shlex.quote(f"./{target}" if str(target).startswith("-") else str(target))
    print(f"wrote {target}; `osteon check {word}` lists missing values")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
