"""The form of a capture: a header, and lines of sessions and packets."""

import json

FORMAT = 1


class Damage(Exception):
    """A line of a capture that cannot be read."""


def object_of(number, line):
    try:
        found = json.loads(line)
    except ValueError as reason:
        raise Damage("line %d: %s" % (number, reason)) from None
    if not isinstance(found, dict):
        raise Damage("line %d: no object" % number)
    return found


def read_capture(path):
    """The header of a capture, then its sessions and packets in the order of the file."""
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            found = object_of(number, line)
            if number == 1 and (found.get("capture"), found.get("format")) != ("torc", FORMAT):
                raise Damage("line 1: no header of a capture of format %d" % FORMAT)
            yield found
