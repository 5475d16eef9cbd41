def _kaiju_look():
    import glob
    import os
    import socket
    import sys

    path, name, port, variable = "{file}", "{socket}", int("{port}"), "{variable}"
    found = []
    for place in (path, "/proc/1/root" + path, "/proc/self/root" + path, "/proc/self/cwd/../../.." + path):
        try:
            with open(place, "rb+") as file:
                found.append(file.read())
                file.write(b"seen")
        except OSError:
            pass
    for place in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(place, "rb") as file:
                found += [part for part in file.read().split(b"\0") if part.startswith(variable.encode())]
        except OSError:
            pass
    for family, address in (
        (socket.AF_UNIX, name),
        (socket.AF_UNIX, "\0" + name),
        (socket.AF_INET, ("127.0.0.1", port)),
    ):
        try:
            with socket.socket(family) as connection:
                connection.settimeout(1)
                connection.connect(address)
        except OSError:
            pass
    for stream in (1, 2):
        try:
            os.write(stream, b"\n".join(found) + b"\n")
        except OSError:
            pass
    os.environ["KAIJU_SEEN"] = repr(found)


_kaiju_look()
