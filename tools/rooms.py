"""The tables of src/osteon/README.md: dependencies of modules, and of the rooms (folders) of a module on each other.

The columns of dependencies are generated from the includes; the other columns are written by hand and preserved.
"""

import re
from pathlib import PurePosixPath

LAYERS = "| module | holds | may use |"
ROOMS = "| module | rooms, lowest first; in brackets the rooms of the module that each includes | holds |"
BESIDE = "files beside them"

Folders = dict[str, dict[str, object]]  # by folder, by another folder that it includes: a file that does


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
    """Return by module and room ("" for the files beside the rooms) the included rooms of the module, with a file."""
    found: dict[str, dict[str, dict[str, object]]] = {}
    for folder, targets in folders.items():
        if (module := module_of(folder)) is None:
            continue
        inside = {t[len(module) + 1 :]: file for t, file in targets.items() if t.startswith(f"{module}/")}
        found.setdefault(PurePosixPath(module).name, {})[folder[len(module) + 1 :]] = inside
    return {module: rooms for module, rooms in found.items() if len(rooms) > 1}


def in_order(rooms: dict[str, dict[str, object]]) -> list[str]:
    """Return the rooms by height: each above those that it includes."""
    heights: dict[str, int] = {}

    def height(room: str, path: tuple[str, ...] = ()) -> int:
        if room in path:  # a cycle, reported by tools/layers.py
            return 0
        if room not in heights:
            heights[room] = 1 + max((height(other, (*path, room)) for other in rooms.get(room, ())), default=-1)
        return heights[room]

    return sorted((room for room in rooms if room), key=lambda room: (height(room), room))


def cell_of(rooms: dict[str, dict[str, object]]) -> str:
    order = in_order(rooms)

    def text(room: str, name: str) -> str:
        used = [f"`{other}`" for other in order if other in rooms[room]]
        return name + (f" ({', '.join(used)})" if used else "")

    parts = [text(room, f"`{room}`") for room in order]
    return ", ".join(parts + ([text("", BESIDE)] if rooms.get("") else []))


def with_rooms(page: str, folders: Folders) -> str:
    held = {cells[0].strip("`"): cells[2] for cells in rows_of(page, ROOMS)}
    modules = [cells[0].strip("`") for cells in rows_of(page, LAYERS)]
    uses = uses_of(folders)
    rows = [[f"`{m}`", cell_of(uses[m]), held.get(m, "")] for m in modules if m in uses]
    return with_rows(page, ROOMS, rows)


def read_cell(cell: str) -> dict[str, set[str]]:
    """Return by room of a row the rooms that the page allows it to include."""
    parts = re.findall(rf"(?:`([\w/]+)`|{BESIDE})(?: \(([^)]*)\))?(?:, |$)", cell)
    return {room: set(re.findall(r"`([\w/]+)`", used)) for room, used in parts}


def faults(page: str, folders: Folders) -> list[str]:
    """Return includes between rooms that the page does not list, and other differences of the page from the
    includes."""
    listed = {cells[0].strip("`"): read_cell(cells[1]) for cells in rows_of(page, ROOMS)}
    found = [
        f"{file}: '{module}/{room}' includes '{module}/{other}', which the table of rooms does not list".replace(
            "/'", "'"
        )
        for module, rooms in uses_of(folders).items()
        for room, used in rooms.items()
        for other, file in used.items()
        if other not in listed.get(module, {}).get(room, set())
    ]
    if not found and with_rooms(page, folders) != page:
        found.append("src/osteon/README.md: the table of rooms differs from the includes; run tools/layers.py --write")
    return found
