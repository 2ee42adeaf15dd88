"""Tables of src/osteon/README.md. The tables contain dependencies between modules, and between the subfolders of each
module.

The columns of dependencies are generated from the includes. The other columns are written by hand and preserved.
"""

import re
from pathlib import PurePosixPath

LAYERS = "| module | content | may use |"
SUBFOLDERS = "| module | subfolders, lowest first; in brackets the subfolders that each includes | content |"
OTHERS = "other files"

Folders = dict[str, dict[str, object]]  # a file with such an include, by folder and included folder


def lines_of(page: str, head: str) -> tuple[int, int]:
    """Return the first row and one past the last row of the table with this head, as line numbers of the page."""
    lines = page.splitlines()
    begin = lines.index(head) + 2 if head in lines else len(lines)
    end = begin
    while end < len(lines) and lines[end].startswith("|"):
        end += 1
    return begin, end


def rows_of(page: str, head: str) -> list[list[str]]:
    begin, end = lines_of(page, head)
    return [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in page.splitlines()[begin:end]]


def with_rows(page: str, head: str, rows: list[list[str]]) -> str:
    begin, end = lines_of(page, head)
    lines = page.splitlines()
    lines[begin:end] = ["| " + " | ".join(cells).rstrip() + " |" for cells in rows]
    return "\n".join(lines) + "\n"


def with_layers(page: str, uses: dict[str, set[str]]) -> str:
    rows = rows_of(page, LAYERS)
    names = [cells[0].strip("`") for cells in rows]
    for cells, name in zip(rows, names, strict=True):
        cells[2] = ", ".join(other for other in names if other in uses.get(name, set())) or "-"
    return with_rows(page, LAYERS, rows)


def module_of(folder: str) -> str | None:
    """Return the folder of the module to which a folder of the product belongs."""
    parts = PurePosixPath(folder).parts
    if parts[0] != "src":
        return None
    return "/".join(parts[: 3 if parts[1] == "osteon" else 2])


def uses_of(folders: Folders) -> dict[str, dict[str, dict[str, object]]]:
    """Return included subfolders with an including file, by module and subfolder. The subfolder of files of the module
    is ""."""
    found: dict[str, dict[str, dict[str, object]]] = {}
    for folder, targets in folders.items():
        if (module := module_of(folder)) is None:
            continue
        inside = {t[len(module) + 1 :]: file for t, file in targets.items() if t.startswith(f"{module}/")}
        found.setdefault(PurePosixPath(module).name, {})[folder[len(module) + 1 :]] = inside
    return {module: subfolders for module, subfolders in found.items() if len(subfolders) > 1}


def in_order(subfolders: dict[str, dict[str, object]]) -> list[str]:
    """Return the subfolders in an order in which each subfolder follows the subfolders that it includes."""
    heights: dict[str, int] = {}

    def height(subfolder: str, path: tuple[str, ...] = ()) -> int:
        if subfolder in path:  # a cycle, which tools/layers.py reports
            return 0
        if subfolder not in heights:
            heights[subfolder] = 1 + max(
                (height(other, (*path, subfolder)) for other in subfolders.get(subfolder, ())), default=-1
            )
        return heights[subfolder]

    return sorted(
        (subfolder for subfolder in subfolders if subfolder), key=lambda subfolder: (height(subfolder), subfolder)
    )


def cell_of(subfolders: dict[str, dict[str, object]]) -> str:
    order = in_order(subfolders)

    def text(subfolder: str, name: str) -> str:
        used = [f"`{other}`" for other in order if other in subfolders[subfolder]]
        return name + (f" ({', '.join(used)})" if used else "")

    parts = [text(subfolder, f"`{subfolder}`") for subfolder in order]
    return ", ".join(parts + ([text("", OTHERS)] if subfolders.get("") else []))


def with_subfolders(page: str, folders: Folders) -> str:
    content = {cells[0].strip("`"): cells[2] for cells in rows_of(page, SUBFOLDERS)}
    modules = [cells[0].strip("`") for cells in rows_of(page, LAYERS)]
    uses = uses_of(folders)
    rows = [[f"`{m}`", cell_of(uses[m]), content.get(m, "")] for m in modules if m in uses]
    return with_rows(page, SUBFOLDERS, rows)


def read_cell(cell: str) -> dict[str, set[str]]:
    """Return the allowed includes of each subfolder of a row."""
    parts = re.findall(rf"(?:`([\w/]+)`|{OTHERS})(?: \(([^)]*)\))?(?:, |$)", cell)
    return {subfolder: set(re.findall(r"`([\w/]+)`", used)) for subfolder, used in parts}


def faults(page: str, folders: Folders) -> list[str]:
    """Return includes between subfolders that the page does not list, and other differences between the page and the
    includes."""
    listed = {cells[0].strip("`"): read_cell(cells[1]) for cells in rows_of(page, SUBFOLDERS)}
    found = [
        f"{file}: '{module}/{subfolder}' includes '{module}/{other}', not in the table of subfolders".replace("/'", "'")
        for module, subfolders in uses_of(folders).items()
        for subfolder, used in subfolders.items()
        for other, file in used.items()
        if other not in listed.get(module, {}).get(subfolder, set())
    ]
    if not found and with_subfolders(page, folders) != page:
        found.append(
            "src/osteon/README.md: the table of subfolders differs from the includes; run tools/layers.py --write"
        )
    return found
