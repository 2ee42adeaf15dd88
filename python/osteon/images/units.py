"""Units of length in image files, in mm."""

_SINGULAR = {
    "m": 1000.0,
    "meter": 1000.0,
    "metre": 1000.0,
    "cm": 10.0,
    "centimeter": 10.0,
    "centimetre": 10.0,
    "mm": 1.0,
    "millimeter": 1.0,
    "millimetre": 1.0,
    "um": 1e-3,
    "µm": 1e-3,  # the micro sign
    "μm": 1e-3,  # the Greek letter
    "\\u00b5m": 1e-3,  # notation of ImageJ
    "micron": 1e-3,
    "micrometer": 1e-3,
    "micrometre": 1e-3,
    "nm": 1e-6,
    "nanometer": 1e-6,
    "nanometre": 1e-6,
    "pm": 1e-9,
    "picometer": 1e-9,
    "picometre": 1e-9,
    "å": 1e-7,
    "angstrom": 1e-7,
    "ångström": 1e-7,
}
_MM = _SINGULAR | {f"{name}s": mm for name, mm in _SINGULAR.items() if len(name) > 3 and name.isalpha()}

# Prefixes of the metre in OME's model. The symbols are case-sensitive; "Mm" is a megametre.
_PREFIXES = {
    "Y": 24, "Z": 21, "E": 18, "P": 15, "T": 12, "G": 9, "M": 6, "k": 3, "h": 2, "da": 1, "": 0, "d": -1, "c": -2,
    "m": -3, "µ": -6, "μ": -6, "u": -6, "n": -9, "p": -12, "f": -15, "a": -18, "z": -21, "y": -24,
}  # fmt: skip
_OME = {f"{prefix}m": 10.0 ** (power + 3) for prefix, power in _PREFIXES.items()}
_OME |= {"Å": 1e-7, "thou": 0.0254, "li": 25.4 / 12, "in": 25.4, "ft": 304.8, "yd": 914.4, "mi": 1609344.0}
_OME |= {"pt": 25.4 / 72}


def in_mm(unit: object) -> float | None:
    """Return the length of a unit in mm, or None for no unit ("", "pixel"). Return None also for an inch, because an
    inch indicates dots per inch."""
    return _MM.get(str(unit).strip().lower())


def ome_in_mm(unit: object) -> float | None:
    """Return the length of a unit of OME's model (UnitsLength) in mm; None for "pixel", "reference frame" and
    others."""
    return _OME.get(str(unit).strip(), in_mm(unit))
