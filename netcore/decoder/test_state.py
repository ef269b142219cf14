"""Tests of what receivers know: channels, verdicts, numbers, and baselines."""

import unittest
from types import SimpleNamespace

from bits import Refused
from classes import ClassList, Field
from events import Channel
from fields import Fields
from ghosts import Ghost, Section, golomb_order, predict, read_mask, toward_zero
from link import lost_numbers, read_control
from session import Direction
from test_bits import reader_of

FIELDS = [
    {"name": "position", "group": 1, "kind": "vector", "lo": -65536, "hi": 65536, "bits": 24, "rate": "velocity"},
    {"name": "velocity", "group": 1, "kind": "vector", "lo": -4096, "hi": 4096, "bits": 18},
    {"name": "heat", "group": 2, "kind": "number", "hi": 1, "bits": 8},
    {"name": "angle", "group": 3, "kind": "rotation", "bits": 10},
    {"name": "lit", "group": 4, "kind": "bool"},
    {"name": "health", "group": 5, "kind": "number", "hi": 1, "bits": 8, "jumps": True},
]
FORM = ClassList([{"name": "Thing", "parent": "", "kind": "net", "fields": FIELDS}]).classes[0]


class Channels(unittest.TestCase):
    def test_events_wait_for_those_before(self):
        channel = Channel()
        channel.keep([(1, "b"), (3, "d")])
        self.assertEqual(list(channel.ready()), [])
        channel.keep([(0, "a"), (1, "again")])
        self.assertEqual(list(channel.ready()), [(0, "a"), (1, "b")])
        channel.keep([(0, "copy"), (2, "c")])
        self.assertEqual(list(channel.ready()), [(2, "c"), (3, "d")])

    def test_the_window(self):
        channel = Channel()
        channel.keep([(4095, "last")])
        with self.assertRaises(Refused):
            channel.keep([(4096, "beyond")])

    def test_the_nearest_number(self):
        channel = Channel()
        channel.next = 1000
        for number in (1000, 999, 1000 - 127, 1000 + 127):
            self.assertEqual(channel.nearest(number & 255, 8), number)


class Verdicts(unittest.TestCase):
    def test_runs_go_down_from_the_ack(self):
        self.assertEqual(lost_numbers(20, [(3, 2), (0, 1), (5, 1)]), [16, 17, 15, 9])

    def test_fates(self):
        direction = Direction(bytes(32))
        direction.data = {number: SimpleNamespace(fate=None) for number in (1, 2, 4, 5)}
        direction.find_fates([(2, []), (4, [(1, 2)])])
        fates = {number: packet.fate for number, packet in direction.data.items()}
        self.assertEqual(fates, {1: "received", 2: "lost", 4: "received", 5: "unknown"})

    def test_the_number_of_a_packet(self):
        direction = Direction(bytes(32))
        self.assertEqual(direction.nearest(1, 1, 14), 1)
        self.assertEqual(direction.nearest(1, 16000, 14), 16000)
        direction.newest[1] = 16380
        self.assertEqual([direction.nearest(1, low, 14) for low in (16383, 5, 16300)], [16383, 16389, 16300])


class Control(unittest.TestCase):
    def read(self, kind, rest):
        fields = Fields(reader_of(kind, "0" * 48, "0", "0" * 8, rest))
        read_control(fields)
        self.assertEqual(fields.reader.pos, fields.reader.end)
        return [field[0] for field in fields.list[4:]], [field[3] for field in fields.list[4:]]

    def test_ping_and_pong(self):
        self.assertEqual(self.read("000", "1" + "0" * 47), (["newest"], [1]))
        self.assertEqual(self.read("100", "01" + "0" * 12 + "11000000"), (["ping", "waited"], [2, 3]))

    def test_a_challenge_is_shown_as_bytes(self):
        self.assertEqual(self.read("001", "10000000" + "0" * 56), (["challenge"], ["0100000000000000"]))
        self.assertEqual(self.read("101", "00001111" + "0" * 56), (["challenge"], ["f000000000000000"]))


