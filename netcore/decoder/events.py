"""The section of events: channels, pieces, and the order in which events are processed."""

from collections import namedtuple

from bits import BitReader, Refused, low_bits_at_or_above
from bodies import ANNOUNCE, BODIES, CLAIM, FRAGMENT
from descriptions import read_class
from fields import Fields, printable

FORM_BITS = (0, 2, 6)
WIDTHS = (8, 12, 16)
GAPS = 3
WINDOW = 4096
UNORDERED = -1
MARK = 0x5AC3

Event = namedtuple("Event", "kind body fields")


class Channel:
    """An ordered channel: the number it waits for, and the events that wait for others."""

    def __init__(self):
        self.next = 0
        self.waiting = {}

    def nearest(self, low, bits):
        """The number with these low bits that is nearest to the one that the channel waits for."""
        return low_bits_at_or_above(low, bits, self.next - (1 << (bits - 1)) + 1)

    def keep(self, numbered):
        for number, event in numbered:
            if number >= self.next + WINDOW:
                raise Refused("event %d is too far beyond %d" % (number, self.next))
            if number >= self.next:
                self.waiting.setdefault(number, event)

    def ready(self):
        """The events that can be processed, in order."""
        while self.next in self.waiting:
            self.next += 1
            yield self.next - 1, self.waiting.pop(self.next - 1)


class Events:
    """The events of one direction. Classes and datablocks are those that the sender describes.

    For a spectator, datablocks is None."""

    def __init__(self, kinds, sender, check, classes, datablocks):
        self.kinds = [kind["name"] for kind in kinds]
        self.allowed = [kind.get("from", sender) == sender for kind in kinds]
        self.kind_bits = (len(kinds) - 1).bit_length()
        self.check = check
        self.classes = classes
        self.datablocks = datablocks
        self.channels = (Channel(), Channel())
        self.tags = {}
        self.parcels = {}

    def read(self, fields, processed):
        """Reads the section. Processed is None for a lost packet, else it gets the processed events."""
        unordered = self.read_unordered(fields)
        numbered = [self.read_run(fields, i, channel) for i, channel in enumerate(self.channels)]
        if processed is None:
            return
        for event in unordered:
            self.process(processed, UNORDERED, 0, event)
        for i, channel in enumerate(self.channels):
            channel.keep(numbered[i])
            for number, event in channel.ready():
                self.process(processed, i, number, event)

    def read_unordered(self, fields):
        events = []
        while fields.flag("events.unordered.more"):
            events.append(self.read_event(fields, "events.unordered.%d." % len(events)))
        return events

    def read_run(self, fields, index, channel):
        """The numbers and events of a channel."""
        name = "events.channel%d." % index
        if not fields.flag(name + "some"):
            return []
        number, gaps = self.read_first(fields, name, channel)
        numbered = []
        while number is not None:
            label = "%s%d." % (name, len(numbered))
            fields.derived(label + "number", number)
            numbered.append((number, self.read_event(fields, label)))
            number = self.read_next(fields, name, channel, number, gaps)
        return numbered

    def read_first(self, fields, name, channel):
        """The first number of a run, and the width of the numbers behind gaps, or None without gaps."""
        form = fields.bits(name + "form", 2)
        begin = fields.reader.pos
        if form < GAPS:
            bits = FORM_BITS[form]
            number = low_bits_at_or_above(fields.reader.bits(bits), bits, channel.next)
            return fields.add(name + "first", begin, number), None
        gaps = None
        width = fields.bits(name + "width", 2)
        if width == GAPS:
            width = gaps = fields.bits(name + "gapWidth", 2)
        if width == GAPS:
            raise Refused("a width of 3")
        begin = fields.reader.pos
        number = channel.nearest(fields.reader.bits(WIDTHS[width]), WIDTHS[width])
        return fields.add(name + "first", begin, number), gaps

    def read_next(self, fields, name, channel, number, gaps):
        """The number of the next event of a run, or None at its end."""
        if fields.flag(name + "more"):
            return number + 1
        if gaps is None or not fields.flag(name + "gap"):
            return None
        begin = fields.reader.pos
        return fields.add(name + "next", begin, channel.nearest(fields.reader.bits(WIDTHS[gaps]), WIDTHS[gaps]))

    def read_event(self, fields, name):
        kind = fields.bits(name + "kind", self.kind_bits)
        if kind >= len(self.kinds) or not self.allowed[kind]:
            raise Refused("an event of kind %d" % kind)
        size = fields.bits(name + "size", 16) if fields.check else None
        begin = fields.reader.pos
        body = BODIES[self.kinds[kind]](fields, name)
        if fields.check:
            self.check_mark(fields, name, kind, size, fields.reader.pos - begin)
        return Event(self.kinds[kind], body, [])

    def check_mark(self, fields, name, kind, size, read):
        """With net.check: the mark behind an event, and its size."""
        if fields.bits(name + "mark", 16) != kind ^ MARK or read & 0xFFFF != size:
            raise Refused("an event of %d bits that was written with %d" % (read, size))

    def read_parcel(self, data):
        """The event in the joined pieces."""
        fields = Fields(BitReader(data), self.check)
        event = self.read_event(fields, "parcel.")
        return event._replace(fields=fields.list)

    def process(self, processed, channel, number, event):
        if event.kind == FRAGMENT:
            event = self.complete(event.body)
        elif event.kind == CLAIM:
            event = self.read_parcel(self.parcels.pop(event.body, b""))
        if event is not None:
            entry = {"channel": channel, "number": number, "kind": event.kind}
            entry.update(self.effect(event))
            processed.append(entry)

    def complete(self, piece):
        """The bulk event that a piece completes, or None."""
        parcel, last, data = piece
        self.parcels[parcel] = self.parcels.get(parcel, b"") + data
        return self.read_parcel(self.parcels.pop(parcel)) if last and parcel == 0 else None

    def effect(self, event):
        """Changes the tables as the event says, and returns the members that describe the event."""
        fields = event.fields
        members = {}
        if event.kind == ANNOUNCE:
            slot, text = event.body
            self.tags[slot] = text
        elif event.kind == "command":
            members = self.command(*event.body)
        elif event.kind == "description":
            fields = fields + self.describe(*event.body)
        if fields:
            members["fields"] = fields
        return members

    def describe(self, of_class, data):
        """The fields of a description. Those of a spectator are bytes of a recording."""
        if of_class:
            return read_class(data, self.classes)
        return self.datablocks.read(data) if self.datablocks else []

    def command(self, name, arguments):
        members = {"name": self.resolve(name)}
        args = [{"kind": kind, "value": self.resolve(value) if kind == "tag" else value} for kind, value in arguments]
        if args:
            members["args"] = args
        return members

    def resolve(self, tag):
        """The text of a tag."""
        if tag.slot is not None and tag.slot not in self.tags:
            raise Refused("the tag %d was not announced" % tag.slot)
        return printable(tag.text if tag.slot is None else self.tags[tag.slot])
