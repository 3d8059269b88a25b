"""The errors of Rota. Each has the exit code that a program of the command line ends with."""


class Error(RuntimeError):
    """A job failed. `exit_code` is that of the command line (docs/run-folder.md, "Exit codes")."""

    exit_code = 1

    def __init__(self, *args, exit_code=None):
        super().__init__(*args)
        if exit_code is not None:
            self.exit_code = exit_code


class DataError(Error, ValueError):
    """The data is wrong: exit code 65. `DataError(what)`, or `DataError(file, line, what)` with lines from 1."""

    exit_code = 65

    def __init__(self, *args, exit_code=None):
        if len(args) == 3:
            file, line, what = args
            args = (f"{file}:{line}: {what}" if line else f"{file}: {what}",)
        super().__init__(*args, exit_code=exit_code)


class UsageError(Error, ValueError):
    """Options contradict each other, or do not fit the data: exit code 2."""

    exit_code = 2


class NoInput(Error, FileNotFoundError):
    """An input does not exist or cannot be opened: exit code 66."""

    exit_code = 66
