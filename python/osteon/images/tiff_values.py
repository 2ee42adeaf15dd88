"""Grey values of a TIFF's stored samples: ImageJ's calibration function, or the inversion of WhiteIsZero."""

from dataclasses import dataclass, field

import numpy as np

from ..errors import DataError

WHITE_IS_ZERO = 0  # PhotometricInterpretation
POLYNOMIALS = (0, 1, 2, 3)  # ImageJ's functions of degree 1 to 4; other functions convert to optical density
NO_FUNCTION = 20


@dataclass
class GreyScale:
    """Conversion from stored samples to grey values.

    A grey value is a polynomial of the stored sample; `coefficients` start with degree 0. None: the identity.
    """

    dtype: np.dtype  # type of the grey values
    coefficients: list[float] | None = None
    unit: str | None = None
    warnings: list[str] = field(default_factory=list)

    @property
    def facts(self) -> dict[str, object]:
        return {"unit": self.unit} if self.unit else {}

    def __call__(self, stored: np.ndarray) -> np.ndarray:
        if self.coefficients is None:
            return stored
        if self.dtype.kind in "iu":
            shift, slope = (int(c) for c in self.coefficients)
            return (stored.astype(np.int64) * slope + shift).astype(self.dtype)
        return np.polynomial.polynomial.polyval(stored.astype("f8"), self.coefficients).astype(self.dtype)


def grey_scale(file, page, path: object) -> GreyScale:
    """Return the grey scale of a page (a tifffile page) and of all equal pages.

    @throws DataError for a calibration function that is not supported, or coefficients that are not finite
    """
    page = page.keyframe
    kind = np.dtype(page.dtype)
    meta = (file.imagej_metadata or {}) if file.is_imagej else {}
    function = meta.get("cf", NO_FUNCTION)
    if function != NO_FUNCTION and not (kind.kind in "ui" and kind.itemsize <= 2):
        warning = f"'{path}' states a calibration function for {kind.name} values; it is not applied, as in ImageJ"
        return GreyScale(kind, warnings=[warning])
    if function != NO_FUNCTION:
        return _calibrated(meta, function, page, kind, path)
    if page.photometric != WHITE_IS_ZERO:
        return GreyScale(kind)
    return _inverted(page, kind, path)


def _calibrated(meta: dict, function: object, page, kind: np.dtype, path: object) -> GreyScale:
    if function not in POLYNOMIALS:
        raise DataError(
            f"'{path}' has ImageJ's calibration function {function}; supported are the polynomials "
            f"{', '.join(map(str, POLYNOMIALS))}: apply it by Image > Type > 32-bit in ImageJ and save the image again"
        )
    try:
        coefficients = [float(meta[f"c{i}"]) for i in range(int(function) + 2)]
    except (KeyError, TypeError, ValueError):
        coefficients = []
    if not coefficients or not np.isfinite(coefficients).all() or not any(coefficients[1:]):
        raise DataError(
            f"'{path}' has ImageJ's calibration function {function} without its {int(function) + 2} coefficients "
            "(finite, not all 0): calibrate the image again in ImageJ"
        )
    unit = str(meta.get("vunit", "")).strip()
    unit = "" if unit.lower() in ("", "gray value", "grey value") else unit
    shown = " + ".join(f"{c:g}{('', ' v')[i > 0]}{f'^{i}' if i > 1 else ''}" for i, c in enumerate(coefficients))
    warnings = []
    if coefficients != [-32768.0, 1.0]:  # ImageJ's form of signed 16-bit values
        warnings = [
            f"'{path}' states a calibration function, which is applied as in ImageJ: {shown} of a stored value v"
        ]
    if page.photometric == WHITE_IS_ZERO:
        warnings.append(
            f"'{path}' is calibrated and WhiteIsZero; its values are calibrated and not inverted, as in ImageJ"
        )
    return GreyScale(_type_of(coefficients, kind), coefficients, unit or None, warnings)


def _type_of(coefficients: list[float], kind: np.dtype) -> np.dtype:
    """Return an integer type for integer values; otherwise 32-bit floats, as in ImageJ."""
    if len(coefficients) != 2 or not all(c.is_integer() and abs(c) < 2**31 for c in coefficients):
        return np.dtype("f4")
    limits = np.iinfo(kind)
    ends = [int(coefficients[1]) * int(v) + int(coefficients[0]) for v in (limits.min, limits.max)]
    for name in ("u1", "i1", "u2", "i2", "i4"):
        if np.iinfo(name).min <= min(ends) and max(ends) <= np.iinfo(name).max:
            return np.dtype(name)
    return np.dtype("f4")


def _inverted(page, kind: np.dtype, path: object) -> GreyScale:
    if kind.kind == "b":
        return GreyScale(np.dtype("u1"), [1.0, -1.0], warnings=[_inversion_warning(path, "1 - v")])
    if kind.kind != "u":
        warning = f"'{path}' is WhiteIsZero with {kind.name} values, whose type has no maximum for the inversion; they "
        return GreyScale(kind, warnings=[warning + "are used as stored"])
    largest = 2 ** int(page.bitspersample) - 1
    return GreyScale(kind, [float(largest), -1.0], warnings=[_inversion_warning(path, f"{largest} - v")])


def _inversion_warning(path: object, formula: str) -> str:
    return (
        f"'{path}' is WhiteIsZero, so its values are inverted ({formula} of a stored value v); ImageJ shows the stored "
        "values of such a file"
    )
