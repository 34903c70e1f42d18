"""Errors that a user can mend, or has to know about, told apart from bugs of riemap."""

__all__ = ["DivergedError", "DownloadError", "InputError", "MissingExtraError", "NotEnoughMemoryError"]


class InputError(ValueError):
    """Something that the user gave is not accepted.

    The message says what was given, what is accepted, and one valid example. The command line prints it
    in one line and exits with code 2. Any other ``ValueError`` is a bug of riemap, shown with its traceback.
    """


class MissingExtraError(InputError, ImportError):
    """An optional dependency is not installed; the message names the command that installs it."""


class DownloadError(InputError, OSError):
    """A file could not be downloaded; the message gives the reason, and another way to get the file."""


class NotEnoughMemoryError(MemoryError):
    """A computation was refused before it began because it needs more memory than is free.

    The message says how much it needs, how much is free, and how to do with less.
    """


class DivergedError(ArithmeticError):
    """The loss or a point became NaN or infinite, and a tenth of the learning rate did not help."""
