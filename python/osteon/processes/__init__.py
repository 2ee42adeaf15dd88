"""The osteon program and the native module: their paths, environment, cores and memory."""
