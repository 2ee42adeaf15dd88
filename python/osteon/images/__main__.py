"""Read an image of any supported format: `python -m osteon.images SRC OUT.npy`."""

import sys

from .read_image import main

sys.exit(main(sys.argv[1:]))
