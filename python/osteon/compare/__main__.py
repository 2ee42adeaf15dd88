"""Compare completed jobs: `python -m osteon.compare`."""

import sys

from .program import main

sys.exit(main(sys.argv[1:]))
