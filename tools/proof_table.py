#!/usr/bin/env python3
"""Count goals of a restructuring in two revisions, and print a Markdown table of both.

    tools/proof_table.py [BEFORE [AFTER]]     revisions of git; default: 8503c20 and HEAD

Each revision is exported from git into a separate folder, so that uncommitted changes are not counted. Copies are found
by regular expressions that match only implementations (COPIES). The expressions count files. A header and its source
count as one file. A physics is counted where a text is compared with its name (PHYSICS). Tests are not counted.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = {".hpp", ".cpp", ".cu", ".h", ".c"}
HEADERS = {".hpp", ".h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.M)

# A comparison of a text with the name of a physics, in C++ or Python.
NAME = r'"(?:heat|elasticity|thermo_elasticity)"'
PHYSICS = re.compile(rf"[=!]=\s*{NAME}|{NAME}\s*[=!]=")

COPIES = {
    # the search for the root of a tree in an array
    "union-find": re.compile(r"while \((?:parent|root)_?\[.*\] != i\)\s*i ="),
    # selection on local values, and selection over ranks in a separate function with this name
    "percentile": re.compile(
        r"std::nth_element|^(?!.*return).*\b(?:find_)?percentiles?\(MPI_Comm comm,[^;]*\{$"
        r"|^(?!.*return).*\b(?:find_)?percentiles?\(MPI_Comm comm, .*values,$",
        re.M,
    ),
    # the factor of the last direction, which is the new (r, z) divided by the previous (r, z), and 0 at the start
    "preconditioned conjugate gradients": re.compile(
        r"(?:previous|rz|before|old|descent)_? == 0 \? 0(?:\.0F)? : (?:static_cast<float>\()?(?:descent|rz|now)\w*"
    ),
    "SVG writer": re.compile(r"<svg xmlns="),
    # the finaliser of splitmix64, recognised by its first multiplication after its first shift
    "splitmix64": re.compile(r"\^ \(?\w+ >> 30U?\)?\)\s*\* 0xbf58476d1ce4e5b9", re.I),
}


@dataclass
class Tree:
    root: Path

    def files(self, *folders: str, endings: set[str] = SOURCES) -> list[Path]:
        found = [p for f in folders for p in (self.root / f).rglob("*") if p.suffix in endings and p.is_file()]
        return sorted(p for p in set(found) if "tests" not in p.relative_to(self.root).parts)

    def of_all_wings(self) -> list[Path]:
        return self.files("src", "studies", "bridge/src", "common")

    def name(self, path: Path) -> str:
        return str(path.relative_to(self.root))


def taken(revision: str, folder: Path) -> Tree:
    """Export the files of a revision to a folder."""
    packed = subprocess.run(
        ["git", "-C", ROOT, "archive", "--format=tar", revision], capture_output=True, check=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return Tree(folder)


def lines(paths: list[Path]) -> int:
    return sum(len(p.read_text().splitlines()) for p in paths)


def code_lines(paths: list[Path]) -> int:
    """Count lines that are neither blank nor only a comment."""
    texts = [re.sub(r"/\*.*?\*/", "", p.read_text(), flags=re.S) for p in paths]
    return sum(bool(re.sub(r"//.*", "", line).strip()) for text in texts for line in text.splitlines())


def matches(paths: list[Path], pattern: str) -> int:
    return sum(len(re.findall(pattern, p.read_text(), re.M)) for p in paths)


def repeated_names(paths: list[Path]) -> int:
    """Count base names of headers and sources that occur in more than one folder."""
    folders: dict[str, set[Path]] = defaultdict(set)
    for path in paths:
        folders[path.name].add(path.parent)
    return sum(len(found) > 1 for found in folders.values())


def included(tree: Tree) -> dict[Path, set[Path]]:
    """Return the files of the tree that each of its files includes."""
    all_files = tree.of_all_wings()
    known = set(all_files)
    roots = [tree.root / r for r in ("src", "bridge/src", ".", "studies", "common")]
    edges: dict[Path, set[Path]] = {}
    for path in all_files:
        edges[path] = set()
        for quote, name in INCLUDE.findall(path.read_text()):
            near = [path.parent] if quote == '"' else []
            for place in [*near, *roots]:
                target = (place / name).resolve()
                if target in known:
                    edges[path].add(target)
                    break
    return edges


def module(tree: Tree, path: Path) -> str:
    """Return the module as in tools/layers.py: a folder of src/osteon or studies, or a wing."""
    parts = path.relative_to(tree.root).parts
    if parts[:2] == ("src", "osteon") or parts[0] == "studies":
        return "/".join(parts[:3] if parts[0] == "src" else parts[:2]) if len(parts) > 2 else parts[0]
    return "/".join(parts[:2]) if parts[0] == "src" else parts[0]


def cycles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Strongly connected components of more than one node."""
    reach: dict[str, set[str]] = {}
    for start in edges:
        seen, waiting = set(), [start]
        while waiting:
            for target in edges.get(waiting.pop(), set()) - seen:
                seen.add(target)
                waiting.append(target)
        reach[start] = seen
    groups = {frozenset(b for b in reach[a] if a in reach.get(b, set())) for a in edges if a in reach[a]}
    return [sorted(g) for g in groups if len(g) > 1]


def between(tree: Tree, of: Callable[[Tree, Path], str]) -> dict[str, set[str]]:
    edges: dict[str, set[str]] = defaultdict(set)
    for path, targets in included(tree).items():
        for target in targets:
            if of(tree, path) != of(tree, target):
                edges[of(tree, path)].add(of(tree, target))
    return edges


