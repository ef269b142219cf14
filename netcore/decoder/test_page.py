"""Tests with the examples of PROTOCOL.md: its listings of bits, and its bytes."""

import re
import unittest
from pathlib import Path
from types import SimpleNamespace

from bits import BitReader, Refused
from classes import ClassList
from datablocks import Datablocks
from events import Events
from fields import Fields
from ghosts import Ghosts
from link import read_header, read_rates
from moves import read_answer, read_moves
from test_bits import reader_of
from text import CODES, END, ESCAPE, OTHER, SPACE, read_text, read_text_alone

PAGE = (Path(__file__).resolve().parent.parent / "PROTOCOL.md").read_text(encoding="utf-8")

KINDS = [
    {"name": "announce"},
    {"name": "fragment"},
    {"name": "claim"},
    {"name": "command"},
    {"name": "description", "from": "server"},
    {"name": "hello", "from": "server"},
    {"name": "phaseAnswer", "from": "client"},
    {"name": "phaseStep", "from": "server"},
]

# The class of the example sections of ghosts, number 7.
EXAMPLE = {
    "name": "Example",
    "parent": "",
    "kind": "net",
    "fields": [
        {"name": "kind", "kind": "number", "whole": True, "hi": 15},
        {"name": "x", "group": 1, "kind": "number", "lo": -1, "hi": 1, "bits": 12},
        {"name": "y", "group": 1, "kind": "number", "lo": -1, "hi": 1, "bits": 12},
        {"name": "label", "group": 2, "kind": "string", "max": 15},
        {"name": "holder", "group": 2, "kind": "object", "class": "Example"},
    ],
}
CLASSES = [{"name": "Class%d" % i, "parent": "", "kind": "net"} for i in range(7)] + [EXAMPLE]


def blocks_after(sentence):
    """The blocks of code behind a sentence of the page."""
    return re.findall(r"```\n(.*?)```", PAGE[PAGE.index(sentence) :], re.DOTALL)


def listing(block):
    """The digits of a listing of bits."""
    digits = (re.match(r" *([01][01 ]*?)(?:  |$)", line) for line in block.splitlines())
    return "".join(found.group(1) for found in digits if found).replace(" ", "")


def bytes_of(block):
    return bytes.fromhex(block.splitlines()[-1])


def code_of(context, symbol):
    """The digits of a symbol."""
    length, code = next(place for place, found in CODES[context].items() if found == symbol)
    return format(code, "0%db" % length)


def values(fields, *names):
    """The values of the fields with these names."""
    by_name = {field[0]: field[3] for field in fields.list}
    return [by_name.get(name) for name in names]


class Texts(unittest.TestCase):
    def test_consecutive_texts(self):
        rows = re.findall(r"^\| `(\S+)` \| ([01 ]+) \|", PAGE, re.MULTILINE)
        self.assertEqual([row[0] for row in rows], ["hi", "chat", "chatter", "é"])
        reader = reader_of("".join(digits for _, digits in rows))
        for text, _ in rows:
            self.assertEqual(read_text(reader, 20), text.encode())
        self.assertEqual(reader.pos, reader.end)

    def test_a_text_that_is_too_long_is_refused(self):
        for digits in ("1 10001 1011 1101000", "0 0 0100" + "0" * 16):
            with self.assertRaises(Refused):
                read_text(reader_of(digits), 1)

    def test_escapes(self):
        end = code_of(OTHER, END)
        reader = reader_of("1", code_of(SPACE, ESCAPE), "1100 0011", end)
        self.assertEqual(read_text(reader, 1), b"\xc3")
        self.assertEqual(reader.pos, reader.end)
        with self.assertRaises(Refused):
            read_text(reader_of("1", code_of(SPACE, ESCAPE), "1000 0110", end), 1)

    def test_a_text_alone_has_no_prefix_and_leaves_none(self):
        reader = reader_of("1 10001 1011 1101000", "1 10001 1011 1101000")
        reader.previous = b"chat"
        self.assertEqual(read_text_alone(reader, 9), b"hi")
        self.assertEqual(reader.previous, b"chat")


