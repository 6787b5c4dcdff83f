"""``python -m sotto`` is the command ``sotto``."""

from _sotto_command import main

main()
