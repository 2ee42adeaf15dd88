#!/usr/bin/env python3
"""Start measurements: all of them, or bench/NAME.py with its options.

./run bench            all of them
./run bench --help     their list
./run bench NAME ...   runs bench/NAME.py with the remaining arguments
"""

import ast
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def available() -> dict[str, str]:
    """Return the first line of the docstring of each measurement by its name."""
    found = {}
    for path in sorted(HERE.glob("*.py")):
        # files with parts of measurements or with models
        if path.name == "run.py" or path.name.startswith(("_", "make_")):
            continue
        doc = ast.get_docstring(ast.parse(path.read_text())) or ""
        found[path.stem] = doc.splitlines()[0] if doc else ""
    return found


def main(arguments: list[str]) -> int:
    benches = available()
    if not arguments:
        return max(
            subprocess.run([sys.executable, str(HERE / f"{name}.py")], check=False).returncode for name in benches
        )
    if arguments[0] in ("-h", "--help"):
        print("Measurements (./run bench NAME):")
        for name, line in benches.items():
            print(f"  {name:<12} {line}")
        return 0
    name = arguments[0]
    if name not in benches:
        print(f"bench: unknown measurement '{name}'; known: {', '.join(benches)}", file=sys.stderr)
        return 2
    os.execv(sys.executable, [sys.executable, str(HERE / f"{name}.py"), *arguments[1:]])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
