"""Units of length that image files name, in mm."""

_MM = {
    "m": 1000.0,
    "meter": 1000.0,
    "metre": 1000.0,
    "cm": 10.0,
    "mm": 1.0,
    "millimeter": 1.0,
    "millimetre": 1.0,
    "um": 1e-3,
    "µm": 1e-3,  # the micro sign
    "μm": 1e-3,  # the Greek letter
    "\\u00b5m": 1e-3,  # as ImageJ writes it
    "micron": 1e-3,
    "microns": 1e-3,
    "micrometer": 1e-3,
    "micrometre": 1e-3,
    "nm": 1e-6,
}


def in_mm(unit: object) -> float | None:
    """Length of a unit in mm, or None if it is none ("", "pixel") or an inch, which stands for dots per inch."""
    return _MM.get(str(unit).strip().lower())
