"""Export results to formats of other programs: `python -m osteon.export`."""

import sys

from .export import main

sys.exit(main(sys.argv[1:]))
