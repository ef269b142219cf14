"""Tests of parts that the test vectors do not have: long forms, bounds, routes, introductions in pieces."""

import struct
import unittest
from types import SimpleNamespace

from bits import BitReader, Refused
from bodies import read_argument, read_claim, read_command, read_slot
from classes import ClassList
from datablocks import Datablocks
from descriptions import read_class
from events import Channel, Events
from fields import Fields
from ghosts import Ghosts
from handshake import read_introduction, read_verdict
from link import read_header, read_rates
from moves import ControlState, read_moves
from packets import Packet
from seal import nonce_of, seal
from session import Marks, Session
from test_bits import reader_of
from test_page import KINDS
from test_state import FIELDS

CLIENT_KEY = bytes(range(32))
LINE = {"session": 1, "client": CLIENT_KEY.hex(), "server": bytes(range(1, 33)).hex()}


def digits(value, width):
    """An integer in the order of the stream."""
    return format(value, "0%db" % width)[::-1] if width else ""


def var(value):
    """The shortest var."""
    kind = next(kind for kind in range(5) if value >> (4 << kind) == 0)
    return "1" * kind + "0" * (kind < 4) + digits(value, 4 << kind)


def values(fields):
    return [field[3] for field in fields.list]


class Bodies(unittest.TestCase):
    def test_slots(self):
        for kind, width in enumerate((5, 8, 12, 16)):
            fields = Fields(reader_of(digits(kind, 2), "1" * width, "0"))
            self.assertEqual(read_slot(fields, "slot"), (1 << width) - 1)

    def test_claims(self):
        self.assertEqual([read_claim(Fields(reader_of(digit)), "") for digit in "01"], [1, 2])

    def test_whole_numbers(self):
        self.assertEqual(read_argument(Fields(reader_of("1", var(1 << 53))), "", "whole"), -(1 << 53))
        with self.assertRaises(Refused):
            read_argument(Fields(reader_of("0", var((1 << 53) + 1))), "", "whole")

    def test_most_arguments(self):
        name = "1 00 00000"
        self.assertEqual(len(read_command(Fields(reader_of(name, digits(20, 5), "0000" * 20)), "")[1]), 20)
        for bad in (digits(21, 5) + "0000" * 21, digits(1, 5) + digits(13, 4)):
            with self.assertRaises(Refused):
                read_command(Fields(reader_of(name, bad)), "")


class Runs(unittest.TestCase):
    def setUp(self):
        self.events = Events(KINDS, "server", False, None, None)
        self.channel = Channel()
        self.channel.next = 100

    def read(self, *parts):
        """The numbers of a run."""
        fields = Fields(reader_of(*parts))
        numbered = self.events.read_run(fields, 0, self.channel)
        self.assertEqual(fields.reader.pos, fields.reader.end)
        return [number for number, _ in numbered]

    CLAIM = "010 0"

    def test_new_events(self):
        self.assertEqual(self.read("0"), [])
        for form, width in ((0, 0), (1, 2), (2, 6)):
            number = 100 + (1 << width) - 1
            low = digits(number & ((1 << width) - 1), width)
            run = (low, self.CLAIM, "1", self.CLAIM, "0")
            self.assertEqual(self.read("1", digits(form, 2), *run), [number, number + 1])

    def test_numbers(self):
        for width, count in enumerate((8, 12, 16)):
            low = digits(90, count)
            self.assertEqual(self.read("1 11", digits(width, 2), low, self.CLAIM, "0"), [90])

    def test_gaps(self):
        for width, count in enumerate((8, 12, 16)):
            first, second = digits(90, count), digits(95, count)
            run = (self.CLAIM, "0 1", second, self.CLAIM, "1", self.CLAIM, "0 0")
            self.assertEqual(self.read("1 11 11", digits(width, 2), first, *run), [90, 95, 96])

    def test_a_width_of_3_is_refused(self):
        with self.assertRaises(Refused):
            self.read("1 11 11 11", "0" * 40)

    def test_events_of_the_other_side_are_refused(self):
        for kind in (6, 7):
            events = Events(KINDS, "client" if kind == 7 else "server", False, None, None)
            with self.assertRaises(Refused):
                events.read_event(Fields(reader_of(digits(kind, 3), "0" * 80)), "")


