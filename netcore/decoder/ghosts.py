"""The section of ghosts: kills, creates and updates, whole or relative to baselines."""

from collections import namedtuple

from bits import Refused, unfold
from classes import BITS, TEXT

AGE_TICKS = 60
FAR_PACKETS = FAR_TICKS = 60
MOST_BACK = 255
FEW_GROUPS = 4
NAME_BITS = 17
BIRTHS = 32767
CONTROLLED = ("Player", "Vehicle", "Turret", "Camera")

# The codes of a group that arrived with a packet.
Value = namedtuple("Value", "packet tick codes")

# What an update is relative to: the newer value, and the older one or None.
Baseline = namedtuple("Baseline", "newer older since span order")


class Ghost:
    """A ghost, and the values of its smooth groups, newest last."""

    def __init__(self, form, packet):
        self.form = form
        self.birth = packet % BIRTHS + 1
        self.values = {}

    def store(self, packet, tick, groups):
        for group, codes in groups:
            if self.form.smooth[group]:
                self.values.setdefault(group, []).append(Value(packet, tick, codes))

    def forget(self, base):
        """Drops values that no packet with this base, or a later one, can need."""
        for values in self.values.values():
            reached = sum(1 for value in values if value.packet <= base)
            del values[: max(0, reached - 2)]


def golomb_order(since, span):
    for order in range(3):
        if since <= span << (order + 1):
            return order
    return 3


def toward_zero(a, b):
    return a // b if a >= 0 else -(-a // b)


def predict(cell, i, baseline, codes):
    """The code that the values before lead to expect. Codes has the new codes so far."""
    newer = baseline.newer.codes[i]
    if cell.rate is not None:
        now = codes[cell.rate] - cell.zero
        before = baseline.newer.codes[cell.rate] - cell.zero
        total = now * (baseline.since + 1) + before * (baseline.since - 1)
        return newer + (total * cell.scale >> 21)
    if baseline.span == 0:
        return newer
    half = 1 << (cell.width - 1)
    difference = (newer - baseline.older.codes[i] + half) % (half << 1) - half
    return newer + toward_zero(difference * baseline.since, baseline.span)


class Section:
    """The section of one packet while it is read."""

    def __init__(self, fields, packet):
        self.fields = fields
        self.reader = fields.reader
        self.packet = packet
        self.tick = 0
        self.base = None
        self.limit = 0

    def far(self, base_tick):
        return self.packet - self.base > FAR_PACKETS and self.tick - base_tick > FAR_TICKS

    def ids(self, name):
        """The number of a list's entries and a function that reads the next id."""
        fields, reader = self.fields, self.reader
        count = fields.gamma(name + ".count", 1)
        k = fields.bits(name + ".k", 4) if count else 0
        last = -1

        def read(i):
            nonlocal last
            begin = reader.pos
            last += 1 + reader.rice(k)
            return fields.add("%s.%d.id" % (name, i), begin, last)

        return count, read

    def mark(self, cells, i, name, group_begin):
        """With net.check, the mark behind the last cell of a field."""
        if not self.fields.check or (i + 1 < len(cells) and cells[i + 1].field is cells[i].field):
            return
        at = self.reader.pos - group_begin
        if self.fields.bits(name + cells[i].field.name + ".mark", 32) != at << 16 | 0x746F:
            raise Refused("a wrong mark behind the field %s" % cells[i].field.name)

    def whole(self, name, cells):
        """The codes of a group that travels whole."""
        reader, out = self.reader, self.fields.list
        group_begin = reader.pos
        codes = []
        for i, cell in enumerate(cells):
            begin = reader.pos
            if cell.form == BITS:
                code = reader.bits(cell.width)
                out.append((name + cell.name, begin, reader.pos, code))
            elif cell.form == TEXT:
                code = self.fields.text_alone(name + cell.name, cell.width)
            else:
                code = reader.bits(16) if reader.flag() else None
                out.append((name + cell.name, begin, reader.pos, code))
            codes.append(code)
            self.mark(cells, i, name, group_begin)
        return codes

    def relative(self, name, form, group, baseline):
        """The codes of a group that travels as residuals."""
        reader, out = self.reader, self.fields.list
        cells = form.groups[group]
        self.fields.derived("%sgroup%d.newer" % (name, group), baseline.newer.tick)
        if baseline.older is not None:
            self.fields.derived("%sgroup%d.older" % (name, group), baseline.older.tick)
        group_begin = reader.pos
        codes = [0] * len(cells)
        for i in form.orders[group]:
            cell = cells[i]
            begin = reader.pos
            residual = reader.golomb(baseline.order)
            if residual >> cell.width:
                raise Refused("a residual of more than %d bits" % cell.width)
            codes[i] = (predict(cell, i, baseline, codes) + unfold(residual)) & ((1 << cell.width) - 1)
            out.append((name + cell.name, begin, reader.pos, codes[i], residual))
            self.mark(cells, i, name, group_begin)
        return codes

    def baseline(self, ghost, group):
        """The baseline of a group of a ghost in this packet, or None."""
        if self.base is None or not ghost.form.smooth[group]:
            return None
        reached = [value for value in ghost.values.get(group, ()) if value.packet <= self.base][-2:]
        counted = [value for value in reached if self.tick - value.tick <= self.limit]
        if not counted:
            return None
        newer = counted[-1]
        older = counted[0] if len(counted) > 1 else None
        since = self.tick - newer.tick
        span = newer.tick - older.tick if older else 0
        return Baseline(newer, older, since, span, golomb_order(since, span))


