"""Atomic replacement of files, and use of HDF5 without locks."""
