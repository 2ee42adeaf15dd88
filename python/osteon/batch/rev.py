"""Find the size of a representative volume: `python -m osteon.batch.rev --out rev.csv JOB`; docs/howto/rev.md.

`osteon rev` starts this program, which runs one job as a batch on cubes of its image.
"""

import argparse
import json
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

from ..calls.api import binary, environment_of
from ..errors import DATA, USAGE, DataError, MachineError, UsageError
from ..files.replace_file import write_whole
from .batch import Batch
from .items import Item
from .program import code_of, queue_parser, run_batch
from .rev_convergence import Step, convergence, convergence_text, size_that_represents
from .rev_page import CubeSeries, page_of
from .table import Outcome, columns_of, csv_of

DIGITS = 6
SMALLEST = 8  # number of voxels along an edge
MOST_EDGES = 6


class Cubes(Batch):
    kind = "rev"

    def __init__(self, given: argparse.Namespace, model: dict) -> None:
        self.given = given
        self.folder, self.csv = places_of(given.out)
        self.model = model
        if model["image"].get("coarsened", 1) != 1:
            raise UsageError("the job sets image.coarsen, which changes the voxels of cubes; remove it")
        self.shape = tuple(model["image"]["shape"])
        self.spacing = [float(h) for h in model["image"]["spacing_mm"]]
        edges = edges_of(given.edges, self.shape)
        self.items = items_of(given.job, model, edges, given.places, given.set)
        self.tolerance = given.tolerance

    def own_options(self) -> list[str]:
        given = self.given
        arguments = ["--places", str(given.places), "--tolerance", repr(given.tolerance)]
        arguments += ["--edges", given.edges] if given.edges else []
        return [*arguments, *([] if given.no_report else ["--report"])]

    def input_arguments(self) -> list[str]:
        return [self.given.job]

    def table_text(self, outcomes: list[Outcome]) -> str:
        return csv_of(outcomes, DIGITS)

    def steps(self, outcomes: list[Outcome]) -> dict[str, list[Step]]:
        """Return statistics of the cubes of each edge, for each answer that does not grow with the size of the cube."""
        return convergence(outcomes, edge_in, self.spacing)

    def page_text(self, outcomes: list[Outcome]) -> str:
        series = CubeSeries(self.given.job, self.shape, self.spacing, self.tolerance, self.folder, self.csv)
        return page_of(series, outcomes, self.steps(outcomes))

    def write_tables(self, outcomes: list[Outcome]) -> None:
        super().write_tables(outcomes)
        write_whole(self.folder / "convergence.json", json.dumps(self.convergence(outcomes), indent=2) + "\n")

    def convergence(self, outcomes: list[Outcome]) -> dict:
        steps = self.steps(outcomes)
        titles = {v.column: v for v in columns_of(outcomes)}
        return {
            "schema": "osteon.rev/1",
            "job": self.given.job,
            "tolerance": self.tolerance,
            "answers": [
                {
                    "key": titles[column].key,
                    "title": titles[column].title,
                    "unit": titles[column].unit,
                    "represented_from_mm": size_that_represents(found, self.tolerance),
                    "steps": [step.to_json() for step in found],
                }
                for column, found in steps.items()
            ],
        }


def places_of(out: str) -> tuple[Path, Path]:
    """Return the folder and the path of the table."""
    path = Path(out)
    return (path.with_suffix(""), path) if path.suffix == ".csv" else (path, path / "rev.csv")


def edges_of(given: str, shape: tuple[int, ...]) -> list[int]:
    """Return the edges of the cubes in voxels, in ascending order. No cube is larger than the image.
    @throws UsageError"""
    most = min(shape)
    if given:
        try:
            edges = sorted({int(word) for word in given.split(",")})
        except ValueError:
            raise UsageError(f"--edges {given}: must be numbers of voxels, for example 32,64,128") from None
        if edges[0] < 2 or edges[-1] > most:
            raise UsageError(f"--edges {given}: must be from 2 to {most}, the shortest edge of the image in voxels")
        return edges
    edges = []
    while most >= SMALLEST and len(edges) < MOST_EDGES:
        edges.append(most)
        most //= 2
    if len(edges) < 2:
        raise UsageError(
            f"the image of {' x '.join(map(str, shape))} voxels is too small for default cubes; set --edges in voxels"
        )
    return sorted(edges)


