#!/usr/bin/env python3
"""Write what follows from the tables of MPI functions and constants.

generate.py header OUT                mpi.h of the standard ABI
generate.py slots OUT                 struct osteon::bridge::slots, one pointer a function
generate.py module OUT                the Fortran module mpi (f08: mpi_f08; mpif: mpif.h; fortran: what they all call)
generate.py front OUT                 MPI_X and PMPI_X, which jump to the slot of X, and what answers for a missing X
generate.py adapter VENDOR OUT        conversions for the vendor whose preprocessed mpi.h (-E -dD) is the file VENDOR
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
HANDLES = ["Comm", "Group", "Datatype", "Op", "Request", "Win", "File", "Info", "Errhandler", "Message", "Session"]
CONVERTED = set(
    [
        "Rank",
        "Tag",
        "Code",
        "Keyval",
        "Thread",
        "Amode",
        "Assert",
        "Order",
        "Distribute",
        "Darg",
        "Combiner",
        "TypeClass",
        "Compare",
        "Topology",
        "SplitType",
        "LockType",
        "Whence",
        "PvarClass",
        "Verbosity",
        "Bind",
        "Scope",
    ]
)
BITS = {"Amode", "Assert"}
POLYMORPHIC = {"NUM": ("int", "MPI_Count"), "DISP": ("int", "MPI_Aint"), "WIDE": ("MPI_Aint", "MPI_Count")}
PARAMETER = re.compile(r"(const )?(\w+) (\*+|&)?(\w+)(?:\[(\w*)\])?(\[3\])?$")


@dataclass
class Parameter:
    const: str
    type: str
    mark: str  # "", "*", "**", "***" or "&"
    name: str
    length: str | None  # the text between brackets, None for no array
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
            # An array of what is written is an array; only char *argv[] has a star of its own.
            star = self.mark if base == "char" else ""
            return f"{self.const}{base} {star}{self.name}[]{self.tail}"
        star = "*" if self.mark == "&" else self.mark
        return f"{self.const}{base} {star}{self.name}"


@dataclass
class Function:
    mark: str
    result: str  # "" for an error code
    name: str
    parameters: list[Parameter]
    large: bool
    base: str  # the name without _c

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


def header(functions: list[Function]) -> str:
    constants = read_constants()
    text = (HERE / "mpi.h.in").read_text()
    lines = []
    for section, entries in constants.items():
        if section == "alias":
            lines += [f"#define MPI_{name} MPI_{target}" for name, target in entries]
            continue
        kind = f"(MPI_{section})" if section in HANDLES else ""
        lines += [f"#define MPI_{name} ({kind}{value})" for name, value in entries]
    prototypes = []
    for prefix in ("MPI_", "PMPI_"):
        prototypes += [f"{f.c_result} {prefix}{f.name}({f.c_parameters()});" for f in functions]
    return text.replace("@CONSTANTS@", "\n".join(lines)).replace("@FUNCTIONS@", "\n".join(prototypes))


def slots(functions: list[Function]) -> str:
    lines = ["#pragma once", '#include "mpi.h"', "namespace osteon::bridge {", "struct slots {"]
    lines += [f"  {f.c_result} (*{f.name})({f.c_parameters()});" for f in functions]
    lines += ["};", f"inline constexpr int slot_count = {len(functions)};", "}  // namespace osteon::bridge", ""]
    return "\n".join(lines)


def front(functions: list[Function]) -> str:
    lines = ['#include "front/front.hpp"', "namespace osteon::bridge {", "slots active;", "namespace {"]
    for f in functions:
        unnamed = ", ".join(p.declaration(f.large) for p in f.parameters) or "void"
        unnamed += ", ..." if f.variadic else ""
        body = f'missing("MPI_{f.name}")' + ("" if f.c_result == "int" else f", ({f.c_result})0")
        ignore = "".join(f"(void){p.name}; " for p in f.parameters)
        lines.append(f"{f.c_result} no_{f.name}({unnamed}) {{ {ignore}return {body}; }}")
    lines += ["}  // namespace", "const slots absent = {"]
    lines += [f"    no_{f.name}," for f in functions]
    lines += ["};", "const char *const slot_names[slot_count] = {"]
    lines += [f'    "{f.name}",' for f in functions]
    lines += ["};", "}  // namespace osteon::bridge", 'extern "C" {']
    for f in functions:
        call = "(void)level; return 0;" if f.variadic else f"return osteon::bridge::active.{f.name}({f.arguments()});"
        lines.append(f"OSTEON_EXPORT {f.c_result} PMPI_{f.name}({f.c_parameters()}) {{ {call} }}")
        lines.append(
            f"OSTEON_EXPORT {f.c_result} MPI_{f.name}({f.c_parameters()}) "
            f'__attribute__((weak, alias("PMPI_{f.name}")));'
        )
    lines += ["}", ""]
    return "\n".join(lines)


def guards(functions: list[Function]) -> str:
    """In a joined job, refuse what has no part in communicators over clusters; those that have replace their guard."""
    lines = ['#include "mixed/world.hpp"', "namespace osteon::bridge {", "namespace {"]
    guarded = []
    for f in functions:
        if f.result or f.name.endswith("_toint"):
            continue
        comms = [p.name for p in f.parameters if p.type == "Comm" and not p.mark]
        groups = [p.name for p in f.parameters if p.type == "Group" and not p.mark]
        if not comms and not groups:
            continue
        guarded.append(f.name)
        checks = [f'if (communicator *c = find({name})) return refuse_mixed(c, "MPI_{f.name}");' for name in comms]
        if groups:
            ignore = " ".join(f"(void){p.name};" for p in f.parameters)
            checks = [f'{ignore} return refuse(MPI_COMM_SELF, "MPI_{f.name} is not supported in a joined job");']
        else:
            checks.append(f"return vendor().{f.name}({f.arguments()});")
        lines.append(f"int guarded_{f.name}({f.c_parameters()}) {{ {' '.join(checks)} }}")
    lines += ["}  // namespace", "void install_guards(slots &s) noexcept {"]
    lines += [f"  s.{name} = guarded_{name};" for name in guarded]
    lines += ["}", "}  // namespace osteon::bridge", ""]
    return "\n".join(lines)


def fortran_constants(modern: bool = False) -> list[str]:
    """For fixed and free form: short lines, nothing continued."""
    lines = []
    for section, entries in read_constants().items():
        if section in ("alias", "Fortran"):
            continue
        for name, value in entries:
            number = int(value, 0)
            if modern and section in HANDLES:
                handle = f"MPI_{section}"
                lines += [f"      TYPE({handle}), PARAMETER :: MPI_{name} = {handle}({number})"]
            else:
                lines += [f"      INTEGER MPI_{name}", f"      PARAMETER (MPI_{name}={number})"]
    fixed = {"STATUS_SIZE": 8, "SOURCE": 1, "TAG": 2, "ERROR": 3, "ADDRESS_KIND": 8, "OFFSET_KIND": 8, "COUNT_KIND": 8}
    for name, value in fixed.items():
        lines += [f"      INTEGER MPI_{name}", f"      PARAMETER (MPI_{name}={value})"]
    lines += ["      INTEGER(KIND=8) MPI_DISPLACEMENT_CURRENT", "      PARAMETER (MPI_DISPLACEMENT_CURRENT=-1)"]
    for name, shape in FORTRAN_ADDRESSES.items():
        if modern and name.startswith("STATUS"):
            lines.append(f"      TYPE(MPI_Status) MPI_{name}{'(1)' if name.startswith('STATUSES') else ''}")
        else:
            lines.append(f"      INTEGER MPI_{name}{shape}")
        lines.append(f"      COMMON /OSTEON_MPI_{name}/ MPI_{name}")
    return lines


def mpif_h() -> str:
    lines = ["! MPI 5.0 standard ABI for Fortran over the bridge, generated from abi/constants.txt."]
    lines += fortran_constants()
    lines += ["      DOUBLE PRECISION MPI_WTIME, MPI_WTICK", "      EXTERNAL MPI_WTIME, MPI_WTICK", ""]
    return "\n".join(lines)


FORTRAN_ADDRESSES = {
    "BOTTOM": "",
    "IN_PLACE": "",
    "STATUS_IGNORE": "(8)",
    "STATUSES_IGNORE": "(8)",
    "UNWEIGHTED": "(1)",
}
FORTRAN_ADDRESSES["ERRCODES_IGNORE"] = "(1)"
FORTRAN_ADDRESSES["WEIGHTS_EMPTY"] = "(1)"
NOT_IN_FORTRAN = (
    "argc",
    "array_of_argv",
    "argv",
    "ranges",
    "array_of_commands",
    "attribute_val",
    "baseptr",
    "buffer_addr",
)


def fortran_entry(f: Function) -> str | None:
    """One function for Fortran, or None where it takes more than converting arguments (callbacks, memory)."""
    before: list[str] = []
    after: list[str] = []
    arguments: list[str] = []
    taken: list[str] = []
    lengths: list[str] = []
    for p in f.parameters:
        c_type = p.c_type(f.large)
        if p.name in NOT_IN_FORTRAN or c_type.startswith("MPI_T_") or c_type.endswith(("_function", "_function_c")):
            return None
        own = f"f_{p.name}"
        if p.type in HANDLES:
            kind = "Type" if p.type == "Datatype" else p.type
            taken.append(f"int *{own}")
            if p.is_array:
                if p.length in ("to", "from"):
                    return None
                converted = f"from_integers<{c_type}, MPI_{kind}_fromint>({own}, *f_{p.length})"
                before.append(f"std::vector<{c_type}> {p.name} = {converted};")
                arguments.append(f"{p.name}.data()")
                if p.mark:
                    after.append(f"to_integers<MPI_{kind}_toint>({p.name}, {own});")
            elif p.mark:
                value = f"MPI_{kind}_fromint(*{own})" if p.mark == "&" else f"MPI_{kind}_fromint(0)"
                before.append(f"{c_type} {p.name} = {value};")
                arguments.append(f"&{p.name}")
                after.append(f"to_integer<MPI_{kind}_toint>({p.name}, {own}, {'true' if p.mark == '&' else 'false'});")
            else:
                arguments.append(f"MPI_{kind}_fromint(*{own})")
        elif p.type == "Status":
            taken.append(f"MPI_Status *{own}")
            arguments.append(f"status_or_ignore({own})")
        elif p.type == "char":
            if p.mark == "**":
                return None
            taken.append(f"char *{own}")
            lengths.append(f"std::size_t n_{p.name}")
            if p.const:
                before.append(f"const std::string {p.name} = trimmed({own}, n_{p.name});")
                arguments.append(f"{p.name}.c_str()")
            else:
                before.append(f"std::vector<char> {p.name}(MPI_MAX_LIBRARY_VERSION_STRING + 1);")
                arguments.append(f"{p.name}.data()")
                after.append(f"padded({p.name}.data(), {own}, n_{p.name});")
        elif p.type == "void" or p.type == "Buf":
            taken.append(f"void *{own}")
            arguments.append(f"address({own})")
        elif p.type == "Weights":
            taken.append(f"int *{own}")
            arguments.append(f"weights({own})")
        elif p.is_pointer:
            taken.append(f"{c_type} *{own}")
            if p.name == "indx" and "any" in f.name:
                after.append(f"if (*{own} != MPI_UNDEFINED) ++*{own};")
            if p.name == "array_of_indices":
                after.append(f"for (int i = 0; i < *f_outcount; ++i) ++{own}[i];")
            arguments.append(own)
        else:
            taken.append(f"{c_type} *{own}")
            arguments.append(f"*{own}")
    name = f"mpi_{f.name.lower()}_"
    if f.result == "double":
        return f"OSTEON_EXPORT double {name}() {{ return MPI_{f.name}(); }}"
    if f.result or f.variadic:
        return None
    listed = ", ".join([*taken, "int *ierror", *lengths])
    call = f"const int error = MPI_{f.name}({', '.join(arguments)}); if (ierror) *ierror = error;"
    return f"OSTEON_EXPORT void {name}({listed}) {{ {' '.join([*before, call, *after])} }}"


def fortran(functions: list[Function]) -> str:
    lines = ['#include "fortran/convert.hpp"', "using namespace osteon::bridge::fortran;", 'extern "C" {']
    by_hand = {*BY_HAND_IN_FORTRAN, "Attr_get"}
    lines += [entry for f in functions if f.name not in by_hand and (entry := fortran_entry(f))]
    return "\n".join([*lines, "}", ""])


LOGICAL = ("flag", "commute", "reorder", "periods", "remain_dims", "high", "is_set", "weighted")
FORTRAN_KINDS = {"MPI_Aint": "MPI_ADDRESS_KIND", "MPI_Offset": "MPI_OFFSET_KIND", "MPI_Count": "MPI_COUNT_KIND"}


def fortran_type(c_type: str, modern: bool) -> str:
    """The type of a scalar; in mpi_f08 handles have types of their own."""
    bare = c_type.removeprefix("MPI_")
    if modern and bare in HANDLES:
        return f"type({c_type})"
    return f"integer(kind={FORTRAN_KINDS[c_type]})" if c_type in FORTRAN_KINDS else "integer"


def fortran_choice(name: str) -> list[str]:
    """A buffer of any type and rank, by its address."""
    return [f"!GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}", f"type(*), dimension(*) :: {name}"]


def fortran_declaration(p: Parameter, large: bool, modern: bool) -> list[str]:
    c_type = p.c_type(large)
    array = ", dimension(*)" if p.is_array or p.type == "Weights" else ""
    if p.type in ("void", "Buf"):
        return fortran_choice(p.name)
    if p.type == "Status" and modern:
        return [f"type(MPI_Status){array} :: {p.name}"]
    if p.type == "Status":
        return [f"integer :: {p.name}({'MPI_STATUS_SIZE, *' if array else 'MPI_STATUS_SIZE'})"]
    if p.type == "char":
        return [f"character(len=*) :: {p.name}"]
    kind = "logical" if p.name in LOGICAL else fortran_type(c_type, modern)
    return [f"{kind}{array} :: {p.name}"]


def fortran_interface(name: str, arguments: list[str], declarations: list[str], modern: bool) -> list[str]:
    listed = ", &\n      ".join([*arguments, "ierror"])
    body = ["import", *declarations, f"integer{', optional' if modern else ''} :: ierror"]
    return [f"subroutine MPI_{name}( &\n      {listed})", *("  " + line for line in body), "end subroutine"]


BY_HAND_IN_FORTRAN = {
    "Init": {},
    "Init_thread": {"required": "int", "provided": "int"},
    "Get_address": {"location": "void", "address": "MPI_Aint"},
    "Comm_get_attr": {"comm": "MPI_Comm", "key": "int", "value": "MPI_Aint", "flag": "flag"},
}


def fortran_interfaces(functions: list[Function], modern: bool) -> list[str]:
    lines = ["interface"]
    for name, parameters in BY_HAND_IN_FORTRAN.items():
        declarations = []
        for own, kind in parameters.items():
            if kind == "void":
                declarations += fortran_choice(own)
            else:
                declarations.append(f"{'logical' if kind == 'flag' else fortran_type(kind, modern)} :: {own}")
        lines += fortran_interface(name, list(parameters), declarations, modern)
    for f in functions:
        if f.name in BY_HAND_IN_FORTRAN or f.name == "Attr_get" or f.result or not fortran_entry(f):
            continue
        declarations = [line for p in f.parameters for line in fortran_declaration(p, f.large, modern)]
        lines += fortran_interface(f.name, [p.name for p in f.parameters], declarations, modern)
    for name in ("Wtime", "Wtick"):
        lines += [f"double precision function MPI_{name}()", "end function"]
    return [*lines, "end interface"]


def mpi_module(functions: list[Function]) -> str:
    """The module mpi: the constants of mpif.h, and an explicit interface of every function that there is."""
    lines = ["! Generated from abi/functions.txt and abi/constants.txt.", "module mpi", "implicit none"]
    lines += [*fortran_constants(), *fortran_interfaces(functions, modern=False)]
    return "\n".join([*lines, "end module mpi", ""])


def mpi_f08_module(functions: list[Function]) -> str:
    """The module mpi_f08: the same functions, with types for handles and statuses; no one need ask for errors."""
    lines = ["! Generated from abi/functions.txt and abi/constants.txt.", "module mpi_f08", "implicit none"]
    for handle in HANDLES:
        lines += [f"type, bind(c) :: MPI_{handle}", "  integer :: MPI_VAL", f"end type MPI_{handle}"]
    lines += ["type, bind(c) :: MPI_Status", "  integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR"]
    lines += ["  integer :: MPI_internal(5)"]
    lines += ["end type MPI_Status", *fortran_constants(modern=True)]
    for operator, joined in (("==", "same"), ("/=", "other")):
        lines += [f"interface operator({operator})", *(f"  procedure {joined}_{h}" for h in HANDLES), "end interface"]
    lines += [*fortran_interfaces(functions, modern=True), "contains"]
    for handle in HANDLES:
        for operator, joined in (("==", "same"), ("/=", "other")):
            lines += [
                f"elemental logical function {joined}_{handle}(a, b)",
                f"  type(MPI_{handle}), intent(in) :: a, b",
                f"  {joined}_{handle} = a%MPI_VAL {operator} b%MPI_VAL",
                "end function",
            ]
    return "\n".join([*lines, "end module mpi_f08", ""])


class Conversion:
    """The body of one converting function: statements before and after the vendor's call, and its arguments."""

    def __init__(self, function: Function, narrow: bool):
        self.function = function
        self.narrow = narrow
        self.before: list[str] = []
        self.arguments: list[str] = []
        self.after: list[str] = []  # when the call succeeded
        self.always: list[str] = []  # written back whatever the result
        for parameter in function.parameters:
            self.add(parameter)

    def add(self, p: Parameter) -> None:
        if p.type in HANDLES:
            self.handle(p)
        elif p.type == "Status":
            self.status(p)
        elif p.type in CONVERTED:
            self.constant(p)
        elif p.type in ("Buf", "Weights"):
            self.arguments.append(f"{p.type.lower()}_in({p.name})")
        elif p.name == "disp" and self.function.name == "File_set_view":
            self.arguments.append("displacement_in(disp)")
        elif p.name == "obj_handle":
            self.before.append("if (obj_handle) return t_err_not_supported;")
            self.arguments.append("nullptr")
        elif p.name == "array_of_partitions":
            self.arguments.append(f"const_cast<int *>({p.name})")  # not const in MPICH 4.0
        elif p.type == "WIDE" and p.mark and self.narrow:
            self.arguments.append(f"reinterpret_cast<MPI_Aint *>({p.name})")  # as wide as MPI_Count
        elif p.name == "position" and self.narrow:
            self.before.append(f"int v_{p.name} = static_cast<int>(*{p.name});")
            self.arguments.append(f"&v_{p.name}")
            self.after.append(f"*{p.name} = v_{p.name};")
        elif self.narrow and p.type in ("NUM", "DISP") and not p.is_array:
            if p.mark:
                self.before.append(f"int v_{p.name} = 0;")
                self.arguments.append(f"&v_{p.name}")
                self.after.append(f"*{p.name} = v_{p.name};")
            else:
                self.before.append(f"if ({p.name} != static_cast<int>({p.name})) return err_value_too_large;")
                self.arguments.append(f"static_cast<int>({p.name})")
        elif p.type.startswith("MPI_T_"):
            self.arguments.append(f"t_{p.type[6:]}{'_out' if p.mark else ''}({p.name})")
        else:
            self.arguments.append(p.name)

    def handle(self, p: Parameter) -> None:
        vendor = "MPI_" + p.type
        local = "v_" + p.name
        kind = f"handle::{p.type}"
        if p.is_array:
            length = p.length
            persistent = self.function.name.startswith("I") or self.function.base.endswith("_init")
            if length in ("to", "from"):
                in_place = " && sendbuf != in_place" if length == "to" else ""
                neighbor = "eighbor" in self.function.name
                length = f"{'neighbors' if neighbor else 'peers'}_{length}(comm)"
                length = f"({length}){in_place}" if not in_place else f"(sendbuf == in_place ? 0 : {length})"
            if p.const and persistent:
                self.arguments.append(f"kept<{vendor}>({p.name}, {length})")
                return
            self.before.append(f"handles<{vendor}> {local}({p.name}, {length});")
            self.arguments.append(f"{local}.data()")
            if p.mark == "&":
                self.always.append(f"{local}.write_back<{kind}>({p.name});")
            return
        if not p.mark:
            self.arguments.append(f"in<{vendor}>({p.name})")
            return
        if p.mark == "&":
            self.before.append(f"{vendor} {local} = in<{vendor}>(*{p.name});")
            self.always.append(f"*{p.name} = out<{kind}>({local});")
        else:
            self.before.append(f"{vendor} {local}{{}};")
            guard = f"if ({p.name}) " if self.function.name.startswith("T_") else ""
            self.after.append(f"{guard}*{p.name} = out<{kind}>({local});")
        self.arguments.append(f"&{local}")

    def status(self, p: Parameter) -> None:
        local = "v_" + p.name
        if p.const:
            self.before.append(f"MPI_Status {local} = status_in(*{p.name});")
            self.arguments.append(f"&{local}")
        elif p.is_array:
            done = ", outcount" if "some" in self.function.name else ""
            self.before.append(f"statuses {local}({p.name}, {p.length});")
            self.arguments.append(f"{local}.data()")
            self.always.append(f"{local}.write_back({p.name}{done});")
        elif p.mark == "&":
            self.before.append(f"MPI_Status {local} = status_in(*{p.name});")
            self.arguments.append(f"&{local}")
            self.after.append(f"status_out({local}, {p.name});")
        else:
            self.before.append(f"MPI_Status {local};")
            self.arguments.append(f"{p.name} ? &{local} : MPI_STATUS_IGNORE")
            done = " && *flag" if any(q.name == "flag" for q in self.function.parameters) else ""
            self.always.append(f"if ({p.name}{done}) status_out({local}, {p.name});")

    def constant(self, p: Parameter) -> None:
        kind = p.type.lower()
        if p.is_array:
            if p.mark:
                self.arguments.append(p.name)
                self.after.append(f"for (int i = 0; i < {p.length}; ++i) {p.name}[i] = {kind}_out({p.name}[i]);")
            else:
                self.before.append(f"integers v_{p.name}({p.name}, {p.length}, {kind}_in);")
                self.arguments.append(f"v_{p.name}.data()")
        elif not p.mark:
            self.arguments.append(f"{kind}_in({p.name})")
        elif p.mark == "&":
            self.before.append(f"int v_{p.name} = {kind}_in(*{p.name});")
            self.arguments.append(f"&v_{p.name}")
            self.after.append(f"*{p.name} = {kind}_out(v_{p.name});")
        else:
            self.before.append(f"int v_{p.name} = 0;")
            self.arguments.append(f"&v_{p.name}")
            made = "_new" if self.function.name.startswith("Add_error") else "_out"
            self.after.append(f"if ({p.name}) *{p.name} = {kind}{made}(v_{p.name});")

    def text(self) -> str:
        f = self.function
        called = f.base if self.narrow else f.name
        call = f"MPI_{called}({', '.join(self.arguments)})"
        head = f"{adapter_type(f.c_result)} to_{f.name}({adapter_parameters(f)}) {{"
        if f.result:
            return f"{head} return {call}; }}"
        body = [*self.before, f"const int e = {call};", *self.always]
        if self.after:
            body.append(f"if (e == MPI_SUCCESS) {{ {' '.join(self.after)} }}")
        returned = "t_code(e)" if f.name.startswith("T_") else "code_result(e)"
        return f"{head} {' '.join(body)} return {returned}; }}"


