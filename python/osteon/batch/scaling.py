"""Measure the scaling of a job: `python -m osteon.batch.scaling --out FOLDER JOB`; docs/howto/scaling.md.

`osteon bench scaling` starts this program. Strong scaling runs the whole job on several numbers of ranks and threads.
Weak scaling runs parts of the image whose size is proportional to the number of cores. The runs are a batch: the same
command continues a measurement that was stopped.
"""

import argparse
import csv
import io
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from ..calls.api import binary, environment_of
from ..errors import UsageError
from ..files.replace_file import write_whole
from .batch import Batch
from .items import Item
from .program import code_of, queue_parser, run_batch
from .rev import import_of
from .scaling_page import page_of
from .scaling_point import Point
from .table import DONE, Outcome

STRONG, WEAK = "strong", "weak"
FEWEST_PLANES = 4  # of a part of the image
# Stages of a run, and the stages of `osteon estimate` that predict each one.
STAGES = {
    "reading": ("reading",),
    "set-up": ("set up", "load"),
    "iterations": ("iterations",),
    "writing": ("writing",),
    "picture": ("picture",),
}
STAGES_OF_SUMMARY = {"reading": "reading the model", "writing": "writing results", "picture": "drawing the picture"}


class Scaling(Batch):
    kind = "scaling"

    def __init__(self, given: argparse.Namespace, model: dict) -> None:
        self.given = given
        self.folder = Path(given.out)
        self.csv = self.folder / "scaling.csv"
        image = model["image"]
        self.shape = tuple(image["shape"])
        self.first = [low for low, _ in image.get("crop_voxels") or [[0, 0]] * 3]
        self.image = str(image["path"])
        if image.get("coarsened", 1) != 1 and WEAK in given.kinds:
            raise UsageError("the job sets image.coarsen, which changes the voxels of parts; use --strong")
        # The threshold of the whole image, because that of a part differs.
        threshold = model["segmentation"].get("threshold")
        self.fixed = ["--set", f"segment.threshold={threshold!r}"] if threshold is not None else []
        self.counts = counts_of(given.ranks_list, "--ranks"), counts_of(given.threads_list, "--threads")
        self.items = [
            Item(self.name(kind, r, t, n), given.job, self.image, self.arguments(kind, r, t))
            for kind in given.kinds
            for r, t in self.pairs()
            for n in range(1, given.repeat + 1)
        ]
        self.predicted: dict[tuple[str, int, int], dict[str, float]] = {}

    def pairs(self) -> list[tuple[int, int]]:
        """Return ranks and threads in the order of cores."""
        return sorted(((r, t) for r in self.counts[0] for t in self.counts[1]), key=lambda p: (p[0] * p[1], p[0]))

    @staticmethod
    def name(kind: str, ranks: int, threads: int, number: int) -> str:
        return f"{kind}_{ranks:04d}x{threads:03d}_{number}"

    def planes(self, ranks: int, threads: int) -> int:
        """Return the z planes of a part of the image: a share proportional to the cores."""
        most = max(r * t for r, t in self.pairs())
        planes = round(self.shape[0] * ranks * threads / most)
        if planes < FEWEST_PLANES:
            raise UsageError(
                f"the image of {self.shape[0]} z planes has {planes} planes for {ranks * threads} of {most} cores; at "
                f"least {FEWEST_PLANES} are needed: use a larger image, fewer cores, or --strong"
            )
        return planes

    def arguments(self, kind: str, ranks: int, threads: int) -> tuple[str, ...]:
        words = ["--ranks", str(ranks), "--threads", str(threads), *self.fixed]
        if kind == WEAK:
            sizes = (self.planes(ranks, threads), *self.shape[1:])
            crop = [[low, low + size] for low, size in zip(self.first, sizes, strict=True)]
            words += ["--set", f"image.crop_voxels={json.dumps(crop)}"]
        return tuple(words)

    def points(self, outcomes: list[Outcome]) -> list[Point]:
        """Return a point for each kind, number of ranks and number of threads with a complete run."""
        found = []
        for kind in self.given.kinds:
            first: Point | None = None
            for r, t in self.pairs():
                point = self._point(outcomes, kind, r, t, first)
                if point:
                    first = first or point
                    found.append(point)
        return found

    def _point(self, outcomes: list[Outcome], kind: str, ranks: int, threads: int, first: Point | None) -> Point | None:
        names = {self.name(kind, ranks, threads, n) for n in range(1, self.given.repeat + 1)}
        runs = [o for o in outcomes if o.item.name in names and o.status == DONE and o.result]
        if not runs:
            return None
        fastest = min(runs, key=lambda o: sum(stages_of(o.result.summary).values()))
        summary = fastest.result.summary
        stages = stages_of(summary)
        seconds = sum(stages.values())
        elements = summary["elements"]
        share = elements / seconds / (ranks * threads)
        base = first.elements / first.seconds / first.cores if first else share
        predicted = self._prediction(outcomes, kind, ranks, threads, fastest)
        return Point(
            kind, ranks, threads, elements, summary["iterations"], seconds, stages, share / base,
            sum(predicted.values()) if predicted else None, predicted or None,
        )  # fmt: skip

    def _prediction(
        self, outcomes: list[Outcome], kind: str, ranks: int, threads: int, run: Outcome
    ) -> dict[str, float]:
        """Ask `osteon estimate` for the times of a run, from the costs of the run on the fewest cores."""
        key = (kind, ranks, threads)
        if key in self.predicted:
            return self.predicted[key]
        r, t = self.pairs()[0]
        base = next((o for o in outcomes if o.item.name == self.name(self.given.kinds[0], r, t, 1)), run)
        command = [binary(), "estimate", self.given.job, "--like", str(base.folder), "--json", "-"]
        for change in self.given.set:
            command += ["--set", change]
        command += ["--set", f"run.threads={threads}", "--ranks", str(ranks)]
        words = list(run.item.arguments)
        command += [w for n, w in enumerate(words) if w == "--set" or (n and words[n - 1] == "--set")]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment_of(binary()))
        self.predicted[key] = predicted_stages(json.loads(done.stdout)) if done.returncode == 0 else {}
        return self.predicted[key]

    def to_json(self, outcomes: list[Outcome]) -> dict:
        return {
            "schema": "osteon.bench.scaling/1",
            "job": self.given.job,
            "repeat": self.given.repeat,
            "points": [asdict(point) for point in self.points(outcomes)],
            "failed": [o.item.name for o in outcomes if o.status != DONE],
        }

    def table_text(self, outcomes: list[Outcome]) -> str:
        return csv_of(self.points(outcomes))

    def page_text(self, outcomes: list[Outcome]) -> str:
        return page_of(self.given.job, self.points(outcomes), list(STAGES), outcomes, self.folder)

    def write_tables(self, outcomes: list[Outcome]) -> None:
        super().write_tables(outcomes)
        write_whole(self.folder / "scaling.json", json.dumps(self.to_json(outcomes), indent=2) + "\n")


