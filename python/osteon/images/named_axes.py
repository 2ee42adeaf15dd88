"""Order of the named axes of a TIFF series or an HDF5 array."""

from ..errors import DataError

# A scan has length 1 along these axes.
NAMES = {"t": "time", "c": "channels"}


def order_of_axes(names: str, shape: tuple[int, ...], source: object, remedy: str) -> tuple[int, int, int] | None:
    """Return the indices of the axes z, y and x; None if the names do not determine these axes; the order is then z, y,
    x.

    @param names a letter for each axis; letters other than x, y, z, t and c are unknown, and one unknown axis may be z
    @throws DataError for more than one time or channel, or a further axis longer than 1
    """
    names = names.lower()
    if len(names) != len(shape):
        return None
    for name, count in zip(names, shape, strict=True):
        if name in NAMES and count != 1:
            raise DataError(f"'{source}' has the axes {_axes_text(names, shape)}, so {count} {NAMES[name]}; {remedy}")
    if names.count("x") != 1 or names.count("y") != 1:
        return None
    long = [i for i, name in enumerate(names) if name not in "xyz" and shape[i] != 1]
    rest = (
        [i for i, name in enumerate(names) if name == "z"]
        or long
        or [i for i in range(len(names)) if names[i] not in "xy"]
    )
    if not rest or len({*rest[:1], *long}) > 1:
        return None  # a single slice, or four axes, which the check of the shape rejects
    return rest[0], names.index("y"), names.index("x")


def _axes_text(names: str, shape: tuple[int, ...]) -> str:
    return ", ".join(f"{name.upper()} ({count})" for name, count in zip(names, shape, strict=True))


def is_in_order(order: tuple[int, int, int] | None, shape: tuple[int, ...]) -> bool:
    """Return True if the order of the file is z, y, x."""
    if order is None:
        return True
    lengthy = [i for i in order if shape[i] != 1]
    return lengthy == sorted(lengthy)


def arranged(values, order: tuple[int, int, int]):
    """Transpose an array to the order z, y, x. All other axes have length 1."""
    others = [i for i in range(values.ndim) if i not in order]
    return values.transpose(*others, *order).reshape([values.shape[i] for i in order])


def three_of(order: tuple[int, int, int] | None, shape: tuple[int, ...]) -> list[int]:
    """Return the indices of the axes z, y and x. Without an order, leading axes of length 1 are omitted, as in
    three_axes()."""
    axes = list(order or range(len(shape)))
    while len(axes) > 3:
        axes.remove(next(a for a in axes if shape[a] == 1))
    return axes
