"""Analyse many scans: `python -m osteon.batch.cohort --protocol NAME --out cohort.csv IMAGE...`; docs/howto/cohort.md.

`osteon cohort` starts this program. A cohort is a batch whose jobs are written from the scans by a protocol.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

from ..errors import UsageError
from ..new_job import protocols
from ..processes.child_process import python_command
from ..results.answer_values import Value
from .batch import Batch
from .cohort_item import compartment, doubts_in, mask_of
from .items import Item, is_pattern, names_of
from .program import code_of, queue_parser, run_batch
from .table import DONE, Outcome, csv_of

DIGITS = 6  # digits in the table: the first 6 digits do not depend on the number of ranks
RESIDUAL_DIGITS = 2


class Cohort(Batch):
    kind = "cohort"

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        out = Path(given.out)
        self.folder = out.with_suffix("") if out.suffix == ".csv" else out
        self.csv = out if out.suffix == ".csv" else out / "cohort.csv"
        if given.protocol not in protocols():
            raise UsageError(f"no protocol '{given.protocol}'; known protocols: {', '.join(protocols())}")
        # A shell pattern for scans also matches masks in the same folder.
        masks = {mask_of(compartment(text), image).absolute() for text in given.compartment for image in given.images}
        images = [image for image in given.images if Path(image).absolute() not in masks]
        self.items = scans_of(images, self.folder / "jobs")

    def _command(self, item: Item, more: list[str]) -> list[str]:
        arguments = super()._command(item, more)
        # options of the user follow, and have priority over this key
        arguments[3:3] = ["--set", "output.morphometry=true"]
        own = [f"--protocol={self.given.protocol}", f"--job={item.job}", f"--image={item.image}"]
        own += [f"--compartment={text}" for text in self.given.compartment]
        return python_command("osteon.batch.cohort_item", *own, "--", *arguments)

    def own_options(self) -> list[str]:
        arguments = ["--protocol", self.given.protocol]
        for text in self.given.compartment:
            arguments += ["--compartment", text]
        return [*arguments, *(["--no-report"] if self.given.no_report else [])]

    def input_arguments(self) -> list[str]:
        return self.given.images

    def outcomes(self) -> list[Outcome]:
        outcomes = super().outcomes()
        for outcome in outcomes:
            outcome.computed_on = with_quality(outcome)
        return outcomes

    def warnings(self, outcomes: list[Outcome]) -> list[str]:
        """Warn about scans with another voxel size. Their thicknesses, thresholds and moduli are not comparable with
        those of the other scans."""
        sizes = {o.item.name: size_of(o) for o in outcomes if o.status == DONE}
        if len(set(sizes.values())) < 2:
            return []
        usual = Counter(sizes.values()).most_common(1)[0][0]
        others = [name for name, size in sizes.items() if size != usual]
        names = ", ".join(others[:5]) + (f" and {len(others) - 5} more" if len(others) > 5 else "")
        return [
            f"{len(others)} of {len(sizes)} scans have a voxel size other than {' x '.join(usual)} mm: {names}; "
            "their results are not comparable with the other results; resample these scans, or analyse them separately"
        ]

    def table_text(self, outcomes: list[Outcome]) -> str:
        return csv_of(outcomes, DIGITS)


def scans_of(images: list[str], jobs: Path) -> list[Item]:
    """Return the scans as items. @throws UsageError that lists all faults"""
    faults = [f"no image '{image}'" for image in images if not (is_pattern(image) or Path(image).exists())]
    places = [Path(image).absolute() for image in images]
    faults += [f"'{image}' is given twice" for n, image in enumerate(images) if places[n] in places[:n]]
    if faults:
        raise UsageError("\n".join(faults))
    return [
        Item(name, str(jobs / f"{name}.toml"), image, ()) for name, image in zip(names_of(images), images, strict=True)
    ]


def size_of(outcome: Outcome) -> tuple[str, ...]:
    """Return the edges of the voxels (z, y, x) in a form for comparisons."""
    return tuple(f"{h:.4g}" for h in outcome.result.summary["image"]["spacing_mm"]) if outcome.result else ()


def with_quality(outcome: Outcome) -> list[Value]:
    """Return the measures of quality of a row. The measures are those of every batch, and those of cohorts."""
    rows = [
        v._replace(value=float(f"{v.value:.{RESIDUAL_DIGITS}g}"))
        if v.key == "certificate.true_relative_residual"
        else v
        for v in outcome.computed_on
    ]
    if outcome.result:
        solid = outcome.result.summary.get("segmentation", {})
        rows += [
            Value(f"segmentation.{key}", "", title, "", solid[key])
            for key, title in (
                ("dropped_voxels", "removed voxels"),
                ("dropped_islands", "removed disconnected parts"),
                ("hanging_voxels", "voxels connected by edges or corners only"),
            )
            if solid.get(key) is not None
        ]
    if doubts := doubts_in(Path(outcome.item.job)):
        rows.append(Value("doubts", "", "doubts noted in the generated job", "", "; ".join(doubts)))
    return rows


def main(arguments: list[str]) -> int:
    parser = queue_parser("cohort", __doc__)
    parser.add_argument("images", nargs="+")
    parser.add_argument("--protocol", required=True)
    parser.add_argument("--compartment", action="append", default=[])
    given = parser.parse_args(arguments)
    return code_of(lambda: run_batch(Cohort(given)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
