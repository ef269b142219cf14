"""The packets of the handshake, and other packets without a connection."""

from bits import BitReader, Refused
from fields import Fields

NAMES = {
    1: "challenge request",
    2: "challenge response",
    3: "connect request",
    4: "connect reply",
    5: "introduction",
    6: "verdict",
    7: "session unknown",
    8: "reset",
    9: "query",
    10: "rendezvous",
    11: "busy",
}
INTRODUCTION, VERDICT = 5, 6
INTRODUCTION_HEAD, VERDICT_HEAD = 18, 17
NONCE, TOKEN = 16, 16

# What follows the nonce: names and sizes in bytes; None is all that is left.
LAYOUTS = {
    1: (("magic", 4), ("zeros", None)),
    2: (("cookie", 16), ("key", 32), ("difficulty", 1), ("crc", 4)),
    3: (("cookie", 16), ("difficulty", 1), ("solution", 8), ("noise", None)),
    4: (("noise", None),),
    5: (("piece", 1), ("sealed", None)),
    6: (("sealed", None),),
    7: (),
    11: (("ahead", 2),),
}
NUMBERS = ("difficulty", "piece", "ahead")


def type_of(data):
    """The type of a packet of kind 0, or None."""
    if data and data[0] & 3 == 0 and data[0] >= 0xC0:
        kind = (data[0] - 0xC0) >> 2
        return kind if kind in NAMES else None
    return None


def read_part(fields, name, size):
    if size is None:
        size = (fields.reader.end - fields.reader.pos) // 8
    if name in NUMBERS:
        fields.bits(name, 8 * size)
    else:
        fields.raw(name, size)


def read_clear(kind, data):
    """The fields of a packet as it is, from the beginning of the datagram."""
    fields = Fields(BitReader(data))
    fields.bits("type", 8)
    if kind == 8:
        fields.raw("token", TOKEN)
    elif kind in (9, 10):
        fields.bits("packet", 8)
        read_part(fields, "rest", None)
    else:
        fields.raw("nonce", NONCE)
        for name, size in LAYOUTS[kind]:
            read_part(fields, name, size)
    return fields.list


def read_rate(fields):
    """The 27 bits of a rate."""
    fields.bits("packets", 16)
    begin = fields.reader.pos
    fields.add("size", begin, fields.reader.bits(11) + 100)


def read_introduction(data):
    fields = Fields(BitReader(data))
    fields.bytes_text("name", 255)
    fields.bytes_text("password", 255)
    arguments = fields.bits("arguments", 5)
    if arguments > 16:
        raise Refused("%d arguments" % arguments)
    for i in range(arguments):
        fields.bytes_text("argument.%d" % i, 255)
    read_rate(fields)
    fields.flag("check")
    fields.bits("roles", 8)
    return fields.list


def read_verdict(data):
    fields = Fields(BitReader(data))
    if fields.flag("accepted"):
        fields.flag("check")
        read_rate(fields)
        fields.raw("route.connection", 8)
        fields.raw("route.reset", 16)
        fields.bytes("welcome", 1000)
    else:
        fields.bytes_text("refusal", 255)
    return fields.list
