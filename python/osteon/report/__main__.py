"""The page of a job: `python -m osteon.report FOLDER`."""

import sys

from ..extras import end_without

end_without("matplotlib", "PIL", "nrrd")

from .page import main  # noqa: E402 (it imports them)

sys.exit(main(sys.argv[1:]))
