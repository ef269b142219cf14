"""The primitives of PROTOCOL.md, read from bytes with the lowest bit first."""

import struct


class Refused(Exception):
    """A value that PROTOCOL.md refuses, or a read past the end."""


def width_of(span):
    """Bits of the binary form of span."""
    return span.bit_length()


def low_bits_at_or_above(low, bits, reference):
    """The first number at or above reference whose low bits are low."""
    return reference + (low - reference) % (1 << bits)


def unfold(folded):
    """The signed number of a folded one: 0, 1, 2, 3 are 0, -1, 1, -2."""
    return -(folded >> 1) - 1 if folded & 1 else folded >> 1


def float64_of(bits):
    """The number whose IEEE 754 form is bits."""
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


class BitReader:
    """A position in bytes. `previous` is the previous text (PROTOCOL.md, Text)."""

    def __init__(self, data, end=None):
        self.data = data
        self.pos = 0
        self.end = 8 * len(data) if end is None else end
        self.previous = b""

    def bits(self, n):
        """An unsigned integer of n bits."""
        begin = self.pos
        end = begin + n
        if end > self.end:
            raise Refused("a read past the end")
        self.pos = end
        word = int.from_bytes(self.data[begin >> 3 : (end + 7) >> 3], "little")
        return word >> (begin & 7) & ((1 << n) - 1)

    def flag(self):
        """One bit."""
        begin = self.pos
        if begin >= self.end:
            raise Refused("a read past the end")
        self.pos = begin + 1
        return self.data[begin >> 3] >> (begin & 7) & 1 == 1

    def run(self, bit, most):
        """How many bits in a row equal bit; it also reads the other bit that ends them."""
        count = 0
        while self.flag() == bit:
            count += 1
            if count >= most:
                raise Refused("%d equal bits" % count)
        return count

    def ranged(self, lo, hi):
        value = lo + self.bits(width_of(hi - lo))
        if value > hi:
            raise Refused("%d is above %d" % (value, hi))
        return value

    def var(self):
        kind = 0
        while kind < 4 and self.flag():
            kind += 1
        value = self.bits(4 << kind)
        if kind and value < 1 << (2 << kind):
            raise Refused("a var longer than needed")
        return value

    def gamma(self):
        zeros = self.run(False, 64)
        return 1 << zeros | self.bits(zeros)

    def rice(self, k):
        return self.run(True, 1 << 17) << k | self.bits(k)

    def golomb(self, k):
        high = self.run(False, 64) + k
        return (1 << high | self.bits(high)) - (1 << k)

    def raw(self, length):
        """Whole bytes, at any position."""
        if 8 * length > self.end - self.pos:
            raise Refused("a read past the end")
        return self.bits(8 * length).to_bytes(length, "little")

    def bytes(self, most):
        """Bytes with their length in front."""
        length = self.var()
        if length > most:
            raise Refused("%d bytes, at most %d" % (length, most))
        return self.raw(length)