class Moves(unittest.TestCase):
    def test_the_moves_of_a_client(self):
        data, digits = blocks_after("The first packet of a sender carries two moves")[:2]
        fields = Fields(BitReader(bytes_of(data)))
        self.assertEqual(read_moves(fields, 0, None), 2)
        names = ("moves.first", "moves.0.y", "moves.0.triggers", "moves.1.y", "moves.1.yaw", "moves.1.triggers")
        self.assertEqual(values(fields, *names), [1, 16, 1 << 2, 16, -300, 0])
        names = ("moves.checksum", "moves.firstPerson", "moves.fov")
        self.assertEqual(values(fields, *names), [0x1234, False, 100])
        self.assertEqual(fields.reader.pos, len(listing(digits)))

    def test_the_answer_of_a_server(self):
        data, digits = blocks_after("The receiver has done both moves")[:2]
        fields = Fields(BitReader(bytes_of(data)))
        nothing = SimpleNamespace(control_form=lambda name: None)
        self.assertEqual(read_answer(fields, 0, nothing), 2)
        names = ("moves.state.name", "moves.state.bits", "moves.pain", "moves.whiteout")
        self.assertEqual(values(fields, *names), [5, "a50a", 63, 0])
        self.assertEqual(fields.reader.pos, len(listing(digits)))


class Commands(unittest.TestCase):
    def test_an_unordered_command(self):
        fields = Fields(reader_of(listing(blocks_after("The event section of `Hit")[0])))
        events, processed = Events(KINDS, "client", False, None, None), []
        events.read(fields, processed)
        self.assertEqual(fields.reader.pos, fields.reader.end)
        args = [("string", "hi"), ("whole", -3), ("true", True)]
        self.assertEqual(
            processed,
            [
                {
                    "channel": -1,
                    "number": 0,
                    "kind": "command",
                    "name": "Hit",
                    "args": [{"kind": kind, "value": value} for kind, value in args],
                },
                {"channel": 0, "number": 0, "kind": "announce"},
            ],
        )
        self.assertEqual(events.tags, {0: b"Hit"})


class Worked(unittest.TestCase):
    def test_the_packet(self):
        """The packet has no sections but rate changes and events."""
        data, digits = blocks_after("This is a client's first data packet")[:2]
        fields = Fields(BitReader(bytes_of(data)))
        self.assertEqual(read_header(fields, 0), (3, [(1, 1)]))
        read_rates(fields)
        events, processed = Events(KINDS, "client", False, None, None), []
        events.read(fields, processed)
        self.assertEqual([event["kind"] for event in processed], ["announce", "command"])
        self.assertEqual(processed[1]["name"], "MessageSent")
        self.assertEqual(fields.reader.pos + 2, len(listing(digits)))


class GhostSections(unittest.TestCase):
    def setUp(self):
        self.ghosts = Ghosts(ClassList(CLASSES))
        self.create, _, self.update, self.updated = blocks_after("A class, number 7, has three groups")[:4]

    def read(self, block, packet):
        fields = Fields(BitReader(bytes_of(block)))
        self.ghosts.read(fields, packet, True)
        return fields

    def test_a_create_and_an_update(self):
        fields = self.read(self.create, 1)
        names = ["ghosts.creates.0." + name for name in ("class", "kind", "x", "y", "label", "holder")]
        self.assertEqual(values(fields, *names), [7, 3, 1000, 50, "hi", None])
        self.second_packet()
        fields = self.read(self.update, 3)
        self.assertEqual(values(fields, "ghosts.tick", "ghosts.updates.0.group1.newer"), [103, 101])
        cells = [field for field in fields.list if field[0] in ("ghosts.updates.0.x", "ghosts.updates.0.y")]
        self.assertEqual([cell[3:] for cell in cells], [(1031, 2), (49, 1)])
        self.assertEqual(fields.reader.pos, len(listing(self.updated)))

    def second_packet(self):
        """What packet 2, of tick 101, leaves."""
        self.ghosts.ticks[2] = 101
        self.ghosts.ghosts[0].store(2, 101, [(1, [1010, 50])])

    def test_a_lost_packet_changes_nothing(self):
        self.ghosts.read(Fields(BitReader(bytes_of(self.create))), 1, False)
        self.assertEqual(self.ghosts.ghosts, {})

    def test_an_update_of_an_unused_id_is_refused(self):
        self.ghosts.ticks[2] = 101
        with self.assertRaises(Refused):
            self.read(self.update, 3)

    def test_a_base_that_was_not_processed_is_refused(self):
        self.read(self.create, 1)
        with self.assertRaises(Refused):
            self.read(self.update, 3)


class Descriptions(unittest.TestCase):
    def test_an_unknown_datablock_class_is_refused(self):
        with self.assertRaises(Refused):
            Datablocks(ClassList(CLASSES)).read(b"\xff" * 8)