def adapter_type(c_type: str) -> str:
    """The types of the standard ABI by other names, because mpi.h is the vendor's in an adapter."""
    bare = c_type.removeprefix("MPI_")
    if bare in HANDLES:
        return "abi_handle"
    return {"Status": "abi_status"}.get(bare, c_type)


def adapter_parameters(f: Function) -> str:
    listed = []
    for p in f.parameters:
        text = p.declaration(f.large)
        for name in [*HANDLES, "Status"]:
            text = re.sub(rf"\bMPI_{name}\b", adapter_type("MPI_" + name), text)
        listed.append(text)
    return ", ".join(listed)


def adapter(functions: list[Function], vendor: str) -> str:
    def has(name: str) -> bool:
        return re.search(rf"\bMPI_{name}\b", vendor) is not None

    def has_function(name: str) -> bool:
        return re.search(rf"\bMPI_{name}\s*\(", vendor) is not None

    lines = ["// Generated from abi/functions.txt and abi/constants.txt."]
    constants = read_constants()
    lines.append("void fill_predefined() {")
    for kind in HANDLES:
        lines += [
            f"  predefine(handle::{kind}, {value}, raw(MPI_{name}));" for name, value in constants[kind] if has(name)
        ]
    lines.append("}")
    for kind in [*sorted(CONVERTED - {"Rank", "Tag", "Keyval", "Code"}), "WinFlavor", "WinModel"]:
        entries = [(name, value) for name, value in constants[kind] if has(name)]
        low = kind.lower()
        for direction, pairs in (
            ("in", [(value, f"MPI_{name}") for name, value in entries]),
            ("out", [(f"MPI_{name}", value) for name, value in entries]),
        ):
            unused = "[[maybe_unused]] "
            if kind in BITS:
                terms = " | ".join(f"((v & {a}) ? {b} : 0)" for a, b in pairs)
                lines.append(f"{unused}int {low}_{direction}(int v) {{ return {terms}; }}")
            else:
                cases = " ".join(f"case {a}: return {b};" for a, b in pairs)
                lines.append(f"{unused}int {low}_{direction}(int v) {{ switch (v) {{ {cases} default: return v; }} }}")
    lines += [f"#define VENDOR_HAS_{f.name} 1" for f in functions if f.mark == "!" and has_function(f.name)]
    for kind in ("Code", "Keyval"):
        entries = [f"{{{value}, MPI_{name}}}" for name, value in constants[kind] if has(name)]
        lines.append(f"constexpr int {kind.lower()}_pairs[][2] = {{{', '.join(entries)}}};")
    table = []
    for f in functions:
        available = has_function(f.name)
        scalar = all(not (p.is_array and p.type in POLYMORPHIC) for p in f.parameters)
        narrow = f.large and not available and has_function(f.base) and scalar
        if f.mark == "!" and has_function(f.name):
            table.append(f"    reinterpret_cast<void *>(by_hand_{f.name}),  // {f.name}")
        elif f.mark == " " and (available or narrow):
            lines.append(Conversion(f, narrow).text())
            table.append(f"    reinterpret_cast<void *>(to_{f.name}),  // {f.name}")
        else:
            table.append(f"    nullptr,  // {f.name}")
    lines.append("@TABLE@")
    lines.append("void *const table[] = {")
    return "\n".join([*lines, *table, "};", ""])


def main() -> int:
    what, out = sys.argv[1], Path(sys.argv[-1])
    functions = read_functions()
    if what == "adapter":
        text = adapter(functions, Path(sys.argv[2]).read_text(errors="replace"))
        conversions, table = text.split("@TABLE@\n")
        out.with_suffix(".table.inc").write_text(table)
        out.write_text(conversions)
        return 0
    if what == "mpif":
        out.write_text(mpif_h())
        return 0
    writers = {
        "header": header,
        "slots": slots,
        "front": front,
        "guards": guards,
        "fortran": fortran,
        "module": mpi_module,
        "f08": mpi_f08_module,
    }
    out.write_text(writers[what](functions))
    return 0


if __name__ == "__main__":
    sys.exit(main())
