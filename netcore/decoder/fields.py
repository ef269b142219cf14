"""The fields of a packet: names, positions and values as `torc dissect --json` prints them."""

from text import read_text, read_text_alone


def printable(text):
    """A text as a string, or its bytes in hexadecimal digits if it is not UTF-8."""
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return {"hex": text.hex()}


class Fields:
    """A reader that keeps each value it reads as a field (name, from, to, value[, residual]). Check is net.check."""

    def __init__(self, reader, check=False):
        self.reader = reader
        self.check = check
        self.list = []

    def add(self, name, begin, value):
        """A value that was read from the bit begin on."""
        self.list.append((name, begin, self.reader.pos, value))
        return value

    def derived(self, name, value):
        self.list.append((name, self.reader.pos, self.reader.pos, value))
        return value

    def flag(self, name):
        begin = self.reader.pos
        return self.add(name, begin, self.reader.flag())

    def bits(self, name, n):
        begin = self.reader.pos
        return self.add(name, begin, self.reader.bits(n))

    def ranged(self, name, lo, hi):
        begin = self.reader.pos
        return self.add(name, begin, self.reader.ranged(lo, hi))

    def var(self, name):
        begin = self.reader.pos
        return self.add(name, begin, self.reader.var())

    def gamma(self, name, less):
        """A gamma of a number plus less."""
        begin = self.reader.pos
        return self.add(name, begin, self.reader.gamma() - less)

    def text(self, name, most):
        begin = self.reader.pos
        text = read_text(self.reader, most)
        self.add(name, begin, printable(text))
        return text

    def text_alone(self, name, most):
        begin = self.reader.pos
        text = read_text_alone(self.reader, most)
        self.add(name, begin, printable(text))
        return text

    def raw(self, name, length):
        """Bytes of a fixed number."""
        begin = self.reader.pos
        raw = self.reader.raw(length)
        self.add(name, begin, raw.hex())
        return raw

    def bytes(self, name, most):
        """Bytes with their length in front, as hexadecimal digits."""
        begin = self.reader.pos
        raw = self.reader.bytes(most)
        self.add(name, begin, raw.hex())
        return raw

    def bytes_text(self, name, most):
        """Bytes with their length in front that are a text for people."""
        begin = self.reader.pos
        raw = self.reader.bytes(most)
        self.add(name, begin, printable(raw))
        return raw
