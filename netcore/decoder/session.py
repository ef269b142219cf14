"""A session: its packets, their fates, and what their receivers know."""

import struct

from bits import BitReader, Refused
from classes import ClassList
from datablocks import Datablocks
from events import Events
from fields import Fields
from ghosts import Ghosts
from link import lost_numbers, read_control, read_header, read_rates
from moves import read_answer, read_moves
from seal import Keys

CLIENT, SERVER = "client", "server"
DATA, CONTROL, DROP = 1, 2, 3
SECTIONS = 4
MOST_SPARE_BITS = 7


class Marks:
    """With net.check, the bit positions at the ends of the sections, behind the sections."""

    def __init__(self, text):
        """Text is None without net.check."""
        self.size = 0 if text is None else 2 * SECTIONS
        self.left = list(struct.unpack("<%dH" % SECTIONS, text[-self.size :])) if self.size else None

    def check(self, section, reader):
        if self.left is not None and self.left.pop(0) != reader.pos:
            raise Refused("the section of %s does not end at its mark" % section)


class Receiver:
    """What the receiver of one direction knows."""

    def __init__(self, header, sender, check, spectator):
        self.check = check
        self.read_moves = read_answer if sender == SERVER else read_moves
        self.ack = 0
        self.moves = 0
        classes = ClassList(header["classes"])
        datablocks = None if spectator else Datablocks(classes)
        self.events = Events(header["kinds"], sender, check, classes, datablocks)
        self.ghosts = Ghosts(classes)

    def decode(self, packet):
        """Gives a data packet its fields, its processed events, and the error at which they end."""
        marks = Marks(packet.text if self.check else None)
        reader = BitReader(packet.text, 8 * (len(packet.text) - marks.size))
        fields = Fields(reader, self.check)
        packet.fields = fields.list
        packet.processed = None if packet.fate == "lost" else []
        try:
            self.read_sections(fields, packet, marks)
        except Refused as reason:
            packet.error = "bit %d: %s" % (reader.pos, reason)

    def read_sections(self, fields, packet, marks):
        reader = fields.reader
        ack, _ = read_header(fields, self.ack)
        read_rates(fields)
        marks.check("rate changes", reader)
        moves = self.read_moves(fields, self.moves, self.ghosts)
        if packet.processed is not None:
            self.ack, self.moves = ack, moves
        marks.check("moves", reader)
        self.events.read(fields, packet.processed)
        marks.check("events", reader)
        self.ghosts.read(fields, packet.number, packet.processed is not None)
        marks.check("ghosts", reader)
        if reader.end - reader.pos > MOST_SPARE_BITS:
            raise Refused("%d bits behind the last section" % (reader.end - reader.pos))


class Direction:
    """The packets of one side: how they open, and in which order they are decoded."""

    def __init__(self, key):
        self.keys = Keys(key)
        self.newest = {DATA: 0, CONTROL: 0, DROP: 0}
        self.data = {}
        self.control = []
        self.waiting = []
        self.receiver = None

    def nearest(self, kind, low, bits):
        """The number of a packet with these low bits that is nearest to the newest one."""
        newest = self.newest[kind]
        number = newest + (low - newest) % (1 << bits)
        ahead = number - newest
        return number - (1 << bits) if ahead >> (bits - 1) and number >> bits else number

    def acks(self):
        """The ack and the runs of each packet that has them.

        The reference is the ack of the packet before, lost or not: acks never fall from one number to the next."""
        reference = 0
        for _, packet in sorted(self.data.items()):
            try:
                reference, runs = read_header(Fields(BitReader(packet.text)), reference)
                yield reference, runs
            except Refused:
                continue
        for packet in self.control:
            try:
                yield read_control(Fields(BitReader(packet.text)))
            except Refused:
                continue

    def find_fates(self, acks):
        """Says which packets were processed, as the acks of the other direction tell."""
        newest, lost = 0, set()
        for ack, runs in acks:
            newest = max(newest, ack)
            lost.update(lost_numbers(ack, runs))
        for number, packet in self.data.items():
            packet.fate = "unknown" if number > newest else "lost" if number in lost else "received"

    def decode_up_to(self, packet):
        """Decodes the data packets in the order of their numbers, up to this one."""
        while self.waiting and self.waiting[-1].number <= packet.number:
            self.receiver.decode(self.waiting.pop())


class Session:
    """The two directions of a session."""

    def __init__(self, header, line):
        self.header = header
        self.number = line["session"]
        self.check = False
        self.spectator = False
        self.pieces = {}
        self.directions = {side: Direction(bytes.fromhex(line[side])) for side in (CLIENT, SERVER)}

    def begin(self):
        """Prepares decoding, when all packets are open."""
        for sender, answering in ((CLIENT, SERVER), (SERVER, CLIENT)):
            direction = self.directions[sender]
            direction.find_fates(self.directions[answering].acks())
            direction.waiting = sorted(direction.data.values(), key=lambda packet: -packet.number)
            direction.receiver = Receiver(self.header, sender, self.check, self.spectator)
