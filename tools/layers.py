#!/usr/bin/env python3
"""Fail if a file includes what the architecture page does not allow; draw the layers as they are.

    tools/layers.py           check every include of the product, the studies and the bridge
    tools/layers.py --draw    print the picture of the layers that src/osteon/README.md shows

The table of src/osteon/README.md is the source of truth: rows of the form `| `module` | what it holds | base, plan |`.
The same table stands in CMake, as the USES of each module. The wings: the product (src/) and its tests include nothing
of the studies, and of the bridge only what app offers as commands; the bridge includes nothing of the others. A study
is a module, studies/NAME; the commands of all of them are the module studies. Folders, inside a module too, include
each other without a cycle, in every wing. So do Python's modules, and its folders.
"""

import ast
import re
import sys
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
STUDIES = ROOT / "studies"
PAGE = SOURCE / "osteon" / "README.md"
ENDINGS = {".hpp", ".cpp", ".cu", ".h", ".c"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.M)
MPI_FREE = {"base", "plan", "voxel", "kernel", "compositing", "net"}
OFFERED_BY_BRIDGE = {"bridge/command/join.hpp", "bridge/error.hpp"}


def read_table(page: Path) -> dict[str, set[str]]:
    """Allowed modules by module, from the rows of the page's layer table."""
    allowed: dict[str, set[str]] = {}
    for line in page.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if line.startswith("| `") and len(cells) == 3:
            name = cells[0].strip("`")
            uses = set(re.findall(r"[a-z/_]+", cells[2])) if cells[2] != "-" else set()
            allowed[name] = uses
    return allowed


def cmake_uses(module: str) -> set[str] | None:
    path = (ROOT if module.startswith("studies/") else SOURCE / "osteon") / module / "CMakeLists.txt"
    if not path.exists():
        return None
    text = path.read_text()
    if module.startswith("studies/"):  # some of what a study uses is there with MPI only
        lists = re.findall(r"(?:set\(uses|APPEND uses|USES)\s([^)$]+?)(?:\n\s*[A-Z_]+\b|\))", text)
        return {word.replace("studies_", "studies/") for part in lists for word in part.split()}
    found = re.search(r"USES\s+([a-z\s]+?)(?:\n\s*[A-Z_]+\b|\))", text)
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


def files_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in ENDINGS) if folder.exists() else []


def module_of(path: Path) -> str:
    if path.is_relative_to(STUDIES):
        parts = path.relative_to(STUDIES).parts
        includes = INCLUDE.findall(path.read_text())
        is_command = len(parts) == 1 or any(include.startswith("app/") for include in includes)
        return "studies" if is_command else f"studies/{parts[0]}"
    parts = path.relative_to(SOURCE).parts
    return parts[1] if parts[0] == "osteon" else parts[0]


def target_of(include: str, module: str) -> str:
    """The module of an included file; the one that includes it for one of a library or without a folder."""
    parts = include.split("/")
    if parts[0] == "studies":
        target = STUDIES.parent / include
        return module_of(target) if target.exists() else "studies"
    if parts[0] == "osteon" and len(parts) > 2:
        return parts[1]
    return parts[0] if len(parts) > 1 else module


def sources_of_studies() -> list[Path]:
    return [path for path in files_below(STUDIES) if "tests" not in path.relative_to(STUDIES).parts]


def includes_by_module() -> dict[str, dict[str, list[Path]]]:
    """By module, by module that it includes: the files that do."""
    found: dict[str, dict[str, list[Path]]] = {}
    for path in files_below(SOURCE) + sources_of_studies():
        module = module_of(path)
        uses = found.setdefault(module, {})
        for include in INCLUDE.findall(path.read_text()):
            other = target_of(include, module)
            if other != module:
                uses.setdefault(other, []).append(path)
    return found