class Ghosts:
    """The ghosts of one direction."""

    def __init__(self, classes):
        self.classes = classes
        self.ghosts = {}
        self.epoch = 0
        self.ticks = {}

    def control_form(self, name):
        """The class of PROTOCOL.md that gives the control state of a ghost its form, or None."""
        ghost = self.ghosts.get(name % (1 << NAME_BITS) - 1)
        birth = name >> NAME_BITS
        if ghost is None or birth and birth != ghost.birth:
            return None
        ancestors = self.classes.ancestors(ghost.form.number)
        return next((ancestor for ancestor in ancestors if ancestor in CONTROLLED), None)

    def read(self, fields, packet, processed):
        """Reads the section of a packet. Only a processed packet changes ghosts."""
        if not fields.flag("ghosts.active"):
            return
        section = Section(fields, packet)
        epoch = self.epoch
        if fields.flag("ghosts.reset"):
            epoch = fields.bits("ghosts.epoch", 8)
        ghosts = self.ghosts if epoch == self.epoch else {}
        self.read_base(section)
        section.limit = AGE_TICKS << fields.bits("ghosts.age", 3)
        if processed:
            self.ghosts, self.epoch = ghosts, epoch
            self.ticks[packet] = section.tick
            self.ticks.pop(packet - MOST_BACK - 1, None)
        else:
            ghosts = dict(ghosts)
        self.read_kills(section, ghosts)
        self.read_creates(section, ghosts, processed)
        self.read_updates(section, ghosts, processed)

    def read_base(self, section):
        """The tick, and the base with which baselines count."""
        fields = section.fields
        if not fields.flag("ghosts.based"):
            section.tick = fields.bits("ghosts.tick", 32)
            return
        back = fields.bits("ghosts.back", 8)
        section.base = section.packet - back
        base_tick = self.ticks.get(section.base)
        if base_tick is None or back == 0:
            raise Refused("the base %d was not processed" % section.base)
        begin = fields.reader.pos
        section.tick = fields.add("ghosts.tick", begin, base_tick + fields.reader.gamma() - 1)
        if section.far(base_tick):
            section.base = None

    def read_kills(self, section, ghosts):
        count, read_id = section.ids("ghosts.kills")
        for i in range(count):
            if ghosts.pop(read_id(i), None) is None:
                raise Refused("a kill of an unused id")

    def read_creates(self, section, ghosts, processed):
        fields = section.fields
        count, read_id = section.ids("ghosts.creates")
        for i in range(count):
            number = read_id(i)
            name = "ghosts.creates.%d." % i
            form = self.classes.by_id(fields.bits(name + "class", 10))
            if form is None:
                raise Refused("an unknown class")
            groups = [(group, section.whole(name, cells)) for group, cells in enumerate(form.groups)]
            if processed:
                self.create(section, number, form, groups)

    def create(self, section, number, form, groups):
        ghost = self.ghosts.setdefault(number, Ghost(form, section.packet))
        if ghost.form is not form:
            raise Refused("a create of the ghost %d with another class" % number)
        ghost.store(section.packet, section.tick, groups)

    def read_updates(self, section, ghosts, processed):
        fields = section.fields
        count, read_id = section.ids("ghosts.updates")
        if not count:
            return
        usual = 2 * fields.gamma("ghosts.updates.usual", 1)
        for i in range(count):
            ghost = ghosts.get(read_id(i))
            if ghost is None:
                raise Refused("an update of an unused id")
            name = "ghosts.updates.%d." % i
            groups = self.read_update(section, name, ghost, usual)
            if processed:
                ghost.store(section.packet, section.tick, groups)
                if section.base is not None:
                    ghost.forget(section.base)

    def read_update(self, section, name, ghost, usual):
        """The groups of an update and their codes."""
        fields, form = section.fields, ghost.form
        begin = fields.reader.pos
        mask = fields.add(name + "mask", begin, read_mask(fields.reader, form, usual))
        if mask == 0 or mask >> (form.last_group + 1):
            raise Refused("a mask of %x" % mask)
        groups = [group for group in range(1, form.last_group + 1) if mask >> group & 1]
        baselines = {group: section.baseline(ghost, group) for group in groups}
        relative = any(baselines.values()) and fields.flag(name + "relative")
        read = []
        for group in groups:
            if relative and baselines[group]:
                read.append((group, section.relative(name, form, group, baselines[group])))
            else:
                read.append((group, section.whole(name, form.groups[group])))
        return read


def read_mask(reader, form, usual):
    if usual and reader.flag():
        return usual
    last = form.last_group
    if last > FEW_GROUPS and reader.flag():
        return 2 << reader.ranged(0, last - 1)
    return reader.bits(last) << 1
