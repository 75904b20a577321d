"""The console command, also as `python -m kit_builder`."""

from __future__ import annotations

import sys

STOPPED = 130  # what a shell reports for a command that was ended with Ctrl-C


def main() -> None:
    """Runs the command line."""
    try:
        from kit_builder import cli  # here, so that Ctrl-C is heard while everything is loaded

        cli.main()
    except KeyboardInterrupt:
        sys.exit(STOPPED)


if __name__ == "__main__":
    main()
