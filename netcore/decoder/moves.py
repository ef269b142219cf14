"""The section of moves: the answer of the server, the moves of the client, and the control state."""

from bits import BitReader, Refused, low_bits_at_or_above
from fields import Fields

TRANSLATIONS = ("x", "y", "z")
ANGLES = ("yaw", "pitch", "roll")
ZEROS = dict.fromkeys(TRANSLATIONS + ANGLES + ("triggers",), 0)
MOST_MOVES = 30
MOST_BEFORE = 29
MARK = 0x6D76


class UnknownForm(Exception):
    """A control state of a ghost that is not there, or of a class that has no form."""


def read_translation(fields, name, previous):
    reader = fields.reader
    begin = reader.pos
    value = previous
    if reader.flag():
        value = reader.bits(6) - 16
        if value > 16:
            raise Refused("a translation of %d" % value)
    return fields.add(name, begin, value)


def read_angle(fields, name, previous):
    reader = fields.reader
    begin = reader.pos
    value = previous
    if reader.flag():
        value = reader.bits(16)
        value -= value >> 15 << 16
    return fields.add(name, begin, value)


def read_triggers(fields, name, previous):
    begin = fields.reader.pos
    return fields.add(name, begin, fields.reader.bits(6) if fields.reader.flag() else previous)


def read_move(fields, name, previous):
    """A move, encoded against the previous one of the list."""
    if not fields.flag(name + "differs"):
        return previous
    move = {}
    for part in TRANSLATIONS:
        move[part] = read_translation(fields, name + part, previous[part])
    for part in ANGLES:
        move[part] = read_angle(fields, name + part, previous[part])
    fields.flag(name + "freeLook")
    move["triggers"] = read_triggers(fields, name + "triggers", previous["triggers"])
    return move


def read_list(fields, newest):
    """A list of moves. It returns the number of the last one."""
    begin = fields.reader.pos
    number = low_bits_at_or_above(fields.reader.bits(6), 6, newest - MOST_BEFORE)
    fields.add("moves.first", begin, number)
    move = read_move(fields, "moves.0.", ZEROS)
    index = 0
    while fields.flag("moves.more"):
        index += 1
        if index >= MOST_MOVES:
            raise Refused("a list of more than %d moves" % MOST_MOVES)
        move = read_move(fields, "moves.%d." % index, move)
    if fields.flag("moves.sum"):
        fields.bits("moves.checksum", 16)
    check_mark(fields, number + index)
    return number + index


def check_mark(fields, move):
    """With net.check, the mark behind a list or a state. Move is its number."""
    if fields.check and fields.bits("moves.mark", 16) != move & 0xFFFF ^ MARK:
        raise Refused("a wrong mark behind the move %d" % move)


def read_moves(fields, newest, _):
    """The part of a sender of moves. It returns the newest move."""
    if not fields.flag("moves.moves"):
        return newest
    if fields.flag("moves.list"):
        newest = max(newest, read_list(fields, newest))
    if fields.flag("moves.view"):
        fields.flag("moves.firstPerson")
        fields.bits("moves.fov", 8)
    return newest


def read_answer(fields, last, objects):
    """The part of a receiver of moves. It returns its newest ack."""
    if not fields.flag("moves.answer"):
        return last
    begin = fields.reader.pos
    ack = fields.add("moves.ack", begin, low_bits_at_or_above(fields.reader.bits(5), 5, last))
    if fields.flag("moves.state"):
        read_state(fields, ack, objects)
    if fields.flag("moves.flash"):
        fields.bits("moves.pain", 7)
        fields.bits("moves.whiteout", 7)
    return ack


def read_state(fields, ack, objects):
    """The control state after the move ack. Objects tells the form of a ghost by its name."""
    name = fields.var("moves.state.name")
    length = fields.bits("moves.state.length", 12)
    reader = fields.reader
    begin = reader.pos
    if begin + length > reader.end:
        raise Refused("a read past the end")
    fields.list += state_fields(reader, begin, length, name, objects)
    reader.pos = begin + length
    check_mark(fields, ack)


def state_fields(reader, begin, length, name, objects):
    """The fields of the state, or its bits as they are."""
    part = BitReader(reader.data, begin + length)
    part.pos = begin
    state = Fields(part)
    try:
        ControlState(state, objects).read("moves.state.", name)
        if part.pos != part.end:
            raise Refused("%d bits behind a control state" % (part.end - part.pos))
        return state.list
    except UnknownForm:
        part.pos = begin
        bits = part.bits(length).to_bytes((length + 7) // 8, "little")
        return [("moves.state.bits", begin, part.pos, bits.hex())]


class ControlState:
    """The reader of a control state (PROTOCOL.md, Moves and control state)."""

    def __init__(self, fields, objects):
        self.fields = fields
        self.objects = objects

    def read(self, prefix, name):
        form = self.objects.control_form(name)
        if form is None:
            raise UnknownForm()
        getattr(self, form.lower())(prefix)

    def fine(self, name, most):
        width = (2048 * most).bit_length()
        if self.fields.bits(name, width) > 2048 * most:
            raise Refused("a number above %d" % most)

    def fine_vector(self, name, most):
        for part in TRANSLATIONS:
            self.fine(name + "." + part, most)

    def angles(self, prefix, *names):
        for name in names:
            self.fields.bits(prefix + name, 16)

    def flags(self, prefix, *names):
        for name in names:
            self.fields.flag(prefix + name)

    def player(self, prefix):
        if not self.fields.flag(prefix + "sits"):
            self.fine_vector(prefix + "position", 65536)
            self.fine_vector(prefix + "velocity", 4096)
        self.fine(prefix + "energy", 100000)
        self.angles(prefix, "yaw", "pitch", "head")
        self.fields.bits(prefix + "held", 6)
        self.fields.ranged(prefix + "nextJump", 0, 8)
        self.fields.ranged(prefix + "leaps", 0, 15)
        self.flags(prefix, "jets", "destroyed")
        self.images(prefix)
        self.mount(prefix)

    def vehicle(self, prefix):
        self.fine_vector(prefix + "position", 65536)
        self.fine_vector(prefix + "velocity", 256)
        self.fine_vector(prefix + "spin", 720)
        self.angles(prefix, "yaw", "pitch", "roll")
        self.fine(prefix + "steer", 1)
        self.fine(prefix + "energy", 100000)
        self.fields.bits(prefix + "held", 6)
        self.flags(prefix, "destroyed")
        self.images(prefix)

    def turret(self, prefix):
        self.angles(prefix, "yaw", "pitch")
        self.fine(prefix + "energy", 100000)
        self.flags(prefix, "destroyed")
        self.images(prefix)

    def camera(self, prefix):
        if self.fields.flag(prefix + "flies"):
            self.fine_vector(prefix + "position", 65536)
            self.fine_vector(prefix + "velocity", 4096)
        self.angles(prefix, "yaw", "pitch")

    def images(self, prefix):
        for i in range(2):
            image = "%simage.%d." % (prefix, i)
            if self.fields.bits(image + "block", 15):
                self.fields.ranged(image + "ammunition", 0, 10000)
                self.fields.ranged(image + "wait", -31, 60000)

    def mount(self, prefix):
        if not self.fields.flag(prefix + "mounted"):
            return
        name = self.fields.var(prefix + "mount.name")
        self.fields.ranged(prefix + "mount.seat", 0, 7)
        if self.fields.flag(prefix + "mount.drives"):
            self.read(prefix + "mount.", name)
