"""Atomic replacement of files, and HDF5 without locks."""
