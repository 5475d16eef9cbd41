"""Sub-commands of `kaiju` that belong to the server."""
