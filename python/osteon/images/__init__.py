"""Images of all formats, as arrays: readers, steps before the threshold, what a look at one tells."""
