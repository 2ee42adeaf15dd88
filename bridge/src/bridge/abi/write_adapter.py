"""Generate the conversions between the standard ABI and the values of one vendor."""

import re

from tables import BITS, CONVERTED, HANDLES, POLYMORPHIC, Function, Parameter, read_constants


class Conversion:
    """The body of one converting function. The body consists of statements before and after the call of the vendor, and
    of the arguments of this call."""

    def __init__(self, function: Function, narrow: bool):
        self.function = function
        self.narrow = narrow
        self.before: list[str] = []
        self.arguments: list[str] = []
        self.after: list[str] = []  # statements after a successful call
        self.always: list[str] = []  # statements that write values back after any result
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
            self.arguments.append(f"const_cast<int *>({p.name})")  # in MPICH 4.0, the parameter is not const
        elif p.type == "WIDE" and p.mark and self.narrow:
            self.arguments.append(f"reinterpret_cast<MPI_Aint *>({p.name})")  # MPI_Aint has the same size as MPI_Count
        elif p.name == "position" and self.narrow:
            self.pass_address(p, f"int v_{p.name} = static_cast<int>(*{p.name});", f"*{p.name} = v_{p.name};")
        elif self.narrow and p.type in ("NUM", "DISP") and not p.is_array:
            if p.mark:
                self.pass_address(p, f"int v_{p.name} = 0;", f"*{p.name} = v_{p.name};")
            else:
                self.before.append(f"if ({p.name} != static_cast<int>({p.name})) return err_value_too_large;")
                self.arguments.append(f"static_cast<int>({p.name})")
        elif p.type.startswith("MPI_T_"):
            self.arguments.append(f"t_{p.type[6:]}{'_out' if p.mark else ''}({p.name})")
        else:
            self.arguments.append(p.name)

    def pass_copies(self, p: Parameter, declaration: str, write_back: str = "") -> None:
        """Pass an array as an object with converted elements. The elements are written back after any result."""
        self.before.append(declaration)
        self.arguments.append(f"v_{p.name}.data()")
        if write_back:
            self.always.append(f"v_{p.name}.{write_back};")

    def pass_address(self, p: Parameter, declaration: str, given_back: str) -> None:
        """Pass a single value as a variable. The variable is written back after a successful call."""
        self.before.append(declaration)
        self.arguments.append(f"&v_{p.name}")
        self.after.append(given_back)

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
            back = f"write_back<{kind}>({p.name})" if p.mark == "&" else ""
            self.pass_copies(p, f"handles<{vendor}> {local}({p.name}, {length});", back)
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
            self.pass_copies(p, f"statuses {local}({p.name}, {p.length});", f"write_back({p.name}{done})")
        elif p.mark == "&":
            self.pass_address(p, f"MPI_Status {local} = status_in(*{p.name});", f"status_out({local}, {p.name});")
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
                self.pass_copies(p, f"integers v_{p.name}({p.name}, {p.length}, {kind}_in);")
        elif not p.mark:
            self.arguments.append(f"{kind}_in({p.name})")
        elif p.mark == "&":
            self.pass_address(p, f"int v_{p.name} = {kind}_in(*{p.name});", f"*{p.name} = {kind}_out(v_{p.name});")
        else:
            made = "_new" if self.function.name.startswith("Add_error") else "_out"
            self.pass_address(p, f"int v_{p.name} = 0;", f"if ({p.name}) *{p.name} = {kind}{made}(v_{p.name});")

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
    """Return the types of the standard ABI under other names, because an adapter also includes the mpi.h of the
    vendor."""
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
        # such functions need only MPI_Op_create
        if f.mark == "!" and (has_function(f.name) or f.name == "Op_create_c"):
            table.append(f"    reinterpret_cast<void *>(custom_{f.name}),  // {f.name}")
        elif f.mark == " " and (available or narrow):
            lines.append(Conversion(f, narrow).text())
            table.append(f"    reinterpret_cast<void *>(to_{f.name}),  // {f.name}")
        else:
            table.append(f"    nullptr,  // {f.name}")
    lines.append("@TABLE@")
    lines.append("void *const table[] = {")
    return "\n".join([*lines, *table, "};", ""])
