#!/usr/bin/env python3
"""Check every include against the layers of the architecture page, and draw the layers.

    tools/layers.py           check every include of the product, the studies and the bridge
    tools/layers.py --draw    print the picture of the layers that src/osteon/README.md shows
    tools/layers.py --write   update picture and tables of src/osteon/README.md from the includes

The tables of src/osteon/README.md contain two lists. The first list contains the modules that each module may use. The
second list contains the subfolders of the module that each subfolder includes (tools/subfolders.py). A new dependency
changes this page, so that a reviewer can see the dependency. --write makes the change. CMake contains the first table
again as the USES of each module.

The tree has three parts: product (src/), studies (studies/) and bridge (bridge/). The product and its tests do not
include the studies, and include only the commands of the bridge. The bridge includes no other part. Each study is a
module, studies/NAME. The module `studies` contains the commands of all studies. In each part, includes between folders
form no cycle. The imports of the Python package also form no cycle. Files outside of src/osteon/physics do not compare
the name of a physics.
"""

import ast
import re
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import subfolders

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
STUDIES = ROOT / "studies"
BRIDGE = ROOT / "bridge"
COMMON = ROOT / "common"
PACKAGE = ROOT / "python" / "osteon"
PAGE = SOURCE / "osteon" / "README.md"
ENDINGS = {".hpp", ".cpp", ".cu", ".cuh", ".h", ".c"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.M)
MPI_FREE = {"base", "plan", "voxel", "kernel", "compositing", "net"}
OFFERED_BY_BRIDGE = {"bridge/command/join.hpp", "bridge/error.hpp"}

Texts = dict[Path, str]  # the text of each file that is checked


def read_tree() -> Texts:
    """Read the C++ and CMake files of all parts and the tests, the Python package and the page."""
    files = [PAGE, *PACKAGE.rglob("*.py")]
    for folder in (SOURCE, STUDIES, BRIDGE, COMMON, ROOT / "tests"):
        files += [path for path in folder.rglob("*") if path.suffix in ENDINGS or path.name == "CMakeLists.txt"]
    return {path: path.read_text() for path in sorted(files)}


@cache
def includes_in(text: str) -> tuple[str, ...]:
    return tuple(INCLUDE.findall(text))


def read_table(page: str) -> dict[str, set[str]]:
    """Return the allowed modules of each module, from the table of layers of the page."""
    return {
        cells[0].strip("`"): set(re.findall(r"[a-z/_]+", cells[2])) if cells[2] != "-" else set()
        for cells in subfolders.rows_of(page, subfolders.LAYERS)
    }


def cmake_uses(texts: Texts, module: str) -> set[str] | None:
    folder = "physics" if module == "physics_solvers" else module
    text = texts.get((ROOT if module.startswith("studies/") else SOURCE / "osteon") / folder / "CMakeLists.txt")
    if text is None:
        return None
    if module.startswith("studies/"):  # some dependencies of a study require MPI
        lists = re.findall(r"(?:set\(uses|APPEND uses|USES)\s([^)$]+?)(?:\n\s*[A-Z_]+\b|\))", text)
        return {word.replace("studies_", "studies/") for part in lists for word in part.split()}
    text = text.partition(f"osteon_module({module}\n")[2]
    found = re.search(r"USES\s+([a-z_\s]+?)(?:\n\s*[A-Z_]+\b|\))", text)
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


@cache
def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def is_source_below(path: Path, folder: Path) -> bool:
    return path.suffix in ENDINGS and path.is_relative_to(folder)


def files_below(texts: Texts, folder: Path) -> list[Path]:
    return [path for path in texts if is_source_below(path, folder)]


def module_of(texts: Texts, path: Path) -> str:
    if path.is_relative_to(STUDIES):
        parts = path.relative_to(STUDIES).parts
        is_command = len(parts) == 1 or any(include.startswith("app/") for include in includes_in(texts[path]))
        return "studies" if is_command else f"studies/{parts[0]}"
    return module_of_product(tuple(name_of(path).split("/")[1:]))