class Baselines(unittest.TestCase):
    def setUp(self):
        self.ghost = Ghost(FORM, 1)
        for packet, tick, code in ((1, 100, 10), (2, 103, 20), (5, 110, 40)):
            self.ghost.store(packet, tick, [(2, [code])])

    def section(self, packet, base, tick, age=0):
        section = Section(Fields(reader_of("")), packet)
        section.base, section.tick, section.limit = base, tick, 60 << age
        return section

    def ticks(self, section, group=2):
        baseline = section.baseline(self.ghost, group)
        return baseline and [value and value.tick for value in (baseline.newer, baseline.older)]

    def test_only_values_up_to_the_base_count(self):
        self.assertEqual(self.ticks(self.section(6, 5, 112)), [110, 103])
        self.assertEqual(self.ticks(self.section(6, 4, 112)), [103, 100])
        self.assertEqual(self.ticks(self.section(6, 1, 112)), [100, None])
        self.assertIsNone(self.ticks(self.section(6, None, 112)))

    def test_old_values_do_not_count(self):
        self.assertEqual(self.ticks(self.section(6, 2, 160)), [103, 100])
        self.assertEqual(self.ticks(self.section(6, 2, 161)), [103, None])
        self.assertIsNone(self.ticks(self.section(6, 2, 164)))
        self.assertEqual(self.ticks(self.section(6, 2, 164, age=1)), [103, 100])

    def test_a_far_base(self):
        self.assertTrue(self.section(62, 1, 161).far(100))
        self.assertFalse(self.section(61, 1, 161).far(100))
        self.assertFalse(self.section(62, 1, 160).far(100))

    def test_values_that_no_base_needs_are_dropped(self):
        self.ghost.forget(5)
        self.assertEqual([value.tick for value in self.ghost.values[2]], [103, 110])
        self.ghost.forget(2)
        self.assertEqual([value.tick for value in self.ghost.values[2]], [103, 110])

    def test_only_smooth_groups_have_baselines(self):
        self.assertEqual(FORM.smooth, [False, True, True, True, False, False])

    def test_orders(self):
        orders = [golomb_order(since, span) for since, span in ((2, 1), (3, 1), (4, 1), (5, 1), (8, 1), (9, 1), (1, 0))]
        self.assertEqual(orders, [0, 1, 1, 2, 2, 3, 3])

    def test_prediction_with_two_values(self):
        baseline = self.section(6, 5, 113).baseline(self.ghost, 2)
        self.assertEqual(predict(FORM.groups[2][0], 0, baseline, [0]), 40 + 20 * 3 // 7)

    def test_prediction_of_an_angle_wraps(self):
        self.ghost.store(7, 120, [(3, [1020, 0, 0])])
        self.ghost.store(8, 121, [(3, [4, 0, 0])])
        baseline = self.section(9, 8, 122).baseline(self.ghost, 3)
        self.assertEqual(predict(FORM.groups[3][0], 0, baseline, [0] * 3), 12)

    def test_division_is_towards_zero(self):
        self.assertEqual([toward_zero(7, 2), toward_zero(-7, 2)], [3, -3])

    def test_a_rate_comes_first_and_predicts(self):
        names = [FORM.groups[1][i].name for i in FORM.orders[1]]
        self.assertEqual(names, [field + part for field in ("velocity", "position") for part in (".x", ".y", ".z")])
        cell = FORM.groups[1][0]
        self.assertEqual((cell.zero, cell.scale), (131071, 134219))
        self.ghost.store(7, 120, [(1, [500] * 3 + [131071 + 10] * 3)])
        baseline = self.section(8, 7, 122).baseline(self.ghost, 1)
        codes = [0, 0, 0, 131071 + 20, 0, 0]
        self.assertEqual(predict(cell, 0, baseline, codes), 500 + ((20 * 3 + 10) * 134219 >> 21))


class Masks(unittest.TestCase):
    def test_few_and_many_groups(self):
        few, many = SimpleNamespace(last_group=4), SimpleNamespace(last_group=9)
        self.assertEqual(read_mask(reader_of("0110"), few, 0), 12)
        self.assertEqual(read_mask(reader_of("1 0010"), many, 0), 1 << 5)
        self.assertEqual(read_mask(reader_of("0 100000001"), many, 0), 1 << 9 | 2)
        self.assertEqual(read_mask(reader_of("1"), many, 6), 6)
        self.assertEqual(read_mask(reader_of("0 1 0000"), many, 6), 2)


class Steps(unittest.TestCase):
    def test_a_step_of_a_fraction_counts_exactly(self):
        field = Field("at", "vector", lo=-65536, hi=65536, step=0.05)
        self.assertEqual(field.steps(), (-1310720, 1310720))
        self.assertEqual(field.number_cell(), (22, True))

    def test_a_step_that_does_not_divide_the_range(self):
        self.assertEqual(Field("at", "number", lo=-1, hi=10, step=3).steps(), (0, 3))