class Link(unittest.TestCase):
    def test_forms_of_acks(self):
        for prefix, width in (("0", 5), ("10", 10), ("11", 48)):
            fields = Fields(reader_of(prefix, digits(17, width), "0", "0" * 8))
            self.assertEqual(read_header(fields, 17), (17, []))
            self.assertEqual(fields.reader.pos, fields.reader.end)

    def test_gaps_of_more_than_1024_numbers_are_refused(self):
        def header(received, lost):
            gammas = ("0" * (v.bit_length() - 1) + "1" + digits(v, v.bit_length())[:-1] for v in (received + 1, lost))
            return Fields(reader_of("0 00000", "1", *gammas, "0", "0" * 8))

        self.assertEqual(read_header(header(24, 1000), 0)[1], [(24, 1000)])
        with self.assertRaises(Refused):
            read_header(header(25, 1000), 0)

    def test_rates(self):
        cases = (
            ("0", [False]),
            ("1" + digits(9, 16) + digits(1300, 11), [True, 9, 1400]),
            ("1" + digits(65535, 16), [True, 65535, "key"]),
            ("1" + digits(65534, 16) + "10000000" * 24, [True, 65534, "route", "01" * 8, "01" * 16]),
        )
        for stream, expected in cases:
            fields = Fields(reader_of(stream))
            read_rates(fields)
            self.assertEqual(values(fields), expected)
            self.assertEqual(fields.reader.pos, fields.reader.end)


class ControlStates(unittest.TestCase):
    def read(self, form, *parts):
        fields = Fields(reader_of(*parts))
        ControlState(fields, SimpleNamespace(control_form=lambda name: form)).read("", 1)
        self.assertEqual(fields.reader.pos, fields.reader.end)
        return [field[0] for field in fields.list]

    def test_widths_without_images(self):
        """The page tells how many bits each has."""
        for form, bits in (("Player", 280), ("Vehicle", 332), ("Turret", 91)):
            self.read(form, "0" * bits)
        self.read("Camera", "1" + "0" * 188)

    def test_a_sitting_player_who_drives(self):
        player = "1" + "0" * (28 + 3 * 16 + 6 + 4 + 4 + 2 + 30)
        names = self.read("Player", player, "1", var(5), "000", "0")
        self.assertEqual(names[-3:], ["mount.name", "mount.seat", "mount.drives"])
        self.assertNotIn("position.x", names)

    def test_numbers_above_their_range_are_refused(self):
        most = 2048 * 65536
        self.read("Camera", "1", digits(most, 28), "0" * (2 * 28 + 3 * 24 + 32))
        with self.assertRaises(Refused):
            self.read("Camera", "1", digits(most + 1, 28), "0" * (2 * 28 + 3 * 24 + 32))

    def test_an_image(self):
        image = digits(3, 15) + digits(10000, 14)
        names = self.read("Turret", "0" * (32 + 28 + 1), image, digits(60031, 16), "0" * 15)
        self.assertEqual(names[-4:-1], ["image.0.block", "image.0.ammunition", "image.0.wait"])
        with self.assertRaises(Refused):
            self.read("Turret", "0" * (32 + 28 + 1), image, digits(60032, 16), "0" * 15)


class Lists(unittest.TestCase):
    def read(self, newest, *parts, check=False):
        fields = Fields(reader_of(*parts), check)
        return read_moves(fields, newest, None)

    def test_the_first_number(self):
        for first in (100 - 29, 100, 100 + 34):
            newest = self.read(100, "1 1", digits(first & 63, 6), "0", "0 0", "0")
            self.assertEqual(newest, max(100, first))

    def test_most_moves(self):
        def moves(count):
            return self.read(0, "1 1", digits(1, 6), "0", "1 0" * (count - 1), "0 0", "0")

        self.assertEqual(moves(30), 30)
        with self.assertRaises(Refused):
            moves(31)

    def test_the_mark(self):
        self.assertEqual(self.read(0, "1 1", digits(1, 6), "0 0 0", digits(1 ^ 0x6D76, 16), "0", check=True), 1)
        with self.assertRaises(Refused):
            self.read(0, "1 1", digits(1, 6), "0 0 0", digits(2 ^ 0x6D76, 16), "0", check=True)