def includes_by_folder() -> dict[str, dict[str, Path]]:
    """By folder of any wing, by another folder that it includes: a file that does. Tests are left out."""
    roots = [SOURCE, ROOT, ROOT / "bridge" / "src"]
    wings = [SOURCE, STUDIES, ROOT / "bridge" / "src", ROOT / "common"]
    known = {path for wing in wings for path in files_below(wing) if "tests" not in path.relative_to(ROOT).parts}
    found: dict[str, dict[str, Path]] = {}
    for path in sorted(known):
        folder = str(path.parent.relative_to(ROOT))
        for include in INCLUDE.findall(path.read_text()):
            target = next((place / include for place in roots if place / include in known), path)
            if target.parent != path.parent:
                found.setdefault(folder, {}).setdefault(str(target.parent.relative_to(ROOT)), path)
    return found


def faults_of_folders(includes: dict[str, dict[str, Path]]) -> list[str]:
    loop = cycle({folder: set(targets) for folder, targets in includes.items()})
    if not loop:
        return []
    loop = loop[loop.index(loop[-1]) :]
    files = [str(includes[a][b].relative_to(ROOT)) for a, b in pairwise(loop)]
    return [f"folders include each other: {' -> '.join(loop)}, by {', '.join(files)}"]


def imports_of_python() -> dict[str, set[str]]:
    """By module of the Python package: those that it imports, inside functions too, but not for types only."""
    package = ROOT / "python" / "osteon"
    names = {
        ".".join(path.relative_to(package).with_suffix("").parts).removesuffix(".__init__"): path
        for path in package.rglob("*.py")
    }

    def told(node: ast.AST, folder: list[str]) -> set[str]:
        found: set[str] = set()
        for inner in ast.iter_child_nodes(node):
            if isinstance(inner, ast.If) and ast.unparse(inner.test) == "TYPE_CHECKING":
                continue
            if isinstance(inner, ast.ImportFrom) and inner.level:
                base = [*folder[: len(folder) - inner.level + 1], *(inner.module or "").split(".")]
                whole = ".".join(filter(None, base))
                parts = {".".join(filter(None, [whole, alias.name])) for alias in inner.names}
                found |= (parts & names.keys()) or {whole}
            found |= told(inner, folder)
        return found

    uses = {
        name: told(ast.parse(path.read_text()), list(path.relative_to(package).parent.parts))
        for name, path in names.items()
    }
    if unknown := {f"{name} -> {other}" for name, others in uses.items() for other in others - names.keys()}:
        raise SystemExit(f"layers: imports of what is not there: {', '.join(sorted(unknown))}")
    return uses


def faults_of_python(uses: dict[str, set[str]]) -> list[str]:
    """Cycles of the modules, and of the folders below the package."""
    folders: dict[str, set[str]] = {}
    for name, others in uses.items():
        if "." in name:
            folder = name.partition(".")[0]
            folders.setdefault(folder, set()).update(
                o.partition(".")[0] for o in others if "." in o and o.partition(".")[0] != folder
            )
    loops = [cycle(uses), cycle(folders)]
    return [f"python/osteon: modules import each other: {' -> '.join(loop)}" for loop in loops if loop]


def draw(uses: dict[str, set[str]]) -> str:
    """The modules by floors: each stands one above the highest that it uses."""
    floor: dict[str, int] = {}

    def height(module: str) -> int:
        if module not in floor:
            floor[module] = 1 + max((height(other) for other in uses[module] if other in uses), default=-1)
        return floor[module]

    for module in uses:
        height(module)
    lines = []
    for level in range(max(floor.values()), -1, -1):
        on_floor = sorted((m for m in floor if floor[m] == level and m != "trace"), key=lambda m: ("/" in m, m))
        lines.append(f"{level}  " + "   ".join(on_floor))
    return "\n".join(lines)


