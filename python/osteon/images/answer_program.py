"""The frame of the programs that answer the C++ half in JSON on standard output."""

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
    """Print what `work` returns, and nothing of what libraries say meanwhile. Faults go to standard error.

    Returns the exit code: 0, or that of the fault."""
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
