"""Generate the Fortran interface. The interface consists of mpif.h, its functions, and the modules mpi and mpi_f08."""

from tables import HANDLES, Function, Parameter, read_constants

FORTRAN_ADDRESSES = {
    "BOTTOM": "",
    "IN_PLACE": "",
    "STATUS_IGNORE": "(8)",
    "STATUSES_IGNORE": "(8)",
    "UNWEIGHTED": "(1)",
    "ERRCODES_IGNORE": "(1)",
    "WEIGHTS_EMPTY": "(1)",
}


def fortran_constants(modern: bool = False) -> list[str]:
    """Return constants for the fixed and the free form. The lines are short and have no continuation."""
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
    """Return one function for Fortran. If the function needs more than converted arguments (callbacks, memory), the
    result is None."""
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
    lines = ["#include <bridge/fortran/convert.hpp>", "using namespace osteon::bridge::fortran;", 'extern "C" {']
    by_hand = {*BY_HAND_IN_FORTRAN, "Attr_get"}
    lines += [entry for f in functions if f.name not in by_hand and (entry := fortran_entry(f))]
    return "\n".join([*lines, "}", ""])


LOGICAL = ("flag", "commute", "reorder", "periods", "remain_dims", "high", "is_set", "weighted")
FORTRAN_KINDS = {"MPI_Aint": "MPI_ADDRESS_KIND", "MPI_Offset": "MPI_OFFSET_KIND", "MPI_Count": "MPI_COUNT_KIND"}


def fortran_type(c_type: str, modern: bool) -> str:
    """Return the type of a scalar. In mpi_f08, each kind of handle has a type of its own."""
    bare = c_type.removeprefix("MPI_")
    if modern and bare in HANDLES:
        return f"type({c_type})"
    return f"integer(kind={FORTRAN_KINDS[c_type]})" if c_type in FORTRAN_KINDS else "integer"


def fortran_choice(name: str) -> list[str]:
    """Declare a buffer of any type and rank. The buffer is passed by its address."""
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


def mpif_h(_: list[Function]) -> str:
    lines = ["! MPI 5.0 standard ABI for Fortran over the bridge, generated from abi/constants.txt."]
    lines += fortran_constants()
    lines += ["      DOUBLE PRECISION MPI_WTIME, MPI_WTICK", "      EXTERNAL MPI_WTIME, MPI_WTICK", ""]
    return "\n".join(lines)


def mpi_module(functions: list[Function]) -> str:
    """Return the module mpi. The module contains the constants of mpif.h, and an explicit interface of every available
    function."""
    lines = ["! Generated from abi/functions.txt and abi/constants.txt.", "module mpi", "implicit none"]
    lines += [*fortran_constants(), *fortran_interfaces(functions, modern=False)]
    return "\n".join([*lines, "end module mpi", ""])


def mpi_f08_module(functions: list[Function]) -> str:
    """Return the module mpi_f08. The module contains the functions of the module mpi, with types for handles and
    statuses, and with an optional error argument."""
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
