"""Fields that are independent of the file or solution they were read from."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from ..results.result_fields import Field


class CopiedFields(Mapping[str, "np.ndarray"]):
    """Fields by name in memory. The fields belong to a result that was copied or sent to another process."""

    def __init__(self, fields: "dict[str, Field]") -> None:
        self._fields = fields

    def field(self, name: str) -> "Field":
        """Return the field with its unit and its location."""
        if name not in self._fields:
            raise KeyError(f"no field '{name}'; available: {', '.join(self._fields)}")
        return self._fields[name]

    def __getitem__(self, name: str) -> "np.ndarray":
        return self.field(name).values

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __repr__(self) -> str:
        return f"<fields {', '.join(self)} in memory>"


def copied(fields: Any) -> Any:
    """Read fields of any kind into memory. A mapping of plain arrays is returned unchanged."""
    if not hasattr(fields, "field"):
        return fields
    return CopiedFields({name: fields.field(name) for name in fields})
