"""Operations on results. The operations create pictures, films and files for other programs, and compare jobs.

Each operation is a command of the program. The page displays the command, and the log of the session contains the
command.
"""

import math
import re
import shlex
import shutil
import tempfile
import threading
from pathlib import Path
from typing import Any

from ..errors import DataError, MachineError, UsageError, error_of
from .program import SHOWN, run

METHODS = ("", "surface", "volume", "maximum", "average", "lic")
MOST_PIXELS = 2048
FRAMES = 48  # number of frames of a film around the specimen
# Formats of exported results. The value is True if a format contains a single field.
EXPORTS = {
    ".vti": False, ".nrrd": True, ".nii.gz": True, ".mha": True, ".tif": True, ".ome.zarr": True, ".npy": True,
    ".vtu": False, ".stl": False,
}  # fmt: skip
STATES = ("paraview", "slicer")
# For these formats, the job of the results is exported. The job file is in the parent folder.
JOBS = (".inp", ".n88model", ".h5")

# Only one picture is drawn at a time, because drawing a picture uses all cores.
drawing = threading.Lock()


def fields_in(folder: Path) -> list[dict[str, Any]]:
    """Return the fields that can be displayed, with name, unit and components. The last value is True for a field at
    nodes."""
    from ..results.cluster_parts import results_exist
    from ..results.result_fields import field_names

    path = folder / "results.nc"
    if not results_exist(path):
        return []
    try:
        fields = field_names(path)
    except DataError:  # the report contains the fault of the file
        return []
    return [
        {"name": f.name, "unit": f.units, "components": f.components, "on_nodes": f.on_nodes} for f in fields.values()
    ]


def picture_arguments(view: dict[str, Any]) -> list[str]:
    """Return the options of `osteon render` for a view of the page. @throws UsageError for an invalid view"""
    arguments: list[str] = []
    for option, key in (("--field", "field"), ("--component", "component"), ("--lines-of", "lines_of")):
        if view.get(key):
            arguments += [option, named(view[key])]
    method = str(view.get("method") or "")
    if method not in METHODS:
        raise UsageError(f"unknown method '{method}' of a picture; known: {', '.join(METHODS[1:])}")
    if method:
        arguments += ["--method", method]
    if method in ("", "surface", "volume"):
        arguments.append("--fast")
    if method == "surface" and view.get("level") is not None:
        arguments += ["--level", number(view["level"])]
    if view.get("range"):
        arguments += ["--range", *(number(v) for v in view["range"][:2])]
    if view.get("streamlines"):
        arguments += ["--streamlines", str(max(1, min(2000, int(view["streamlines"]))))]
    axis = str(view.get("cut") or "")
    if axis in ("x", "y", "z") and method == "lic":
        arguments += ["--cut", f"{axis}={number(view['at_mm'])}"]
    elif axis in ("x", "y", "z"):
        # The far side of a plane is removed. This side is above the position; with a downward normal, this side is
        # below the position.
        sign = -1 if view.get("keeps") == "above" else 1
        arguments += ["--clip", f"{axis}={sign},offset={number(sign * float(view['at_mm']))}"]
    for option in ("azimuth", "elevation", "zoom"):
        if view.get(option) is not None:
            arguments += [f"--{option}", number(view[option])]
    if view.get("light"):
        arguments += ["--preset", "paper"]
    return arguments


def picture(folder: Path, view: dict[str, Any]) -> tuple[bytes, str]:
    """Return a picture as PNG, and the command that has drawn the picture in the folder of the results. @throws
    Error"""
    arguments = picture_arguments(view)
    wide, high = (max(64, min(MOST_PIXELS, int(view.get(key) or 800))) for key in ("width", "height"))
    arguments += ["--width", str(wide), "--height", str(high)]
    if view.get("plain"):
        arguments.append("--plain")
    with tempfile.TemporaryDirectory(prefix="osteon-") as made, drawing:
        path = Path(made) / "picture.png"
        called(["render", "results.nc", *arguments, "-o", str(path)], folder)
        data = path.read_bytes()
    return data, shlex.join(["osteon", "render", "results.nc", *arguments, "-o", "picture.png"])


