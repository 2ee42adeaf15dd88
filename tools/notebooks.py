#!/usr/bin/env python3
"""Write the notebooks of examples/notebooks without outputs. Each notebook is written from the Python file of the same
name.

    .venv-docs/bin/python tools/notebooks.py            (./run docs makes .venv-docs)
    .venv-docs/bin/python tools/notebooks.py --check    fail if one differs

The Python file is the source. This file runs by itself, and in the tests. Jupyter opens the notebook.
"""

import sys
from pathlib import Path

import jupytext
import nbformat

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "notebooks"


def notebook_of(source: Path) -> str:
    notebook = jupytext.read(source, fmt="py:percent")
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"  # without this line, the id is random and different in each file
        cell["metadata"] = {}
    notebook["metadata"] = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return nbformat.writes(notebook, version=4) + "\n"


def main() -> int:
    stale = []
    for source in sorted(FOLDER.glob("*.py")):
        target, text = source.with_suffix(".ipynb"), notebook_of(source)
        if target.exists() and target.read_text(encoding="utf-8") == text:
            continue
        stale.append(target.name)
        if "--check" not in sys.argv:
            target.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv:
        print(f"outdated notebooks: {', '.join(stale)}; run tools/notebooks.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
