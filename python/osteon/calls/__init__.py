"""Calls from Python. The package runs jobs on arrays and files, returns their results, and measures the shape of a
solid."""