def film(folder: Path, view: dict[str, Any]) -> tuple[str, str]:
    """Write a film around the specimen into the folder of its results. @return name of the film, and the command
    @throws Error"""
    arguments = picture_arguments({**view, "azimuth": None})
    if shutil.which("ffmpeg") is None:
        raise MachineError("a film requires ffmpeg, which was not found (Debian: apt install ffmpeg)")
    name = free_name(folder, "film", ".mp4")
    with tempfile.TemporaryDirectory(prefix="osteon-") as frames, drawing:
        options = [*arguments, "--width", "720", "--height", "720", "--orbit", str(FRAMES)]
        called(["render", "results.nc", *options, "--film", name, "-o", frames], folder)
    if not (folder / name).is_file():
        raise MachineError("ffmpeg did not write the film; `osteon render --film` prints the reason")
    return name, shlex.join(["osteon", "render", "results.nc", *options, "--film", name, "-o", "frames"])


def export(folder: Path, ending: str, field: str) -> tuple[str, str]:
    """Export results into their folder. @return name of the file, and the command @throws Error"""
    if ending in JOBS:
        job = folder.with_suffix(".toml")
        if not job.is_file():
            raise UsageError(f"'{job.name}', the job of these results, is not in their parent folder")
        name = free_name(folder, "job", ending)
        arguments = ["export", f"../{job.name}", "-o", name]
        called(arguments, folder)
        return name, shlex.join(["osteon", *arguments])
    if ending in STATES:
        name = free_name(folder, f"open_in_{ending}", ".py")
        options = ["--open-in", ending]
    elif ending in EXPORTS:
        name = free_name(folder, named(field) if EXPORTS[ending] else "results", ending)
        options = ["--field", named(field)] if EXPORTS[ending] else []
    else:
        raise UsageError(
            f"results cannot be written as '{ending}' here; known: {', '.join([*EXPORTS, *STATES, *JOBS])}"
        )
    arguments = ["export", "results.nc", *options, "-o", name]
    called(arguments, folder)
    return name, shlex.join(["osteon", *arguments])


def latest_frame(folder: Path) -> Path | None:
    """Return the latest picture of a running solver (picture.every). A picture with its final name is complete."""
    frames = [(p.stat().st_mtime_ns, p) for p in folder.glob("frame_*.png")] if folder.is_dir() else []
    return max(frames)[1] if frames else None


def compare(folders: list[Path], page: Path) -> str:
    """Write the page that compares jobs. @return the command @throws Error"""
    arguments = ["compare", *(f"./{f.name}" if f.name.startswith("-") else f.name for f in folders), "-o", str(page)]
    called(arguments, folders[0].parent)
    return shlex.join(["osteon", *arguments[:-1], page.name])


def called(arguments: list[str], folder: Path) -> None:
    done = run(*arguments, folder=folder)
    if done.returncode != 0:
        raise error_of(done.returncode, (done.stderr.strip() or f"osteon {arguments[0]} failed")[-SHOWN:])


def named(value: Any) -> str:
    """Return the name of a field or component. The name must be a word that cannot be an option."""
    if not re.fullmatch(r"[A-Za-z][\w.@-]{0,100}", str(value)):
        raise UsageError(f"'{str(value)[:100]}' is not the name of a field")
    return str(value)


def number(value: Any) -> str:
    if not math.isfinite(float(value)):
        raise UsageError(f"{value} is not a number")
    return f"{float(value):.9g}"


def free_name(folder: Path, stem: str, ending: str) -> str:
    """Return a file name that is not in use."""
    name, n = f"{stem}{ending}", 1
    while (folder / name).exists():
        n += 1
        name = f"{stem}_{n}{ending}"
    return name
