"""Write the HTML report of a job: `python -m osteon.report FOLDER`."""

import gc
import sys

# a report creates few reference cycles, but the search for cycles in hundreds of new modules takes 5 % of the time
gc.disable()

from ..extras import end_without  # noqa: E402 (after gc.disable)

end_without("matplotlib", "PIL", "nrrd")

from .page import main  # noqa: E402 (it imports them)

sys.exit(main(sys.argv[1:]))
