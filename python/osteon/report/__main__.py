"""The page of a job: `python -m osteon.report FOLDER`."""

import sys

from .page import main

sys.exit(main(sys.argv[1:]))
