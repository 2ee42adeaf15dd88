"""The program osteon and the native module: paths, environment, cores and memory."""
