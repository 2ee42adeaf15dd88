"""The tables of MPI functions and constants, functions.txt and constants.txt."""

import re
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
HANDLES = ["Comm", "Group", "Datatype", "Op", "Request", "Win", "File", "Info", "Errhandler", "Message", "Session"]
KINDS = """Rank Tag Code Keyval Thread Amode Assert Order Distribute Darg Combiner TypeClass Compare Topology SplitType
LockType Whence PvarClass Verbosity Bind Scope"""
CONVERTED = set(KINDS.split())  # each vendor uses other numbers for these kinds
BITS = {"Amode", "Assert"}
POLYMORPHIC = {"NUM": ("int", "MPI_Count"), "DISP": ("int", "MPI_Aint"), "WIDE": ("MPI_Aint", "MPI_Count")}
PARAMETER = re.compile(r"(const )?(\w+) (\*+|&)?(\w+)(?:\[(\w*)\])?(\[3\])?$")


@dataclass
class Parameter:
    const: str
    type: str
    mark: str  # one of "", "*", "**", "***" and "&"
    name: str
    length: str | None  # text between the brackets; None for a parameter that is not an array
    tail: str  # "[3]" for the ranges of a group

    @property
    def is_array(self) -> bool:
        return self.length is not None

    @property
    def is_pointer(self) -> bool:
        return bool(self.mark) or self.is_array

    def c_type(self, large: bool) -> str:
        if self.type in HANDLES or self.type in ("Aint", "Count", "Offset", "Status"):
            return "MPI_" + self.type
        if self.type in POLYMORPHIC:
            return POLYMORPHIC[self.type][large]
        if self.type == "Buf":
            return "void *"
        if self.type == "Weights":
            return "int"
        return "int" if self.type in CONVERTED else self.type

    def declaration(self, large: bool) -> str:
        base = self.c_type(large)
        if self.type == "Weights":
            return f"const int *{self.name}"
        if self.type == "Buf":
            return f"{self.const}{base}{self.name}"
        if self.is_array:
            # An array of output values is an array. Only char *argv[] has a separate star.
            star = self.mark if base == "char" else ""
            return f"{self.const}{base} {star}{self.name}[]{self.tail}"
        star = "*" if self.mark == "&" else self.mark
        return f"{self.const}{base} {star}{self.name}"


@dataclass
class Function:
    mark: str
    result: str  # type of the result; "" for an error code
    name: str
    parameters: list[Parameter]
    large: bool
    base: str  # name without _c

    @property
    def c_result(self) -> str:
        return {"": "int", "double": "double"}.get(self.result, "MPI_" + self.result)

    @property
    def variadic(self) -> bool:
        return self.name == "Pcontrol"

    def c_parameters(self) -> str:
        listed = ", ".join(p.declaration(self.large) for p in self.parameters) or "void"
        return listed + ", ..." if self.variadic else listed

    def arguments(self) -> str:
        return ", ".join(p.name for p in self.parameters)


def read_functions() -> list[Function]:
    functions = []
    for line in (HERE / "functions.txt").read_text().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        found = re.match(r"(.) (?:(\w+) )?(\w+)(\+c)?\((.*)\)$", line)
        if not found:
            raise SystemExit(f"functions.txt: cannot read {line!r}")
        mark, result, name, both, listed = found.groups()
        parameters = []
        for text in filter(None, listed.split(", ")):
            if text == "...":
                continue
            part = PARAMETER.match(text)
            if not part:
                raise SystemExit(f"functions.txt: {name}: cannot read the parameter {text!r}")
            const, kind, star, own, length, tail = part.groups()
            parameters.append(Parameter(const or "", kind, star or "", own, length, tail or ""))
        functions.append(Function(mark, result or "", name, parameters, False, name))
        if both:
            functions.append(Function(mark, result or "", name + "_c", parameters, True, name))
    return functions


def read_constants() -> dict[str, list[tuple[str, str]]]:
    sections: dict[str, list[tuple[str, str]]] = {}
    current: list[tuple[str, str]] = []
    for line in (HERE / "constants.txt").read_text().splitlines():
        if line.startswith("["):
            current = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            current += [tuple(item.split()) for item in line.split(",") if item.strip()]
    return sections
