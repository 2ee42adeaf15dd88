"""How the errors of a public function look to who called it."""

import functools

from .errors import Error, MachineError
from .extras import missing_package


def one_frame(call):
    """A function whose errors of ours show one frame of this package: what lies inside tells nobody anything."""

    @functools.wraps(call)
    def wrapped(*arguments, **options):
        try:
            return call(*arguments, **options)
        except Error as e:
            raise e.with_traceback(None) from None
        except ImportError as e:
            raise MachineError(missing_package(e)) from None

    return wrapped