def faults_of_modules(allowed: dict[str, set[str]], includes: dict[str, dict[str, list[Path]]]) -> list[str]:
    """What the table forbids, and what CMake's lists and the includes do not agree in."""
    faults = []
    if loop := cycle(allowed):
        faults.append(f"the table itself is cyclic: {' -> '.join(loop)}")
    for module, targets in includes.items():
        if module not in allowed:
            faults.append(f"module '{module}' is not in the table of layers")
            continue
        for target, paths in targets.items():
            if target in allowed and target not in allowed[module]:
                faults += [
                    f"{path.relative_to(ROOT)}: '{module}' includes '{target}', which its row does not allow"
                    for path in paths
                ]
        linked = cmake_uses(module)
        if linked is None:
            continue
        if extra := linked - allowed[module]:
            faults.append(f"{module}/CMakeLists.txt: USES {', '.join(sorted(extra))}, which the table does not allow")
        if missing := {t for t in targets if t in allowed} - linked:
            faults.append(
                f"{module}/CMakeLists.txt: USES leaves out {', '.join(sorted(missing))}, which its files include"
            )
    return faults


def includes_of_studies() -> list[tuple[Path, str]]:
    """From the product or its tests to the studies: there must be none."""
    return [
        (path, include)
        for path in files_below(SOURCE) + files_below(ROOT / "tests")
        for include in INCLUDE.findall(path.read_text())
        if include.startswith("studies/")
    ]


def faults_of_product() -> list[str]:
    faults = [
        f"{path.relative_to(ROOT)}: includes {include}; the product includes nothing of the studies"
        for path, include in includes_of_studies()
    ]
    for path in files_below(SOURCE):
        module, text, where = module_of(path), path.read_text(), path.relative_to(ROOT)
        if module in MPI_FREE and re.search(r"#\s*include\s*<mpi\.h>", text):
            faults.append(f"{where}: '{module}' must build without MPI, but includes mpi.h")
        is_program = module in ("app", "bench")
        if where.parts[1] == "osteon" and not is_program and re.search(r"\bMPI_COMM_WORLD\b|\bMPI_Init", text):
            faults.append(f"{where}: the library never names MPI_COMM_WORLD or calls MPI_Init")
        for target in INCLUDE.findall(text):
            if target.startswith("bridge/") and not (module == "app" and target in OFFERED_BY_BRIDGE):
                faults.append(f"{where}: includes {target}; of the bridge only app includes the commands it offers")
    return faults


def faults_of_bridge() -> list[str]:
    return [
        f"{path.relative_to(ROOT)}: includes {target}; the bridge includes nothing of osteon"
        for path in files_below(ROOT / "bridge")
        for target in INCLUDE.findall(path.read_text())
        if target.split("/")[0] in ("osteon", "app", "studies")
    ] + [
        f"{path.relative_to(ROOT)}: includes {target}; common/ includes nothing of the others"
        for path in files_below(ROOT / "common")
        for target in INCLUDE.findall(path.read_text())
        if target.split("/")[0] in ("osteon", "app", "studies", "bridge")
    ]


def main() -> int:
    allowed = read_table(PAGE)
    if "base" not in allowed:
        print("layers: no table of layers in src/osteon/README.md")
        return 1
    includes = includes_by_module()
    # Of what is allowed only, which has no cycle: what is not is told below.
    picture = draw({module: set(targets) & allowed.get(module, set()) for module, targets in includes.items()})
    if sys.argv[1:] == ["--draw"]:
        print(picture)
        return 0
    faults = faults_of_modules(allowed, includes) + faults_of_product() + faults_of_bridge()
    folders = includes_by_folder()
    python = imports_of_python()
    faults += faults_of_folders(folders) + faults_of_python(python)
    if picture not in PAGE.read_text():
        faults.append(
            "src/osteon/README.md: the picture of the layers is not that of the includes; see tools/layers.py --draw"
        )
    for fault in faults:
        print(f"layers: {fault}")
    if not faults:
        count = sum(len(paths) for targets in includes.values() for paths in targets.values())
        print(
            f"layers: {count} includes between {len(allowed)} modules, all allowed; the bridge includes none of them; "
            f"includes from product to studies: {len(includes_of_studies())}; no cycle among {len(folders)} folders, "
            f"nor among {len(python)} modules of Python"
        )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
