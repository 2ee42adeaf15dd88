"""Frame of the programs that answer C++ callers in JSON on standard output."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from typing import Any

from ..errors import DATA, MACHINE, DataError
from ..extras import missing_package
from .read_image import silence


def print_answer(work: Callable[[], Any]) -> int:
    """Print the result of `work`, and hide the output of libraries while `work` runs. Errors are printed on standard
    error.

    Returns the exit code: 0, or the exit code of the error."""
    logging.disable(logging.CRITICAL)
    try:
        with silence():
            text = json.dumps(work())
    except DataError as e:
        print(e, file=sys.stderr)
        return DATA
    except ImportError as e:
        print(missing_package(e), file=sys.stderr)
        return MACHINE
    print(text)
    return 0
