"""Run many jobs: `python -m osteon.batch`."""

import sys

from .program import main

sys.exit(main(sys.argv[1:]))
