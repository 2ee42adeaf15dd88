// Has nothing of its own: what precompiles the test framework needs a source.