def module_of_product(parts: tuple[str, ...]) -> str:
    """Return the module of a file by its path below src. Folders of physics that are named solver are a separate
    module."""
    if parts[:2] == ("osteon", "physics") and "solver" in parts:
        return "physics_solvers"
    return parts[1] if parts[0] == "osteon" else parts[0]


def target_of(texts: Texts, include: str, module: str) -> str:
    """Return the module of an included file. For a library or a file without a folder, the result is the including
    module."""
    parts = include.split("/")
    if parts[0] == "studies":
        target = ROOT / include
        return module_of(texts, target) if target in texts else "studies"
    if parts[0] == "osteon" and len(parts) > 2:
        return module_of_product(tuple(parts))
    return parts[0] if len(parts) > 1 else module


def sources_of_studies(texts: Texts) -> list[Path]:
    return [path for path in files_below(texts, STUDIES) if "tests" not in path.relative_to(STUDIES).parts]


def includes_by_module(texts: Texts) -> dict[str, dict[str, list[Path]]]:
    """Return the files by module and by included module."""
    found: dict[str, dict[str, list[Path]]] = {}
    for path in files_below(texts, SOURCE) + sources_of_studies(texts):
        module = module_of(texts, path)
        uses = found.setdefault(module, {})
        for include in includes_in(texts[path]):
            other = target_of(texts, include, module)
            if other != module:
                uses.setdefault(other, []).append(path)
    return found


def includes_by_folder(texts: Texts) -> dict[str, dict[str, Path]]:
    """Return an including file by folder and by included folder of any wing, without tests."""
    roots = ["src/", "src/osteon/", "", "bridge/src/"]
    wings = [SOURCE, STUDIES, BRIDGE / "src", COMMON]
    known = {
        name_of(path): path for wing in wings for path in files_below(texts, wing) if "/tests/" not in name_of(path)
    }
    found: dict[str, dict[str, Path]] = {}
    for name, path in sorted(known.items()):
        folder = name.rpartition("/")[0]
        uses = found.setdefault(folder, {})
        for include in includes_in(texts[path]):
            target = next((root + include for root in roots if root + include in known), name).rpartition("/")[0]
            if target != folder:
                uses.setdefault(target, path)
    return found


def faults_of_folders(includes: dict[str, dict[str, Path]]) -> list[str]:
    loop = cycle({folder: set(targets) for folder, targets in includes.items()})
    if not loop:
        return []
    loop = loop[loop.index(loop[-1]) :]
    files = [str(includes[a][b].relative_to(ROOT)) for a, b in pairwise(loop)]
    return [f"folders include each other: {' -> '.join(loop)}, by {', '.join(files)}"]


