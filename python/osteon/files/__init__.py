"""Files that replace others as a whole, and HDF5 without locks."""