def counts_of(text: str, option: str) -> list[int]:
    """Return the numbers of a list, in ascending order. @throws UsageError"""
    try:
        counts = sorted({int(word) for word in text.split(",")})
    except ValueError:
        counts = [0]
    if counts[0] < 1:
        raise UsageError(f"{option} {text}: must be numbers from 1, for example 1,2,4")
    return counts


def stages_of(summary: dict) -> dict[str, float]:
    """Return the seconds of the stages of a run."""
    seconds = {s["name"]: s["seconds"] for s in summary["stages"]}
    solving = {"set-up": summary["setup_seconds"], "iterations": summary["solve_seconds"]}
    return {name: solving.get(name, seconds.get(STAGES_OF_SUMMARY.get(name, ""), 0.0)) for name in STAGES}


def predicted_stages(estimate: dict) -> dict[str, float]:
    """Return the predicted seconds of the stages of a run."""
    seconds = {s["stage"]: s["seconds"] for s in estimate["time"]["stages"]}
    return {name: sum(seconds.get(part, 0.0) for part in parts) for name, parts in STAGES.items()}


def csv_of(points: list[Point]) -> str:
    """Return the table: a row for each point, times in seconds."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    head = ["kind", "ranks", "threads", "elements", "iterations", "seconds", "efficiency", "predicted_seconds"]
    names = list(STAGES)
    writer.writerow([*head, *(f"{n}_s" for n in names), *(f"predicted_{n}_s" for n in names)])
    for p in points:
        predicted = p.predicted_stages or {}
        writer.writerow([
            p.kind, p.ranks, p.threads, p.elements, p.iterations, f"{p.seconds:.6g}", f"{p.efficiency:.4g}",
            _text(p.predicted_seconds), *(f"{p.stages[n]:.6g}" for n in names),
            *(_text(predicted.get(n)) for n in names),
        ])  # fmt: skip
    return text.getvalue()


def _text(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:.6g}"


def lines_of(points: list[Point]) -> Iterator[str]:
    """Return the table for the terminal."""
    yield f"{'':<8}{'ranks x threads':>16}{'elements':>12}{'its':>6}{'seconds':>10}{'efficiency':>12}{'estimate':>10}"
    for p in points:
        predicted = "" if p.predicted_seconds is None else f"{p.predicted_seconds:10.3g}"
        yield (
            f"{p.kind:<8}{f'{p.ranks} x {p.threads}':>16}{p.elements:>12}{p.iterations:>6}{p.seconds:>10.3g}"
            f"{100 * p.efficiency:>10.0f} %{predicted}"
        )


def main(arguments: list[str]) -> int:
    parser = queue_parser("bench scaling", __doc__)
    parser.add_argument("job")
    parser.add_argument("--ranks-list", default="1,2")
    parser.add_argument("--threads-list", default="1")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--kind", action="append", default=[])
    given = parser.parse_args(arguments)
    given.kinds = given.kind or [STRONG, WEAK]

    def program() -> int:
        if not Path(given.job).is_file():
            raise UsageError(f"no job file '{given.job}'")
        scaling = Scaling(given, import_of(given.job, given.set, Path(given.out)))
        code = run_batch(scaling)
        for_people = sys.stderr if given.json == "-" else sys.stdout
        print("\n".join(lines_of(scaling.points(scaling.outcomes()))), file=for_people)
        return code

    return code_of(program)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
