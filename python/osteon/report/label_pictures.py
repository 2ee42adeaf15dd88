"""Label the pictures of `osteon render` and the frames of a job: `python -m osteon.report.label_pictures`.

The program starts this process once. The program then writes requests in JSON, one request per line. The first line of
the output is `ready`. The answer to each request is one line: `done`, or `failed: ` with the reason.
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


def labels_of(request: dict[str, Any]) -> Labels:
    """Return the labels for a request (src/osteon/job/outputs/labeller.hpp)."""
    title = field_title(request)
    unit = unit_for_people(str(request.get("units", "")))
    low, high = float(request["low"]), float(request["high"])
    largest = request.get("largest")
    is_cut_off = largest is not None and float(largest) > high * (1 + 1e-9)
    view = request["view"]
    return Labels(
        title=str(request.get("title") or title_of(request, title)),
        quantity=title + ("" if unit in ("", "1") else f" ({unit})"),
        low=low,
        high=high,
        at_least=is_cut_off,
        largest=float(largest) if largest is not None and is_cut_off else None,
        colours=[(c >> 16, c >> 8 & 255, c & 255) for c in request.get("colours", [])] or None,
        letters=letters_of(request.get("direction")),
        view=View(list(view["right"]), list(view["up"]), float(view["mm_per_pixel"])),
        ground=tuple(int(c) for c in request["ground"]) if "ground" in request else None,
        page=(int(request["page"][0]), int(request["page"][1])),
    )


def field_title(request: dict[str, Any]) -> str:
    """Return the title of the field, as in the report."""
    name = str(request.get("field", ""))
    shown = _shown(request)
    title = str(shown.get("title", "")) if shown.get("field") == name else ""
    title = title or str(request.get("long_name") or name.replace("_", " ")).split(" at the voxel")[0]
    component = str(request.get("component", ""))
    return f"{title}, {component}" if component else title


def title_of(request: dict[str, Any], title: str) -> str:
    """Return the title of the report's picture if this picture displays the same field. Otherwise, return the names of
    the job and of the field."""
    shown, job = _shown(request), str(request.get("job", ""))
    is_same = shown.get("field") == request.get("field") and not request.get("component")
    return f"{job}: {shown['caption'] if is_same and shown.get('caption') else title}".lstrip(": ")


def _shown(request: dict[str, Any]) -> dict[str, Any]:
    """Return the entry `shown` of the summary in the results folder. Without a summary, the result is empty."""
    if not request.get("results"):
        return {}
    try:
        summary = json.loads((Path(request["results"]).parent / "summary.json").read_text(encoding="utf-8"))
        shown = summary.get("shown", {})
        return shown if isinstance(shown, dict) else {}
    except (OSError, ValueError, AttributeError, RecursionError):
        return {}


def label(request: dict[str, Any]) -> None:
    """Replace a picture by the labelled picture in one step."""
    path = Path(request["picture"])
    with Image.open(path) as plain:
        page = draw(plain, labels_of(request))
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
