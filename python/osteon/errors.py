"""The error of bad input, and the exit codes of the command line."""

USAGE, DATA = 2, 3


class DataError(Exception):
    """The input cannot be used. The message says what, which value, what is allowed and what to do, on one line."""

    def __init__(self, text: str) -> None:
        super().__init__(" ".join(text.split()))
