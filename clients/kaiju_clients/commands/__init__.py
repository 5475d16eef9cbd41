"""Sub-commands that the client adds to the `kaiju` program."""
