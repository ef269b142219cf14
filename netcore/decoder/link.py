"""What a connection itself says: acks, rate changes, control packets and drops."""

from bits import Refused, low_bits_at_or_above
from fields import Fields

MOST_VERDICTS = 1024
NEW_KEY, NEW_ROUTE = 65535, 65534
PING, PONG, ACK, CLOSE, PATH, PATH_ANSWER, SIZE, SIZE_ANSWER = range(8)


def read_gaps(fields, prefix):
    """The runs of verdicts from the ack downwards: received, lost, received, ..."""
    runs = []
    while fields.flag(prefix + "more"):
        name = prefix + str(len(runs))
        received = fields.gamma(name + ".received", 1)
        runs.append((received, fields.gamma(name + ".lost", 0)))
        if sum(map(sum, runs)) > MOST_VERDICTS:
            raise Refused("gaps of more than %d numbers" % MOST_VERDICTS)
    return runs


def lost_numbers(ack, runs):
    """The numbers that an ack with these runs calls lost."""
    lost = []
    for received, count in runs:
        ack -= received
        lost.extend(range(ack - count + 1, ack + 1))
        ack -= count
    return lost


def read_header(fields, reference):
    """The ack of a data packet and its runs. Reference is the ack of the packet before."""
    reader = fields.reader
    begin = reader.pos
    width = 5 if not reader.flag() else 48 if reader.flag() else 10
    low = reader.bits(width)
    ack = fields.add("header.ack", begin, low_bits_at_or_above(low, width, reference))
    runs = read_gaps(fields, "header.gaps.")
    fields.bits("header.delay", 8)
    return ack, runs


def read_rates(fields):
    if not fields.flag("rates.change"):
        return
    packets = fields.bits("rates.packets", 16)
    if packets == NEW_KEY:
        fields.derived("rates.announces", "key")
    elif packets == NEW_ROUTE:
        fields.derived("rates.announces", "route")
        fields.raw("rates.route.connection", 8)
        fields.raw("rates.route.reset", 16)
    else:
        begin = fields.reader.pos
        fields.add("rates.size", begin, fields.reader.bits(11) + 100)


def read_control(fields):
    """The ack of a control packet and its runs."""
    kind = fields.bits("type", 3)
    ack = fields.bits("ack", 48)
    runs = read_gaps(fields, "gaps.")
    fields.bits("delay", 8)
    if kind == PING:
        fields.bits("newest", 48)
    elif kind == PONG:
        fields.bits("ping", 14)
        fields.bits("waited", 8)
    elif kind in (PATH, PATH_ANSWER):
        fields.raw("challenge", 8)
    elif kind in (SIZE, SIZE_ANSWER):
        fields.bits("size", 11)
    return ack, runs


def read_drop(fields):
    fields.bits("code", 5)
    fields.text("text", 255)
