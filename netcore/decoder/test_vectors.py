"""Tests with the test vectors: captures, and what torc dissect makes of them."""

import json
import tempfile
import unittest
from pathlib import Path

from capture import Damage
from compare import compare, packet_difference
from packets import decode_capture

VECTORS = Path(__file__).resolve().parent.parent / "testdata" / "vectors"


def expected(name):
    """The objects of torc dissect by the numbers of their packets."""
    lines = (VECTORS / (name + ".json")).read_text(encoding="utf-8").splitlines()
    return {found["packet"]: found for found in map(json.loads, lines)}


class Vectors(unittest.TestCase):
    def test_all_agree(self):
        captures = sorted(VECTORS.glob("*.capture"))
        self.assertGreaterEqual(len(captures), 5)
        for capture in captures:
            with self.subTest(capture.name):
                packets, fields, difference = compare(decode_capture(capture), capture.with_suffix(".json"))
                self.assertIsNone(difference)
                self.assertGreaterEqual(packets, 10)
                self.assertGreater(fields, packets)

    def test_each_changed_field_is_found(self):
        theirs = expected("ghosts")
        for ours in decode_capture(VECTORS / "ghosts.capture"):
            if ours["packet"] in theirs:
                self.changes(ours, theirs[ours["packet"]])

    def changes(self, ours, theirs):
        for i, field in enumerate(theirs.get("fields", ())):
            for key in ("name", "from", "to", "value", "residual"):
                changed = {**field, key: "another"}
                fields = theirs["fields"][:i] + [changed] + theirs["fields"][i + 1 :]
                self.assertIn(changed["name"], packet_difference(ours, {**theirs, "fields": fields}))
        self.assertIsNone(packet_difference(ours, theirs))

    def test_each_changed_event_is_found(self):
        theirs = expected("events")
        found = 0
        for ours in decode_capture(VECTORS / "events.capture"):
            for event in theirs.get(ours["packet"], {}).get("processed", ()):
                for key in ("channel", "number", "kind", "name", "args"):
                    changed = dict(event)
                    changed[key] = "another"
                    others = {**theirs[ours["packet"]], "processed": [changed]}
                    self.assertIn("processed event 0", packet_difference(ours, others))
                    found += 1
        self.assertGreater(found, 100)

    def test_a_missing_packet_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "more.json"
            path.write_text((VECTORS / "join.json").read_text(encoding="utf-8") + '{"packet":1000}\n', encoding="utf-8")
            self.assertIn("1000 is missing", compare(decode_capture(VECTORS / "join.capture"), path)[2])


class Damaged(unittest.TestCase):
    def decode(self, lines):
        """How many packets are shown, and the sentence at the end. It keeps the last packet."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "damaged.capture"
            path.write_text("".join(lines), encoding="utf-8")
            shown = 0
            try:
                for self.last in decode_capture(path):
                    shown += 1
            except Damage as damage:
                return shown, str(damage)
            return shown, None

    def setUp(self):
        self.lines = (VECTORS / "join.capture").read_text(encoding="utf-8").splitlines(keepends=True)

    def test_a_cut_file_shows_the_packets_before_the_cut(self):
        whole, _ = self.decode(self.lines)
        shown, reason = self.decode(self.lines[:-1] + [self.lines[-1][:40]])
        self.assertEqual(shown, whole - 1)
        self.assertIn("line %d:" % len(self.lines), reason)

    def test_another_format_is_refused(self):
        header = json.loads(self.lines[0])
        header["format"] = 2
        self.assertEqual(self.decode([json.dumps(header) + "\n"] + self.lines[1:])[0], 0)

    def test_a_packet_that_does_not_open_is_no_damage(self):
        whole, _ = self.decode(self.lines)
        packet = json.loads(self.lines[-1])
        packet["data"] = packet["data"][:-2] + format(int(packet["data"][-2:], 16) ^ 1, "02x")
        self.assertEqual(self.decode(self.lines + [json.dumps(packet) + "\n"]), (whole + 1, None))
        self.assertEqual(self.last["type"], "sealed")
        self.assertNotIn("bits", self.last)
