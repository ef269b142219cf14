"""The bodies of events: of the stream itself, and of the engine."""

from collections import namedtuple

from bits import Refused, float64_of
from fields import printable

ANNOUNCE, FRAGMENT, CLAIM = "announce", "fragment", "claim"
TAG_BYTES = 1024
STRING_BYTES = 32768
DESCRIPTION_BYTES = 262144
SLOT_WIDTHS = (5, 8, 12, 16)
MOST_WHOLE = 1 << 53

ARGUMENTS = (
    "nil",
    "false",
    "true",
    "whole",
    "number",
    "string",
    "tag",
    "vector",
    "rotation",
    "object",
    "block",
    "yourBlock",
    "yourObject",
)

# A tag: a slot, or the text itself.
Tag = namedtuple("Tag", "slot text")


def read_slot(fields, name):
    reader = fields.reader
    begin = reader.pos
    return fields.add(name, begin, reader.bits(SLOT_WIDTHS[reader.bits(2)]))


def read_tag(fields, name):
    if fields.flag(name + ".numbered"):
        return Tag(read_slot(fields, name + ".slot"), None)
    return Tag(None, fields.text(name + ".text", TAG_BYTES))


def read_announce(fields, name):
    slot = read_slot(fields, name + "slot")
    return slot, fields.text(name + "text", TAG_BYTES)


def read_fragment(fields, name):
    """A piece: its parcel, whether it is the last one, its bytes."""
    parcel = fields.bits(name + "parcel", 2)
    last = fields.flag(name + "last")
    begin = fields.reader.pos
    length = fields.add(name + "length", begin, fields.reader.bits(5) + 1)
    return parcel, last, fields.raw(name + "bytes", length)


def read_claim(fields, name):
    """The parcel that is claimed."""
    return 2 if fields.flag(name + "oldest") else 1


def read_whole(fields, name):
    negative = fields.flag(name + "negative")
    value = fields.var(name + "value")
    if value > MOST_WHOLE:
        raise Refused("a whole number of %d" % value)
    return -value if negative else value


def read_triple(fields, name, parts):
    return [float64_of(fields.bits(name + part, 64)) for part in parts]


def read_argument(fields, name, kind):
    if kind == "whole":
        return read_whole(fields, name)
    if kind == "number":
        return float64_of(fields.bits(name + "value", 64))
    if kind == "string":
        return printable(fields.text(name + "value", STRING_BYTES))
    if kind == "tag":
        return read_tag(fields, name + "value")
    if kind == "vector":
        return read_triple(fields, name, ("x", "y", "z"))
    if kind == "rotation":
        return read_triple(fields, name, ("yaw", "pitch", "roll"))
    if kind in ("nil", "false", "true"):
        return {"nil": None, "false": False, "true": True}[kind]
    return fields.var(name + "value")


def read_command(fields, name):
    """The name as a tag, and the arguments as kinds and values."""
    tag = read_tag(fields, name + "name")
    count = fields.ranged(name + "arguments", 0, 20)
    kinds = [ARGUMENTS[fields.ranged("%sargument.%d.kind" % (name, i), 0, 12)] for i in range(count)]
    values = [read_argument(fields, "%sargument.%d." % (name, i), kind) for i, kind in enumerate(kinds)]
    return tag, list(zip(kinds, values))


def read_description(fields, name):
    """Whether it is of a class, and its bytes."""
    of_class = fields.flag(name + "class")
    return of_class, fields.bytes(name + "bytes", DESCRIPTION_BYTES)


def read_hello(fields, name):
    fields.text(name + "server", 256)
    fields.var(name + "tick")
    for i in range(fields.ranged(name + "mods", 0, 256)):
        fields.text("%smod.%d.name" % (name, i), 32)
        fields.text("%smod.%d.version" % (name, i), 64)


def read_phase_answer(fields, name):
    fields.ranged(name + "answer", 0, 1)
    fields.bits(name + "seq", 32)


def read_phase_step(fields, name):
    fields.ranged(name + "step", 0, 7)
    fields.bits(name + "seq", 32)
    fields.var(name + "count")


BODIES = {
    ANNOUNCE: read_announce,
    FRAGMENT: read_fragment,
    CLAIM: read_claim,
    "command": read_command,
    "description": read_description,
    "hello": read_hello,
    "phaseAnswer": read_phase_answer,
    "phaseStep": read_phase_step,
}
