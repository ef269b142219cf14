"""Texts: the prefix code in 29 contexts, and the prefix of the previous text."""

from pathlib import Path

from bits import Refused

# One row of code lengths per context, one digit per symbol: end, escape, and the bytes 20h to 7Eh.
LENGTHS = Path(__file__).resolve().parent.parent / "bitstream" / "lengths.txt"

END, ESCAPE, FIRST_BYTE = 0, 1, 0x20
LAST_BYTE = 0x7E
SPACE, DIGIT, OTHER = 26, 27, 28
LONGEST_PREFIX = 31


def canonical(lengths):
    """The symbols of a context by (length, code): in order of length, then symbol."""
    symbols = {}
    code = length = 0
    for symbol in sorted(range(len(lengths)), key=lambda s: lengths[s]):
        code <<= lengths[symbol] - length
        length = lengths[symbol]
        symbols[length, code] = symbol
        code += 1
    if code != 1 << length:
        raise ValueError("a row of code lengths is not complete")
    return symbols


CODES = [canonical([int(digit) for digit in row]) for row in LENGTHS.read_text().split()]


def context_of(byte):
    """The context behind a byte."""
    letter = (byte | 0x20) - ord("a")
    if 0 <= letter < 26:
        return letter
    if byte == ord(" "):
        return SPACE
    return DIGIT if ord("0") <= byte <= ord("9") else OTHER


def read_symbol(reader, context):
    symbols = CODES[context]
    code = length = 0
    while True:
        code = code << 1 | reader.flag()
        length += 1
        symbol = symbols.get((length, code))
        if symbol is not None:
            return symbol


def read_escaped(reader):
    byte = reader.bits(8)
    if FIRST_BYTE <= byte <= LAST_BYTE:
        raise Refused("an escaped byte %02xh, which has a code" % byte)
    return byte


def read_codes(reader, prefix, most):
    text = bytearray(prefix)
    while True:
        symbol = read_symbol(reader, context_of(text[-1]) if text else SPACE)
        if symbol == END:
            return bytes(text)
        text.append(read_escaped(reader) if symbol == ESCAPE else symbol - 2 + FIRST_BYTE)
        if len(text) > most:
            raise Refused("a text of more than %d bytes" % most)


def read_prefix(reader):
    previous = reader.previous
    if len(previous) < 3 or not reader.flag():
        return b""
    return previous[: reader.ranged(3, min(len(previous), LONGEST_PREFIX))]


def read_text(reader, most):
    """The bytes of a text. It becomes the previous text."""
    prefix = read_prefix(reader)
    if len(prefix) > most:
        raise Refused("a text of more than %d bytes" % most)
    if reader.flag():
        text = read_codes(reader, prefix, most)
    else:
        text = prefix + reader.bytes(most - len(prefix))
    reader.previous = text
    return text


def read_text_alone(reader, most):
    """A text encoded as if there were no previous text, as in a cell. It leaves the previous text."""
    previous, reader.previous = reader.previous, b""
    text = read_text(reader, most)
    reader.previous = previous
    return text
