"""Tests of names of physics in the sources. Only the entry of a physics contains the name of the physics."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMPARISON = re.compile(r"physics(_|\"\)|\"\])?\s*[!=]=\s*\S|[!=]=\s*[\w.]*physics\b")
# The name in the table is compared once with the name in the job.
SEAMS = {"src/osteon/job/physics_entry.cpp"}


def sources() -> list[Path]:
    trees = [(ROOT / "src", "*.?pp"), (ROOT / "python" / "osteon", "*.py")]
    return [path for tree, pattern in trees for path in tree.rglob(pattern)]


def test_no_pipeline_compares_the_name_of_a_physics() -> None:
    """Oracle: the text of the sources. A message may quote `physics = \\"heat\\"`."""
    assert COMPARISON.search('if (job.physics == "heat") return;')
    assert COMPARISON.search('result.physics != "heat"') and COMPARISON.search('s.at("physics") == "heat"')
    found = [
        f"{path.relative_to(ROOT)}:{n}"
        for path in sources()
        if str(path.relative_to(ROOT)) not in SEAMS
        for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if COMPARISON.search(line)
    ]
    assert found == []


def test_only_the_adapters_know_other_programs() -> None:
    """Oracle: the text of the sources."""
    product = ROOT / "src" / "osteon"
    adapters, table = product / "physics" / "elasticity" / "adapters", product / "physics" / "readers.cpp"
    folders = [product / "job", product / "physics"]
    inside = [p for f in folders for p in f.rglob("*.?pp") if not p.is_relative_to(adapters) and p != table]
    assert len(inside) > 80
    knows = re.compile(
        r"#include.*(voxfe|elasticity/adapters)/|script_(source|reading|elements|options)|(\.|->)script\b"
    )
    assert knows.search("if (job.script) return;") and knows.search("  script_options script;")
    assert [path.name for path in inside if knows.search(path.read_text(encoding="utf-8"))] == []
