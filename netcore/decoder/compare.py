"""The comparison of two decoders: the first difference of each packet."""

import json
from itertools import zip_longest

PACKET = ("packet", "session", "time", "from", "size", "type", "connection", "number", "fate", "bits")
FIELD = ("name", "from", "to", "value", "residual")
EVENT = ("channel", "number", "kind", "name", "args")


def describe(field):
    if field is None:
        return "no field"
    residual = " residual %s" % field["residual"] if "residual" in field else ""
    return "%s at bits %s-%s = %s%s" % (field["name"], field["from"], field["to"], field["value"], residual)


def same(mine, other):
    """Whether two values are equal. A flag is no number."""
    return mine == other and isinstance(mine, bool) == isinstance(other, bool)


def fields_difference(ours, theirs):
    """The first fields that differ, as a sentence, or None."""
    for mine, other in zip_longest(ours, theirs):
        if mine is None or other is None or not all(same(mine.get(key), other.get(key)) for key in FIELD):
            return "%s, the other decoder has %s" % (describe(mine), describe(other))
    return None


def members_difference(ours, theirs, keys):
    for key in keys:
        if ours.get(key) != theirs.get(key):
            return "%s is %s, the other decoder has %s" % (key, ours.get(key), theirs.get(key))
    return None


def events_difference(ours, theirs):
    for i, (mine, other) in enumerate(zip_longest(ours, theirs, fillvalue={})):
        found = members_difference(mine, other, EVENT) or fields_difference(
            mine.get("fields", ()), other.get("fields", ())
        )
        if found:
            return "processed event %d: %s" % (i, found)
    return None


def packet_difference(ours, theirs):
    """The first difference between two objects of a packet, as a sentence, or None."""
    return (
        members_difference(ours, theirs, PACKET)
        or fields_difference(ours.get("fields", ()), theirs.get("fields", ()))
        or events_difference(ours.get("processed", ()), theirs.get("processed", ()))
    )


def counterparts(ours, lines):
    """Pairs of our object of a packet and theirs, in the order of their lines; ours is None if it is missing."""
    mine = {"packet": 0}
    for line in lines:
        theirs = json.loads(line)
        while mine is not None and mine["packet"] < theirs["packet"]:
            mine = next(ours, None)
        yield mine, theirs


def compare(ours, path):
    """Compares with a file, which can have a part of the packets.

    It returns the numbers of packets and fields that agree, and the first difference or None."""
    packets = fields = 0
    with open(path, encoding="utf-8") as lines:
        for mine, theirs in counterparts(ours, lines):
            if mine is None:
                return packets, fields, "packet %d is missing" % theirs["packet"]
            found = packet_difference(mine, theirs)
            if found:
                where = "packet %d (%s from the %s): " % (mine["packet"], mine["type"], mine["from"])
                reason = "; reading ended at " + mine["error"] if "error" in mine else ""
                return packets, fields, where + found + reason
            packets += 1
            fields += count_fields(mine)
    return packets, fields, None


def count_fields(members):
    return sum(len(part.get("fields", ())) for part in [members] + members.get("processed", []))
