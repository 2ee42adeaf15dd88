"""Images of all formats as arrays: readers, steps before the threshold, and inspection of headers."""