@cache
def relative_imports(text: str, folder: tuple[str, ...]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the module and the names of each relative import of a Python file. The result includes imports in
    functions and imports for types."""

    def visit(node: ast.AST) -> list[tuple[str, tuple[str, ...]]]:
        found: list[tuple[str, tuple[str, ...]]] = []
        for inner in ast.iter_child_nodes(node):
            if not folder and isinstance(inner, ast.If) and ast.unparse(inner.test) == "TYPE_CHECKING":
                continue
            if isinstance(inner, ast.ImportFrom) and inner.level:
                base = [*folder[: len(folder) - inner.level + 1], *(inner.module or "").split(".")]
                found.append((".".join(filter(None, base)), tuple(alias.name for alias in inner.names)))
            found += visit(inner)
        return found

    return tuple(visit(ast.parse(text)))


def imports_of_python(texts: Texts) -> dict[str, set[str]]:
    """Return the imported modules by module of the Python package."""
    names = {
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__"): path
        for path in texts
        if path.suffix == ".py"
    }
    uses: dict[str, set[str]] = {}
    for name, path in names.items():
        uses[name] = set()
        for whole, aliases in relative_imports(texts[path], path.relative_to(PACKAGE).parent.parts):
            parts = {".".join(filter(None, [whole, alias])) for alias in aliases}
            uses[name] |= (parts & names.keys()) or {whole}
    if unknown := {f"{name} -> {other}" for name, others in uses.items() for other in others - names.keys()}:
        raise SystemExit(f"layers: imports of missing modules: {', '.join(sorted(unknown))}")
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
    """Draw the modules by levels. The level of a module is one above the highest level of the modules that it uses."""
    levels: dict[str, int] = {}

    def height(module: str, path: tuple[str, ...] = ()) -> int:
        if module in path:  # a cycle, which faults_of_modules reports
            return 0
        if module not in levels:
            levels[module] = 1 + max(
                (height(other, (*path, module)) for other in uses[module] if other in uses), default=-1
            )
        return levels[module]

    for module in uses:
        height(module)
    lines = []
    for level in range(max(levels.values()), -1, -1):
        modules = sorted((m for m in levels if levels[m] == level and m != "trace"), key=lambda m: ("/" in m, m))
        lines.append(f"{level}  " + "   ".join(modules))
    return "\n".join(lines)


def faults_of_modules(texts: Texts, includes: dict[str, dict[str, list[Path]]]) -> list[str]:
    """Return dependencies that the table does not permit, unused dependencies of the table, and wrong USES of CMake."""
    allowed = read_table(texts[PAGE])
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
        if idle := allowed[module] - targets.keys():
            faults.append(
                f"row '{module}' of the table allows {', '.join(sorted(idle))}, which none of its files includes"
            )
        linked = cmake_uses(texts, module)
        if linked is None:
            continue
        if extra := linked - allowed[module]:
            faults.append(f"{module}/CMakeLists.txt: USES {', '.join(sorted(extra))}, which the table does not allow")
        if missing := {t for t in targets if t in allowed} - linked:
            faults.append(
                f"{module}/CMakeLists.txt: USES leaves out {', '.join(sorted(missing))}, which its files include"
            )
    return faults


def faults_of_paths(texts: Texts) -> list[str]:
    """Return includes by a relative path. The other checks cannot determine the module of such an include."""
    return [
        f"{path.relative_to(ROOT)}: includes {include}; write the path from the root of the wing, without '.' and '..'"
        for path, text in texts.items()
        if path.suffix in ENDINGS
        for include in includes_in(text)
        if {".", ".."} & set(include.split("/"))
    ]


def includes_of_studies(texts: Texts) -> list[tuple[Path, str]]:
    """Return the forbidden includes of the studies in the product or its tests."""
    return [
        (path, include)
        for path in files_below(texts, SOURCE) + files_below(texts, ROOT / "tests")
        for include in includes_in(texts[path])
        if include.startswith("studies/")
    ]


NAMES_WORLD = re.compile(r"\bMPI_COMM_WORLD\b|\bMPI_Init")
REDUCES = re.compile(r"\bMPI_I?[Aa]llreduce\b")


@cache
def has(pattern: re.Pattern[str], text: str) -> bool:
    return pattern.search(text) is not None


def faults_of_product(texts: Texts) -> list[str]:
    faults = [
        f"{path.relative_to(ROOT)}: includes {include}; the product includes nothing of the studies"
        for path, include in includes_of_studies(texts)
    ]
    for path in files_below(texts, SOURCE):
        module, text, where = module_of(texts, path), texts[path], name_of(path)
        if module in MPI_FREE and "mpi.h" in includes_in(text):
            faults.append(f"{where}: '{module}' must build without MPI, but includes mpi.h")
        is_program = module in ("app", "bench")
        if where.startswith("src/osteon/") and not is_program and has(NAMES_WORLD, text):
            faults.append(f"{where}: the library never names MPI_COMM_WORLD or calls MPI_Init")
        if where.startswith("src/osteon/") and module != "comm" and has(REDUCES, text):
            faults.append(
                f"{where}: reductions are those of comm (comm/reductions.hpp), which virtual ranks carry out, too"
            )
        for target in includes_in(text):
            if target.startswith("bridge/") and not (module == "app" and target in OFFERED_BY_BRIDGE):
                faults.append(f"{where}: includes {target}; of the bridge only app includes the commands it offers")
    return faults


def names_of_physics(texts: Texts) -> list[str]:
    """Return the names in the entries of the table of physics."""
    physics = SOURCE / "osteon" / "physics"
    row = re.compile(r'\bphysics_entry row\s*\{\s*\.name = "(\w+)"')
    return sorted({name for path in files_below(texts, physics) for name in row.findall(texts[path])})


@cache
def lines_with(pattern: re.Pattern[str], text: str) -> list[int]:
    """Return numbers of the lines whose code, without comments, matches the pattern."""
    if not pattern.search(text):
        return []
    return [n for n, line in enumerate(text.splitlines(), 1) if pattern.search(line.partition("//")[0])]


def faults_of_physics(texts: Texts) -> list[str]:
    """Return comparisons with the name of a physics outside of the folder of the physics. A property of the entry of
    the physics must be used instead."""
    physics, names = SOURCE / "osteon" / "physics", names_of_physics(texts)
    literal = rf'"(?:{"|".join(names)})"(?:sv|s)?'
    compared = re.compile(rf"[!=]=\s*{literal}|{literal}\s*[!=]=")
    return [
        f"{path.relative_to(ROOT)}:{number}: compares the name of a physics; add a member to physics_entry instead"
        for path in files_below(texts, SOURCE)
        if not any(is_source_below(path, physics / name) for name in names)
        for number in lines_with(compared, texts[path])
    ]


def is_of_osteon(texts: Texts, include: str) -> bool:
    """Return True if an include belongs to the product or the studies. The first folder or the file name decides."""
    return include.split("/")[0] in ("osteon", "app", "studies") or any(
        folder / include in texts for folder in (SOURCE, SOURCE / "osteon")
    )


def faults_of_bridge(texts: Texts) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}: includes {target}; the bridge includes nothing of osteon"
        for path in files_below(texts, BRIDGE)
        for target in includes_in(texts[path])
        if is_of_osteon(texts, target)
    ] + [
        f"{path.relative_to(ROOT)}: includes {target}; common/ includes nothing of the others"
        for path in files_below(texts, COMMON)
        for target in includes_in(texts[path])
        if is_of_osteon(texts, target) or target.startswith("bridge/")
    ]


def picture_of(texts: Texts, includes: dict[str, dict[str, list[Path]]]) -> str:
    """Return the picture of the layers. The picture uses only permitted includes, which have no cycle."""
    allowed = read_table(texts[PAGE])
    return draw({module: set(targets) & allowed.get(module, set()) for module, targets in includes.items()})


def faults_of(texts: Texts) -> list[str]:
    """All faults of the tree."""
    includes, folders = includes_by_module(texts), includes_by_folder(texts)
    faults = faults_of_modules(texts, includes) + faults_of_paths(texts)
    faults += faults_of_product(texts) + faults_of_physics(texts) + faults_of_bridge(texts)
    faults += faults_of_folders(folders) + subfolders.faults(texts[PAGE], folders)
    faults += faults_of_python(imports_of_python(texts))
    if picture_of(texts, includes) not in texts[PAGE]:
        faults.append(
            "src/osteon/README.md: the picture of the layers differs from the includes; run tools/layers.py --write"
        )
    return faults


def written_page(texts: Texts) -> str:
    """Return the page with picture and tables generated from the includes."""
    includes = includes_by_module(texts)
    page = subfolders.with_layers(texts[PAGE], {module: set(targets) for module, targets in includes.items()})
    page = subfolders.with_subfolders(page, includes_by_folder(texts))
    picture = picture_of({**texts, PAGE: page}, includes)
    return re.sub(r"```\n\d  studies\n.*?```", lambda _: f"```\n{picture}\n```", page, flags=re.S)


def main() -> int:
    texts = read_tree()
    if "base" not in read_table(texts[PAGE]):
        print("layers: no table of layers in src/osteon/README.md")
        return 1
    if sys.argv[1:] == ["--draw"]:
        print(picture_of(texts, includes_by_module(texts)))
        return 0
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(written_page(texts))
        return 0
    faults = faults_of(texts)
    for fault in faults:
        print(f"layers: {fault}")
    if not faults:
        modules = includes_by_module(texts)
        count = sum(len(paths) for targets in modules.values() for paths in targets.values())
        print(
            f"layers: {count} includes between {len(modules)} modules, all allowed; the bridge includes none of them; "
            f"includes from product to studies: {len(includes_of_studies(texts))}; no cycle among "
            f"{len(includes_by_folder(texts))} folders, nor among {len(imports_of_python(texts))} modules of Python"
        )
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
