"""Tests of the primitives."""

import unittest

from bits import BitReader, Refused, float64_of, low_bits_at_or_above, unfold


def reader_of(*parts):
    """A reader of digits in the order of the stream, as PROTOCOL.md writes them."""
    digits = "".join(parts).replace(" ", "")
    return BitReader(int(digits[::-1] or "0", 2).to_bytes((len(digits) + 7) // 8, "little"), len(digits))


class Numbers(unittest.TestCase):
    def test_bits_begin_with_the_lowest(self):
        reader = BitReader(b"\xb4\x01")
        self.assertEqual([reader.bits(3), reader.bits(6)], [4, 0x36])

    def test_bits_of_no_width_are_zero(self):
        self.assertEqual(BitReader(b"").bits(0), 0)

    def test_bits_cross_bytes(self):
        reader = BitReader(bytes(range(1, 12)))
        reader.bits(5)
        self.assertEqual(reader.bits(64), int.from_bytes(bytes(range(1, 12)), "little") >> 5 & (1 << 64) - 1)

    def test_a_read_past_the_end_is_refused(self):
        for read in (lambda r: r.bits(9), lambda r: [r.flag() for _ in range(9)], lambda r: r.raw(2)):
            with self.assertRaises(Refused):
                read(BitReader(b"\xff"))

    def test_ranged(self):
        self.assertEqual(reader_of("11000").ranged(0, 20), 3)
        self.assertEqual(reader_of("").ranged(4, 4), 4)
        with self.assertRaises(Refused):
            reader_of("1111").ranged(0, 12)

    def test_var(self):
        self.assertEqual(reader_of("0 1100").var(), 3)
        self.assertEqual(reader_of("10 00001000").var(), 16)
        self.assertEqual(reader_of("1111", "1" * 64).var(), (1 << 64) - 1)

    def test_a_var_longer_than_needed_is_refused(self):
        for digits in ("10 11110000", "110" + "1" * 8 + "0" * 8, "1110" + "1" * 16 + "0" * 16):
            with self.assertRaises(Refused):
                reader_of(digits).var()

    def test_gamma(self):
        self.assertEqual([reader_of(digits).gamma() for digits in ("1", "010", "011", "00100")], [1, 2, 3, 4])
        with self.assertRaises(Refused):
            reader_of("0" * 64 + "1" * 65).gamma()

    def test_rice(self):
        self.assertEqual(reader_of("110 10").rice(2), 2 * 4 + 1)
        self.assertEqual(reader_of("0").rice(0), 0)

    def test_golomb(self):
        """All values of an order have the width of the page, and follow each other."""
        for k in range(4):
            for value in range(200):
                high = (value + (1 << k)).bit_length() - 1
                low = (value + (1 << k)) & ((1 << high) - 1)
                digits = "0" * (high - k) + "1" + format(low, "0%db" % high)[::-1] * (high > 0)
                reader = reader_of(digits)
                self.assertEqual(reader.golomb(k), value)
                self.assertEqual(reader.pos, 2 * high + 1 - k)

    def test_bytes(self):
        reader = reader_of("1", "0 0100", "11000011", "10010101")
        reader.flag()
        self.assertEqual(reader.bytes(2), b"\xc3\xa9")
        with self.assertRaises(Refused):
            reader_of("0 1100", "0" * 24).bytes(2)


class Conversions(unittest.TestCase):
    def test_unfold(self):
        self.assertEqual([unfold(folded) for folded in range(5)], [0, -1, 1, -2, 2])

    def test_low_bits(self):
        self.assertEqual(low_bits_at_or_above(3, 5, 3), 3)
        self.assertEqual(low_bits_at_or_above(3, 5, 4), 35)
        self.assertEqual(low_bits_at_or_above(60, 6, -29), -4)

    def test_float64(self):
        self.assertEqual(float64_of(0x4036000000000000), 22.0)
