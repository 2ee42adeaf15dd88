"""Import modules by their old paths. The import issues a DeprecationWarning. The old paths are available for one more
release."""

import importlib
import sys
import warnings
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

FOLDERS = {
    "calls": (
        "api", "arguments", "copied_fields", "image_array", "in_process", "of_image", "one_frame", "progress",
        "properties", "result", "shape", "version",
    ),
    "files": ("hdf5_locks", "replace_file"),
    "processes": ("child_process", "container_limits", "installed_program", "native_module"),
}  # fmt: skip
PACKAGE = __name__.partition(".")[0]
MOVED = {f"{PACKAGE}.{name}": f"{PACKAGE}.{folder}.{name}" for folder, names in FOLDERS.items() for name in names}


class _Moved(Loader):
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        path = MOVED[spec.name]
        warnings.warn(f"{spec.name} is deprecated: import {path}", DeprecationWarning, stacklevel=2)
        self.module = importlib.import_module(path)
        self.spec = self.module.__spec__
        return self.module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self.spec  # the import has replaced the spec by the spec of the new path


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(fullname, _Moved()) if fullname in MOVED else None


def keep_earlier_paths() -> None:
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.append(_Finder())