class SectionMarks(unittest.TestCase):
    def test_positions(self):
        marks = Marks(b"text" + struct.pack("<4H", 3, 4, 5, 6))
        self.assertEqual(marks.size, 8)
        for position in (3, 4, 5):
            marks.check("", SimpleNamespace(pos=position))
        with self.assertRaises(Refused):
            marks.check("", SimpleNamespace(pos=7))


class Births(unittest.TestCase):
    def test_a_name_with_another_birth_is_nobody(self):
        ghosts = Ghosts(ClassList([{"name": "Player", "parent": "", "kind": "net", "fields": FIELDS}]))
        ghosts.create(SimpleNamespace(packet=41, tick=1), 7, ghosts.classes.classes[0], [])
        self.assertEqual([ghosts.control_form(8 + (birth << 17)) for birth in (0, 42, 43)], ["Player", "Player", None])
        self.assertIsNone(ghosts.control_form(0))


class Declared(unittest.TestCase):
    def test_groups_go_on_behind_those_of_the_parent(self):
        classes = ClassList([{"name": "Thing", "parent": "", "kind": "net", "fields": FIELDS}])
        text = "0" + var(1) + digits(ord("x"), 8)
        stream = digits(1, 10) + text + digits(0, 10) + digits(3, 7)
        for joins in "011":
            stream += text + joins + digits(1, 3) + "0"
        read_class(reader_of(stream).data, classes)
        self.assertEqual([field.group for field in classes.classes[1].fields[-3:]], [6, 6, 6])

    def test_a_rotation_in_a_datablock(self):
        fields = [{"name": "turn", "kind": "rotation", "bits": 9}, {"name": "exact", "kind": "rotation"}]
        blocks = Datablocks(ClassList([{"name": "Data", "parent": "", "kind": "datablock", "fields": fields}]))
        text = "0" + var(1) + digits(ord("x"), 8)
        stream = digits(0, 10) + digits(2, 14) + var(3) + "0" + text + "0"
        stream += "0" + digits(5, 9) * 3 + "0" + digits(6, 64) * 3
        read = blocks.read(reader_of(stream).data)
        self.assertEqual([field[3] for field in read[-8:]], [False, 5, 5, 5, False, 6, 6, 6])


class Handshake(unittest.TestCase):
    NAMES = var(2) + digits(0x6162, 16) + var(0) + digits(0, 5)
    INTRODUCTION = NAMES + digits(7, 16) + digits(1300, 11) + "1" + digits(1, 8)

    def test_an_introduction(self):
        read = read_introduction(reader_of(self.INTRODUCTION).data)
        self.assertEqual([field[3] for field in read], ["ba", "", 0, 7, 1400, True, 1])

    def test_most_arguments(self):
        with self.assertRaises(Refused):
            read_introduction(reader_of(var(0), var(0), digits(17, 5), "0" * 300).data)

    def test_a_refusal(self):
        read = read_verdict(reader_of("0", var(2), digits(0x6F6E, 16)).data)
        self.assertEqual([field[3] for field in read], [False, "no"])

    def test_pieces(self):
        text = reader_of(self.INTRODUCTION).data
        session = Session({}, LINE)
        parts = [text[:3], text[3:5], text[5:]]
        packets = [self.piece(session, i, part) for i, part in enumerate(parts)]
        self.assertEqual([packet.number for packet in packets], [1, 2, 3])
        self.assertEqual([packet.fields[-1][0] for packet in packets], ["sealed", "sealed", "roles"])
        self.assertEqual([packet.bits() for packet in packets[:2]], [8 * (18 + 3 + 16), 8 * (18 + 2 + 16)])

    def test_descriptions_of_a_spectator_are_a_recording(self):
        session = Session({"kinds": KINDS, "classes": []}, LINE)
        self.assertFalse(session.spectator)
        for i, part in enumerate((b"", b"", reader_of(self.INTRODUCTION).data)):
            self.piece(session, i, part)
        self.assertTrue(session.spectator)
        session.begin()
        self.assertEqual(session.directions["server"].receiver.events.describe(False, b"\2\x10\0"), [])

    def piece(self, session, index, part):
        head = bytes([0xD4]) + bytes(16) + bytes([index | 2 << 4])
        sealed = seal(CLIENT_KEY, nonce_of(0, index + 1), part, head)
        packet = Packet(1, {"time": 0, "from": "client", "data": (head + sealed).hex()}, session)
        packet.open()
        return packet
