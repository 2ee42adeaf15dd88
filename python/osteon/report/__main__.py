"""The page of a job: `python -m osteon.report FOLDER`."""

import gc
import sys

gc.disable()  # a page leaves few cycles, and a search for them in hundreds of new modules takes a twentieth of the time

from ..extras import end_without  # noqa: E402 (what it imports counts, too)

end_without("matplotlib", "PIL", "nrrd")

from .page import main  # noqa: E402 (it imports them)

sys.exit(main(sys.argv[1:]))
