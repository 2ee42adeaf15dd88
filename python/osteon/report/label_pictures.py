"""Label the pictures of `osteon render` and the frames of a job: `python -m osteon.report.label_pictures`.

The program starts this process once and writes JSON requests, one per line. The first line of the output is `ready`;
each request is answered by one line, `done` or `failed: ` with the reason.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from ..extras import end_without

end_without("matplotlib", "PIL")

from PIL import Image  # noqa: E402

from ..results.patient_axes import letters_of  # noqa: E402
from ..results.unit_for_people import unit_for_people  # noqa: E402
from .picture_labels import Labels, View, draw  # noqa: E402


def labels_of(asked: dict[str, Any]) -> Labels:
    """Return the labels of a request (src/osteon/job/outputs/labeller.hpp)."""
    words = field_title(asked)
    unit = unit_for_people(str(asked.get("units", "")))
    low, high = float(asked["low"]), float(asked["high"])
    largest = asked.get("largest")
    is_cut_off = largest is not None and float(largest) > high * (1 + 1e-9)
    view = asked["view"]
    return Labels(
        title=str(asked.get("title") or title_of(asked, words)),
        quantity=words + ("" if unit in ("", "1") else f" ({unit})"),
        low=low,
        high=high,
        at_least=is_cut_off,
        largest=float(largest) if largest is not None and is_cut_off else None,
        colours=[(c >> 16, c >> 8 & 255, c & 255) for c in asked.get("colours", [])] or None,
        letters=letters_of(asked.get("direction")),
        view=View(list(view["right"]), list(view["up"]), float(view["mm_per_pixel"])),
        ground=tuple(int(c) for c in asked["ground"]) if "ground" in asked else None,
        page=(int(asked["page"][0]), int(asked["page"][1])),
    )


def field_title(asked: dict[str, Any]) -> str:
    """Return the title of the field, as in the report."""
    name = str(asked.get("field", ""))
    shown = _shown(asked)
    words = str(shown.get("title", "")) if shown.get("field") == name else ""
    words = words or str(asked.get("long_name") or name.replace("_", " ")).split(" at the voxel")[0]
    component = str(asked.get("component", ""))
    return f"{words}, {component}" if component else words


def title_of(asked: dict[str, Any], words: str) -> str:
    """Return the title of the report's picture if it shows the same field; otherwise name of the job and field."""
    shown, job = _shown(asked), str(asked.get("job", ""))
    is_same = shown.get("field") == asked.get("field") and not asked.get("component")
    return f"{job}: {shown['caption'] if is_same and shown.get('caption') else words}".lstrip(": ")


def _shown(asked: dict[str, Any]) -> dict[str, Any]:
    """Return the entry `shown` of the summary in the results folder; empty without one."""
    if not asked.get("results"):
        return {}
    try:
        summary = json.loads((Path(asked["results"]).parent / "summary.json").read_text(encoding="utf-8"))
        shown = summary.get("shown", {})
        return shown if isinstance(shown, dict) else {}
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}


def label(asked: dict[str, Any]) -> None:
    """Replace a picture by the labelled one in one step."""
    path = Path(asked["picture"])
    with Image.open(path) as plain:
        page = draw(plain, labels_of(asked))
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        page.convert("RGBA").save(temporary, "PNG", compress_level=3)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def main() -> int:
    print("ready", flush=True)
    for line in sys.stdin:
        try:
            label(json.loads(line))
        except (OSError, ValueError, LookupError, TypeError, SyntaxError) as e:
            print("failed: " + " ".join(f"{type(e).__name__}: {e}".split()), flush=True)
        else:
            print("done", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
