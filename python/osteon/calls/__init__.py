"""Calls from Python: jobs of arrays and files, their results and the shape of a solid."""