def single_includer(tree: Tree) -> list[str]:
    """Return headers of fewer than 40 lines with a single includer. The source with the same name does not count as an
    includer."""
    by: dict[Path, set[Path]] = defaultdict(set)
    for path, targets in included(tree).items():
        for target in targets:
            if path.with_suffix("") != target.with_suffix(""):
                by[target].add(path)
    return [
        tree.name(h)
        for h in tree.files("src", endings=HEADERS)
        if len(by[h]) == 1 and lines([h]) < 40 and "bridge" not in h.parts
    ]


def subfolders(tree: Tree) -> str:
    """Return the number of folders of the product that contain C++, and the numbers of files in a folder."""
    held: dict[Path, int] = defaultdict(int)
    for path in tree.files("src"):
        if "bridge" not in path.parts:
            held[path.parent] += 1
    largest = max(held, key=held.get)
    return f"{len(held)}; {sum(held.values()) / len(held):.0f}; {held[largest]} (`{tree.name(largest)}`)"


def to_studies(tree: Tree, of_studies: set[str], headers_of_studies: set[str]) -> int:
    """Count includes of studies in the product. In earlier revisions, such includes are found by file names that became
    names of a study."""
    if (tree.root / "studies").exists():
        edges = included(tree)
        return sum(tree.name(target).startswith("studies/") for p in tree.files("src") for target in edges[p])
    product = [p for p in tree.files("src") if p.stem not in of_studies]
    return sum(Path(name).stem in headers_of_studies for p in product for _, name in INCLUDE.findall(p.read_text()))


def bridge_needs(tree: Tree) -> str:
    """Return the requirements of the build of the bridge: packages by CMake, and the headers of osteon that the bridge
    includes."""
    own = tree.root / "bridge" / "CMakeLists.txt"
    of_bridge = tree.files("bridge" if own.exists() else "src/bridge")
    foreign = {
        name for p in of_bridge for _, name in INCLUDE.findall(p.read_text()) if name.startswith(("osteon/", "app/"))
    }
    text = "".join(p.read_text() for p in ([own] if own.exists() else [tree.root / "CMakeLists.txt"]))
    packages = sorted(set(re.findall(r"find_package\((\w+) REQUIRED|find_package\((\w+)\s+[\d.]+\s+REQUIRED", text)))
    names = ", ".join(sorted({a or b for a, b in packages}, key=str.lower))
    whole = "a project of its own" if own.exists() else "a folder of osteon's build"
    headers = "no header of osteon" if not foreign else f"{len(foreign)} headers of osteon"
    return f"{whole}: {names}; {headers}"


def measured(tree: Tree, *names_of_studies: set[str]) -> dict[str, str]:
    product = tree.files("src")
    without_bridge = [p for p in product if "bridge" not in p.parts]
    python = tree.files("python", endings={".py"})
    named = {tree.name(p): len(PHYSICS.findall(p.read_text())) for p in [*product, *python]}
    cpp = [p for p in without_bridge if p.suffix in {".hpp", ".cpp"}]
    front = [p for p in tree.files("src/osteon/job", "src/osteon/physics") if "solver" not in p.parts]
    modules, folders = cycles(between(tree, module)), cycles(between(tree, lambda t, p: t.name(p.parent)))
    rows = {
        "comparisons with the name of a physics, `src` and `python` (files)": (
            f"{sum(named.values())} ({sum(n > 0 for n in named.values())})"
        ),
        "subfolders of `src` without the bridge; mean and largest number of files": subfolders(tree),
        "headers below 40 lines with a single includer": str(len(single_includer(tree))),
        "cycles among modules; among folders": f"{len(modules)}; {len(folders)}",
    }
    for what, pattern in COPIES.items():
        found = {p.with_suffix("") for p in tree.of_all_wings() if pattern.search(p.read_text())}
        rows[f"copies: {what}"] = str(len(found))
    rows |= {
        "code lines of `src` without comments, blank lines and CUDA": f"{code_lines(cpp):,}",
        "includes in `src`": f"{matches(cpp, INCLUDE.pattern):,}",
        "file names of `src` in more than one folder": str(repeated_names(cpp)),
        "`MPI_Allreduce` in `src` outside of `comm`": str(
            matches([p for p in cpp if "comm" not in p.parts], r"MPI_Allreduce\(")
        ),
        "comparisons with text in `job` and the job side of `physics`": str(matches(front, r'[=!]= "[a-z_]+"')),
        "lines of `job`; of `job` and the job side of `physics`": (
            f"{lines(tree.files('src/osteon/job')):,}; {lines(front):,}"
        ),
        "lines of `src`": f"{lines(product):,}",
        "lines of `src` without the bridge": f"{lines(without_bridge):,}",
        "lines of `src`, `studies`, `bridge/src` and `common`": f"{lines(tree.of_all_wings()):,}",
        "includes of the product that reach a study": str(to_studies(tree, *names_of_studies)),
        "the bridge needs": bridge_needs(tree),
    }
    return rows


def main(before: str = "8503c20", after: str = "HEAD") -> None:
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        old, new = taken(before, Path(first).resolve()), taken(after, Path(second).resolve())
        in_product = {p.stem for p in new.files("src", "common")}
        names = [{p.stem for p in new.files("studies", endings=e)} - in_product for e in (SOURCES, HEADERS)]
        left, right = measured(old, *names), measured(new, *names)
    print("| | before | after |\n|---|---|---|")
    for row in left:
        print(f"| {row} | {left[row]} | {right[row]} |")


if __name__ == "__main__":
    main(*sys.argv[1:3])
