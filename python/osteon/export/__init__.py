"""Export of results to formats of other programs."""
