"""The program and the module of C++ that calls start: where they are, their variables, cores and memory."""
