"""Tests of the architecture guard, tools/layers.py. The guard reports faults planted in the text of the tree, and
generates the page."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import layers  # noqa: E402

# File, text that is added to the file, and a part of the message.
PLANTED = {
    "module above": ("src/osteon/base/error.hpp", '#include "plan/plan.hpp"', "'base' includes 'plan'"),
    "MPI below": ("src/osteon/kernel/X", '#include "comm/communicator.hpp"', "'kernel' includes 'comm'"),
    "installed name": ("src/osteon/base/error.hpp", "#include <osteon/plan/plan.hpp>", "'base' includes 'plan'"),
    "product to study": ("src/app/main.cpp", '#include "studies/measure/x.hpp"', "nothing of the studies"),
    "product to bridge": ("src/app/main.cpp", '#include "bridge/wire/x.hpp"', "only app includes the commands"),
    "bridge to osteon": ("bridge/src/bridge/error.hpp", "#include <osteon/base/error.hpp>", "nothing of osteon"),
    "bridge to a module": ("bridge/src/bridge/error.hpp", '#include "base/error.hpp"', "nothing of osteon"),
    "study to study": (
        "studies/compositing/fragments/X",
        '#include "studies/hyper_crossbar/ft.hpp"',
        "'studies/compositing' includes 'studies/hyper_crossbar'",
    ),
    "files below their subfolder": ("src/osteon/io/storage.hpp", '#include "io/files/X"', "include each other"),
    "cycle of subfolders": ("src/app/job/X", '#include "app/net/X"', "include each other"),
    "Python errors": ("python/osteon/errors.py", "from .calls import api", "import each other"),
    "Python subfolders": ("python/osteon/images/volume.py", "from ..report import page", "import each other"),
    "types in a subfolder": (
        "python/osteon/batch/rev_page.py",
        "if TYPE_CHECKING:\n    from .rev import Cubes",
        "import each other",
    ),
    "world": ("src/osteon/io/storage.hpp", "inline auto w = MPI_COMM_WORLD;", "never names MPI_COMM_WORLD"),
    "raw reduction": ("src/osteon/io/storage.hpp", "inline auto r = &MPI_Allreduce;", "reductions are those of comm"),
    "relative path": ("src/osteon/base/error.hpp", '#include "../job/spec/spec.hpp"', "without '.' and '..'"),
    "relative path from bridge": (
        "bridge/src/bridge/error.hpp",
        '#include "../../../src/osteon/job/spec/spec.hpp"',
        "without '.' and '..'",
    ),
    "device header": (
        "src/osteon/kernel/elasticity/hex8_by_warps.cuh",
        '#include "comm/communicator.hpp"',
        "'kernel' includes 'comm'",
    ),
    "blend to fourier": (
        "src/osteon/kernel/blend/wide_pixel.hpp",
        '#include "kernel/fourier/X"',
        "'kernel/blend' includes 'kernel/fourier'",
    ),
    "fourier to rays": (
        "src/osteon/kernel/fourier/X",
        '#include "kernel/rays/X"',
        "'kernel/fourier' includes 'kernel/rays'",
    ),
    "elasticity to flow": (
        "src/osteon/physics/elasticity/X",
        '#include "physics/flow/X"',
        "'physics/elasticity' includes 'physics/flow'",
    ),
    "job to physics": ("src/osteon/job/pipeline/X", '#include "physics/heat/X"', "'job' includes 'physics'"),
    "solver to job": ("src/osteon/physics/heat/solver/X", '#include "job/spec/X"', "'physics_solvers' includes 'job'"),
    "solver to its physics": (
        "src/osteon/physics/heat/solver/X",
        '#include "physics/heat/X"',
        "'physics_solvers' includes 'physics'",
    ),
    "command to command": ("src/app/job/X", '#include "app/machine/X"', "'app/job' includes 'app/machine'"),
    "name of a physics": (
        "src/osteon/job/pipeline/X",
        'if (job.physics == "heat") return;',
        "compares the name of a physics",
    ),
    "name on the left": ("src/app/job/X", 'if ("flow" != name) return;', "compares the name of a physics"),
}


@pytest.fixture(scope="module")
def texts() -> layers.Texts:
    return layers.read_tree()


def header_of(texts: layers.Texts, folder: str) -> str:
    return min(path.name for path in texts if path.parent == ROOT / folder and path.suffix == ".hpp")


def planted(texts: layers.Texts, name: str, line: str) -> layers.Texts:
    """The tree with one additional line. X is the first header of a folder."""
    path = ROOT / (name[:-1] + header_of(texts, name[:-2]) if name.endswith("/X") else name)
    if line.endswith('/X"'):
        folder = line.split('"')[1][:-2]
        below = "src" if folder.startswith("app") else "src/osteon"
        line = line[:-2] + header_of(texts, f"{below}/{folder}") + '"'
    return {**texts, path: texts[path] + f"\n{line}\n"}


def test_the_tree_has_no_fault(texts):
    """Oracle: an empty list. Five physics are found by their entries."""
    assert layers.faults_of(texts) == []
    assert layers.names_of_physics(texts) == ["elasticity", "failure", "flow", "heat", "thermo_elasticity"]


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_fault_is_reported_with_its_file(texts, kind):
    """Oracle: the tree without the line has no fault."""
    name, line, message = PLANTED[kind]
    faults = [fault for fault in layers.faults_of(planted(texts, name, line)) if message in fault]
    assert faults, kind
    place = name.removesuffix("X") if not name.endswith(".py") else Path(name).parent.name
    assert any(place in fault for fault in faults), faults


def test_a_permission_without_an_include_is_reported(texts):
    """Oracle: a module that no file of placement includes."""
    page = texts[layers.PAGE].replace("`reorder` | base, comm,", "`reorder` | base, plan, comm,")
    faults = layers.faults_of({**texts, layers.PAGE: page})
    assert any("row 'placement' of the table allows plan" in fault for fault in faults), faults


def test_the_page_is_generated_from_the_includes(texts):
    """Oracle: the page itself, generated from a page with outdated tables and an outdated picture."""
    page = texts[layers.PAGE]
    old = page.replace("`flow` (`heat`), `rays` (`blend`)", "`flow`, `rays`").replace("\n0  base\n", "\n")
    assert old != page
    faults = layers.faults_of({**texts, layers.PAGE: old})
    assert any("'kernel/rays' includes 'kernel/blend'" in fault for fault in faults), faults
    assert any("picture" in fault for fault in faults)
    assert layers.written_page({**texts, layers.PAGE: old}) == page
    stale = page.replace("`blend`, `elasticity`", "`blend`, `gone`, `elasticity`")
    assert any("differs" in fault for fault in layers.faults_of({**texts, layers.PAGE: stale}))
