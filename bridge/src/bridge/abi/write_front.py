"""Generate the C interface, libmpi_abi.so.1. The interface consists of the header, slots, functions, and guards of
joined jobs."""

from tables import HANDLES, HERE, Function, read_constants


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
    lines = ["#include <bridge/front/front.hpp>", "namespace osteon::bridge {", "slots active;", "namespace {"]
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
    """Return the guards. In a joined job, a guard reports an error for a function that has no version for communicators
    over clusters."""
    lines = ["#include <bridge/inter_cluster/world.hpp>", "namespace osteon::bridge {", "namespace {"]
    guarded = []
    for f in functions:
        if f.result or f.name.endswith("_toint"):
            continue
        comms = [p.name for p in f.parameters if p.type == "Comm" and not p.mark]
        groups = [p.name for p in f.parameters if p.type == "Group" and not p.mark]
        if not comms and not groups:
            continue
        guarded.append(f.name)
        checks = [
            f'if (communicator *c = find({name})) return refuse_over_clusters(c, "MPI_{f.name}");' for name in comms
        ]
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
