#!/usr/bin/env python3
"""Fail if a module includes what the table of layers in src/osteon/README.md does not allow.

The table is the source of truth: rows of the form `| `module` | what it holds | base, plan |`. The same table must
stand in CMake, as the USES of each module.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]osteon/(\w+)/', re.M)
MPI_FREE = {"base", "plan", "voxel", "kernel", "compositing", "net"}


def read_table(page: Path) -> dict[str, set[str]]:
    """Allowed modules by module, from the rows of the page's layer table."""
    allowed: dict[str, set[str]] = {}
    for line in page.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 3:
            name = cells[0].strip("`")
            uses = set(re.findall(r"[a-z]+", cells[2])) if cells[2] != "-" else set()
            allowed[name] = uses
    return allowed


def cmake_uses(module: str) -> set[str] | None:
    path = SOURCE / "osteon" / module / "CMakeLists.txt"
    if not path.exists():
        return None
    found = re.search(r"USES\s+([a-z\s]+?)(?:\n\s*[A-Z_]+\b|\))", path.read_text())
    return set(found.group(1).split()) if found else set()


def cycle(edges: dict[str, set[str]]) -> list[str]:
    """A cycle of the graph as a list of modules, or an empty list."""
    state: dict[str, int] = {}

    def visit(node: str, path: list[str]) -> list[str]:
        state[node] = 1
        for target in sorted(edges.get(node, ())):
            if state.get(target) == 1:
                return [*path, node, target]
            if target not in state and (found := visit(target, [*path, node])):
                return found
        state[node] = 2
        return []

    for node in sorted(edges):
        if node not in state and (found := visit(node, [])):
            return found
    return []


def main() -> int:
    allowed = read_table(SOURCE / "osteon" / "README.md")
    if "base" not in allowed:
        print("layers: no table of layers in src/osteon/README.md")
        return 1
    faults = []
    if loop := cycle(allowed):
        faults.append(f"the table itself is cyclic: {' -> '.join(loop)}")
    count = 0
    for path in sorted([*SOURCE.rglob("*.hpp"), *SOURCE.rglob("*.cpp"), *SOURCE.rglob("*.cu")]):
        parts = path.relative_to(SOURCE).parts
        module = parts[1] if parts[0] == "osteon" else parts[0]
        if module not in allowed:
            faults.append(f"{path.relative_to(ROOT)}: module '{module}' is not in the table of layers")
            continue
        text = path.read_text()
        for target in INCLUDE.findall(text):
            count += 1
            if target != module and target not in allowed[module]:
                faults.append(
                    f"{path.relative_to(ROOT)}: '{module}' includes osteon/{target}/, which its row does not allow"
                )
        if module in MPI_FREE and re.search(r"#\s*include\s*<mpi\.h>", text):
            faults.append(f"{path.relative_to(ROOT)}: '{module}' must build without MPI, but includes mpi.h")
        is_program = module in ("app", "bench")
        if parts[0] == "osteon" and not is_program and re.search(r"\bMPI_COMM_WORLD\b|\bMPI_Init", text):
            faults.append(f"{path.relative_to(ROOT)}: the library never names MPI_COMM_WORLD or calls MPI_Init")
    for module, uses in sorted(allowed.items()):
        linked = cmake_uses(module)
        if linked is not None and not linked <= uses:
            extra = ", ".join(sorted(linked - uses))
            faults.append(f"{module}/CMakeLists.txt: USES {extra}, which the table does not allow")
    for fault in faults:
        print(f"layers: {fault}")
    if not faults:
        print(f"layers: {count} includes between {len(allowed)} modules, all allowed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