def corners_of(edge: int, shape: tuple[int, ...], most: int) -> list[tuple[int, ...]]:
    """Return the low corners of disjoint cubes. The cubes are evenly distributed over the image. The number of cubes is
    at most `most`."""
    counts = [n // edge for n in shape]
    total = counts[0] * counts[1] * counts[2]
    number = min(total, most)
    # Corners are selected at equal steps in the sequence of all corners. With a prime step, the corners are distributed
    # along all axes.
    step = next(s for s in (7919, 104729, 1299709, 1) if s == 1 or total % s)
    chosen = sorted(n * step % total for n in range(number)) if number < total else range(total)
    corners = []
    for n in chosen:
        place = (n // (counts[1] * counts[2]), n // counts[2] % counts[1], n % counts[2])
        slack = [size - count * edge for size, count in zip(shape, counts, strict=True)]
        corners.append(tuple(p * edge + s // 2 for p, s in zip(place, slack, strict=True)))
    return corners


def items_of(job: str, model: dict, edges: list[int], places: int, changes: Sequence[str] = ()) -> list[Item]:
    image = model["image"]
    first = [low for low, _ in image.get("crop_voxels") or [[0, 0]] * 3]
    fixed = ["--set", "image.crop_to_solid=false"] if "crop_voxels" in image else []
    if (threshold := model["segmentation"].get("threshold")) is not None:  # for the whole image, not for each cube
        fixed += ["--set", f"segment.threshold={threshold!r}"]
    if measures_modulus(job, changes):
        fixed += ["--set", 'load.area="box"']
    items = []
    for edge in edges:
        for n, low in enumerate(corners_of(edge, tuple(image["shape"]), places), start=1):
            crop = [[f + at, f + at + edge] for f, at in zip(first, low, strict=True)]
            name = f"edge_{edge:04d}_{n:03d}"
            arguments = ("--set", f"image.crop_voxels={json.dumps(crop)}", "--set", f'name="{name}"', *fixed)
            items.append(Item(name, job, str(image["path"]), arguments))
    return items


def measures_modulus(job: str, changes: Sequence[str]) -> bool:
    """Return True if a job does not contain the area for its apparent modulus.

    For a cube of a larger solid, the area is that of the face of the cube. The outline of the solid in a cube would
    depend on the edge of the cube."""
    try:
        keys = tomllib.loads(Path(job).read_text(encoding="utf-8"))
        load = keys.get("load", {})
        return (
            keys.get("physics", "elasticity") in ("elasticity", "failure")
            and load.get("test", "axial_bonded") in ("axial_bonded", "uniaxial")
            and not {"area", "area_mm2"} & set(load)
        )
    except (OSError, ValueError, AttributeError):
        return False


def edge_in(item: Item) -> int:
    """Return the edge of a cube. The name of the cube contains the edge."""
    return int(item.name.split("_")[1])


def import_of(job: str, changes: list[str], folder: Path) -> dict:
    """Import the whole image, and return the report. @throws the errors of `osteon import`"""
    arguments = [binary(), "import", job, "--json", "-", "--output", str(folder / "whole.nc")]
    for change in changes:
        arguments += ["--set", change]
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        arguments, capture_output=True, text=True, errors="replace", check=False, env=environment_of(binary())
    )
    if done.returncode == 0:
        model = json.loads(done.stdout)
        if "grey_min" not in model["image"]:  # models of VOX-FE and FAIM have no image
            raise UsageError(f"'{job}' is a model of another program; osteon rev requires a job with an image")
        return model
    message = done.stderr.strip()
    message = message[message.index("osteon: ") + 8 :] if "osteon: " in message else message
    raise {USAGE: UsageError, DATA: DataError}.get(done.returncode, MachineError)(message or "the import failed")


def main(arguments: list[str]) -> int:
    parser = queue_parser("rev", __doc__)
    parser.add_argument("job")
    parser.add_argument("--edges", default="")
    parser.add_argument("--places", type=int, default=8)
    parser.add_argument("--tolerance", type=float, default=0.05)
    given = parser.parse_args(arguments)

    def program() -> int:
        if not Path(given.job).is_file():
            raise UsageError(f"no job file '{given.job}'")
        if not 0 < given.tolerance < 1:
            raise UsageError(f"--tolerance {given.tolerance:g}: must be in (0, 1), for example 0.05 for 5 %")
        if given.places < 1:
            raise UsageError(f"--places {given.places}: must be at least 1")
        cubes = Cubes(given, import_of(given.job, given.set, places_of(given.out)[0]))
        code = run_batch(cubes)
        if given.only is None and not given.slurm:
            outcomes = cubes.outcomes()
            for_people = sys.stderr if given.json == "-" else sys.stdout
            print(
                convergence_text(cubes.steps(outcomes), columns_of(outcomes), cubes.tolerance), file=for_people, end=""
            )
        return code

    return code_of(program)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
