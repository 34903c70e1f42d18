"""Errors that a user can mend, told apart from bugs of riemap."""

__all__ = ["InputError"]


class InputError(ValueError):
    """Something that the user gave is not accepted.

    The message says what was given, what is accepted, and one valid example. The command line prints it
    in one line and exits with code 2. Any other ``ValueError`` is a bug of riemap, shown with its traceback.
    """
