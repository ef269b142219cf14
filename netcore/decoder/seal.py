"""ChaCha20-Poly1305 (RFC 8439), and the seal of packets with its keys."""

import struct

MASK = 0xFFFFFFFF
CONSTANTS = struct.unpack("<4I", b"expand 32-byte k")
PRIME = (1 << 130) - 5
CLAMP = 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
TAG = 16


def quarter(a, b, c, d):
    a = a + b & MASK
    d ^= a
    d = (d << 16 | d >> 16) & MASK
    c = c + d & MASK
    b ^= c
    b = (b << 12 | b >> 20) & MASK
    a = a + b & MASK
    d ^= a
    d = (d << 8 | d >> 24) & MASK
    c = c + d & MASK
    b ^= c
    b = (b << 7 | b >> 25) & MASK
    return a, b, c, d


def chacha20_block(key, counter, nonce):
    """64 bytes of the key stream."""
    state = CONSTANTS + struct.unpack("<8I", key) + (counter,) + struct.unpack("<3I", nonce)
    a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p = state
    for _ in range(10):
        a, e, i, m = quarter(a, e, i, m)
        b, f, j, n = quarter(b, f, j, n)
        c, g, k, o = quarter(c, g, k, o)
        d, h, l, p = quarter(d, h, l, p)
        a, f, k, p = quarter(a, f, k, p)
        b, g, l, m = quarter(b, g, l, m)
        c, h, i, n = quarter(c, h, i, n)
        d, e, j, o = quarter(d, e, j, o)
    mixed = (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
    return struct.pack("<16I", *[x + y & MASK for x, y in zip(mixed, state)])


def chacha20(key, counter, nonce, data):
    """Data xor the key stream from the block counter."""
    blocks = range(counter, counter + (len(data) + 63) // 64)
    stream = b"".join(chacha20_block(key, block, nonce) for block in blocks)[: len(data)]
    mixed = int.from_bytes(data, "little") ^ int.from_bytes(stream, "little")
    return mixed.to_bytes(len(data), "little")


def poly1305(key, message):
    r = int.from_bytes(key[:16], "little") & CLAMP
    total = 0
    for at in range(0, len(message), 16):
        total = (total + int.from_bytes(message[at : at + 16] + b"\1", "little")) * r % PRIME
    total += int.from_bytes(key[16:32], "little")
    return (total & (1 << 128) - 1).to_bytes(16, "little")


def padded(data):
    return data + bytes(-len(data) % 16)


def tag_of(key, nonce, ciphertext, associated):
    lengths = struct.pack("<QQ", len(associated), len(ciphertext))
    message = padded(associated) + padded(ciphertext) + lengths
    return poly1305(chacha20_block(key, 0, nonce), message)


def seal(key, nonce, plaintext, associated):
    ciphertext = chacha20(key, 1, nonce, plaintext)
    return ciphertext + tag_of(key, nonce, ciphertext, associated)


def unseal(key, nonce, sealed, associated):
    """The plaintext, or None if the tag is wrong."""
    if len(sealed) < TAG:
        return None
    ciphertext, tag = sealed[:-TAG], sealed[-TAG:]
    if tag != tag_of(key, nonce, ciphertext, associated):
        return None
    return chacha20(key, 1, nonce, ciphertext)


def nonce_of(kind, number):
    """The nonce of a packet: its kind, three zeros, its number."""
    return struct.pack("<B3xQ", kind, number)


def rekey(key):
    """The key that follows (PROTOCOL.md, New keys)."""
    return seal(key, bytes(4) + b"\xff" * 8, bytes(32), b"")[:32]


class Keys:
    """The keys of one direction: the present one, the one before, and the next one."""

    def __init__(self, first):
        self.first = self.present = first
        self.before = None
        self.next = rekey(first)

    def unseal(self, kind, number, sealed, associated):
        """The plaintext, or None. The first packet under the next key makes it the present one."""
        nonce = nonce_of(kind, number)
        for key in (self.present, self.before, self.next):
            plaintext = key and unseal(key, nonce, sealed, associated)
            if plaintext is not None:
                if key is self.next:
                    self.before, self.present, self.next = self.present, key, rekey(key)
                return plaintext
        return None
