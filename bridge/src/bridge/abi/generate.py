#!/usr/bin/env python3
"""Generate code from the tables of MPI functions and constants.

generate.py header OUT                mpi.h of the standard ABI
generate.py slots OUT                 struct osteon::bridge::slots, one pointer a function
generate.py module OUT                the Fortran module mpi (f08: mpi_f08; mpif: mpif.h; fortran: their common
functions)
generate.py front OUT                 MPI_X and PMPI_X, which jump to the slot of X, and answers for a missing X
generate.py adapter VENDOR OUT        conversions for the vendor whose preprocessed mpi.h (-E -dD) is the file VENDOR
"""

import sys
from pathlib import Path

from tables import read_functions
from write_adapter import adapter
from write_fortran import fortran, mpi_f08_module, mpi_module, mpif_h
from write_front import front, guards, header, slots


def main() -> int:
    what, out = sys.argv[1], Path(sys.argv[-1])
    functions = read_functions()
    if what == "adapter":
        text = adapter(functions, Path(sys.argv[2]).read_text(errors="replace"))
        conversions, table = text.split("@TABLE@\n")
        out.with_suffix(".table.inc").write_text(table)
        out.write_text(conversions)
        return 0
    writers = {
        "header": header,
        "slots": slots,
        "front": front,
        "guards": guards,
        "fortran": fortran,
        "mpif": mpif_h,
        "module": mpi_module,
        "f08": mpi_f08_module,
    }
    out.write_text(writers[what](functions))
    return 0


if __name__ == "__main__":
    sys.exit(main())
