#!/usr/bin/env python3
"""A client of torc in one file: it joins a server, follows the objects there, sends commands, and leaves.

    python3 client.py 192.0.2.2:28000 --name Ann

It is written from netcore/PROTOCOL.md. Words in parentheses, such as (Verdicts), are sections of that page. It reads
two files beside that page: the code lengths of texts, and the class list. It needs Python 3.8 and cryptography.

A line of its input is a line of chat. `/name arg ...` sends a command to the mods of the server, and `/ghosts` prints
all objects as JSON, one on a line. At the end of the input, the client leaves.
"""

import argparse, binascii, collections, contextlib, hashlib, hmac
import json, math, os, re, select, socket, struct, sys, types
from pathlib import Path
from time import monotonic as clock

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ROOT = Path(__file__).resolve().parent.parent
VERSION = 6
TICK, HOLD, TIMEOUT = 0.032, 0.016, 45  # seconds: between data packets, behind a gap (torc measures it), of silence
WINDOW = 1024
DATA, CONTROL, DROP = 1, 2, 3  # kinds of packets

# The table of events (What the engine sends): name, direction (0 either, 1 to the server, 2 to the client).
KINDS = [("announce", 0), ("fragment", 0), ("claim", 0), ("camera", 2), ("command", 0), ("description", 2), ("hello", 2),
         ("pace", 2), ("phaseAnswer", 1), ("phaseStep", 2), ("recording", 2)]
KIND_BITS = 4
ANNOUNCE, FRAGMENT, CLAIM, CAMERA, COMMAND, DESCRIPTION, HELLO, PACE, ANSWER, STEP, RECORDING = range(11)
BOOL, NUMBER, STRING, TAG, VECTOR, ROTATION, OBJECT = range(1, 8)  # kinds of fields (The class list)

class Ended(Exception):
    """The connection is over."""

def require(held, rule):
    if not held:
        raise Ended("the server broke a rule: " + rule)

# Primitives

def code_tables():
    """The prefix codes of texts: for each context a map from (length, code) to the symbol."""
    for line in (ROOT / "netcore/bitstream/lengths.txt").read_text().split():
        table, code, length = {}, 0, 0
        for digit, symbol in sorted((int(digit), symbol) for symbol, digit in enumerate(line)):
            code, length = code << digit - length, digit
            table[length, code] = symbol
            code += 1
        yield table

CODES = list(code_tables())

def context(text):
    """The context of the next symbol: the kind of the byte before."""
    last = chr(text[-1]).lower() if text else " "
    return ord(last) - ord("a") if "a" <= last <= "z" else 26 if last == " " else 27 if "0" <= last <= "9" else 28

class Reader:
    """Reads values from bytes, the lowest bit first."""

    def __init__(self, data):
        self.value, self.at, self.end, self.previous = int.from_bytes(data, "little"), 0, 8 * len(data), b""

    def flag(self): return self.bits(1) == 1
    def gamma(self): return self.golomb(0) + 1
    def rice(self, k): return self.ones(self.end) << k | self.bits(k)
    def raw(self, n): return self.bits(8 * n).to_bytes(n, "little")
    def float64(self): return struct.unpack("<d", self.raw(8))[0]

    def bits(self, n):
        require(self.at + n <= self.end, "a read past the end")
        self.at += n
        return self.value >> self.at - n & (1 << n) - 1

    def ones(self, most):
        """Counts ones up to a zero. Behind the most there is no zero."""
        n = 0
        while n < most and self.flag():
            n += 1
        return n

    def ranged(self, lo, hi):
        value = lo + self.bits((hi - lo).bit_length())
        require(value <= hi, "a value above its range")
        return value

    def var(self):
        form = self.ones(4)
        value = self.bits(4 << form)
        require(form == 0 or value >> (2 << form), "a longer form than needed")
        return value

    def golomb(self, k):
        m = k
        while not self.flag():
            m += 1
            require(m < 64, "64 zeros")
        return (1 << m | self.bits(m)) - (1 << k)

    def bytes(self, most):
        n = self.var()
        require(n <= most, "too many bytes")
        return self.raw(n)

    def text(self, most):
        text = b""
        if len(self.previous) >= 3 and self.flag():
            text = self.previous[:self.ranged(3, min(31, len(self.previous)))]
        if not self.flag():
            text += self.bytes(most - len(text))
        else:
            while (symbol := self.symbol(CODES[context(text)], 0, 0)) > 0:  # 0 ends the text, 1 is an escape
                text += bytes([symbol + 30 if symbol > 1 else self.bits(8)])
                require(len(text) <= most, "a text that is too long")
        self.previous = text
        return text

    def symbol(self, table, length, code):
        symbol = table.get((length, code))
        return symbol if symbol is not None else self.symbol(table, length + 1, code << 1 | self.bits(1))

class Writer:
    """Writes values into bytes, the lowest bit first."""

    def __init__(self, previous=b""):
        self.value, self.at, self.previous = 0, 0, previous

    def data(self): return self.value.to_bytes((self.at + 7) // 8, "little")

    def bits(self, *values):
        """Writes numbers, each followed by its width."""
        for value, n in zip(values[::2], values[1::2]):
            self.value |= (value & (1 << n) - 1) << self.at
            self.at += n

    def var(self, value):
        form = sum(value >> (4 << form) > 0 for form in range(4))
        self.bits((1 << form) - 1, min(form + 1, 4), value, 4 << form)

    def gamma(self, value):
        k = value.bit_length() - 1
        self.bits(1 << k, k + 1, value, k)

    def bytes(self, data):
        self.var(len(data))
        self.bits(int.from_bytes(data, "little"), 8 * len(data))

    def text(self, text):
        """Writes a text without prefix and codes. A reader must accept that."""
        self.bits(0, 2 if len(self.previous) >= 3 else 1)
        self.bytes(text)
        self.previous = text

# Seals (Packets, New keys)

def nonce(kind, number): return struct.pack("<IQ", kind, number)
def seal(key, kind, number, text, clear): return ChaCha20Poly1305(key).encrypt(nonce(kind, number), text, clear)
def next_key(key): return ChaCha20Poly1305(key).encrypt(bytes(4) + b"\xff" * 8, bytes(32), None)[:32]

def unseal(key, kind, number, sealed, clear):
    """The text, or None if the tag is wrong."""
    try:
        return ChaCha20Poly1305(key).decrypt(nonce(kind, number), sealed, clear)
    except InvalidTag:
        return None

# Handshake

def blake(*parts): return hashlib.blake2s(b"".join(parts)).digest()
def public(key): return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

def dh(private, other): return private.exchange(X25519PublicKey.from_public_bytes(other))

def hkdf(chain, secret):
    """Two keys."""
    key = hmac.digest(chain, secret, hashlib.blake2s)
    first = hmac.digest(key, b"\1", hashlib.blake2s)
    return first, hmac.digest(key, first + b"\2", hashlib.blake2s)

def noise(prologue, server, own, payload):
    """The initiator of Noise_IK: yields message 1, takes message 2, yields its payload and the keys of the session."""
    ephemeral, chain = X25519PrivateKey.generate(), blake(b"Noise_IK_25519_ChaChaPoly_BLAKE2s")
    message = public(ephemeral)
    hashed = blake(blake(blake(chain, prologue), server), message)
    for private, text in (ephemeral, public(own)), (own, payload):
        chain, key = hkdf(chain, dh(private, server))
        sealed = ChaCha20Poly1305(key).encrypt(bytes(12), text, hashed)
        hashed, message = blake(hashed, sealed), message + sealed
    answer = yield message
    for private in ephemeral, own:
        chain, key = hkdf(chain, dh(private, answer[:32]))
    yield ChaCha20Poly1305(key).decrypt(bytes(12), answer[32:], blake(hashed, answer[:32])), hkdf(chain, b"")

def solve(prefix, difficulty):
    require(difficulty <= 22, "a puzzle that is too hard")
    number = 0
    while int.from_bytes(hashlib.sha256(prefix + struct.pack("<Q", number)).digest(), "big") >> 256 - difficulty:
        number += 1
    return struct.pack("<Q", number)

def accepted(text):
    r = Reader(text)
    if not r.flag():
        raise Ended("refused: " + r.bytes(255).decode())
    return r

class Session:
    """An accepted connection: its socket, its keys, whether packets have marks, and the route."""

    def __init__(self, sock, args, class_hash):
        self.sock, self.args, self.class_hash, self.until = sock, args, class_hash, clock() + 15
        while not self.attempt(os.urandom(16)):
            pass

    def exchange(self, packet, *kinds):
        """Sends a packet until an answer of a type comes. The answer b"" means: begin anew."""
        for wait in [0.25, 0.3, 0.4, 0.4, 0.4, 0.4]:
            self.sock.send(packet)
            end = clock() + wait
            while select.select([self.sock], [], [], max(0, end - clock()))[0]:
                answer = self.sock.recv(2048)
                kind = (answer[0] - 0xC0) / 4 if answer[1:17] == packet[1:17] else None
                if kind == 11:  # busy: the client waits for its turn
                    self.until = clock() + 15
                elif kind == 7 or kind in kinds:
                    return answer if kind in kinds else b""
            if clock() > self.until:
                raise Ended("no answer")
        return b""

    def attempt(self, draw):
        reply = self.exchange(b"\xc4" + draw + b"torc" + bytes(59), 2)
        while reply[:1] == b"\xc8":  # again if the puzzle has become harder
            if len(reply) != 70 or binascii.crc32(reply[:66]) != int.from_bytes(reply[66:], "little"):
                return False
            cookie, server_key, difficulty = reply[17:33], reply[33:65], reply[65:66]
            if self.args.key not in ("", server_key.hex()):
                raise Ended("the server has another key: " + server_key.hex())
            greeting = Writer()
            greeting.bits(VERSION, 32)
            greeting.bytes(b"torc")
            greeting.bits(self.class_hash, 64)
            messages = noise(b"torc handshake" + draw + cookie, server_key, self.args.own, greeting.data())
            head = b"\xcc" + draw + cookie + difficulty + solve(draw + cookie, difficulty[0])
            reply = self.exchange(head + next(messages), 2, 4)
        if not reply:
            return False
        text, (self.send_key, self.open_key) = messages.send(reply[17:])
        accepted(text)
        return self.introduce(draw)

    def introduce(self, draw):
        w = Writer()
        w.bytes(self.args.name.encode())
        w.bytes(self.args.password.encode())
        # No arguments; what the line carries, in packets of up to 1,200 bytes; marks; a player.
        w.bits(0, 5, 0, 16, 1100, 11, self.args.check, 1, 0, 8)
        clear = b"\xd4" + draw + b"\0"  # the first piece of one
        verdict = self.exchange(clear + seal(self.send_key, 0, 1, w.data(), clear), 6)
        text = unseal(self.open_key, 0, 1, verdict[17:], verdict[:17])
        if text is not None:
            r = accepted(text)
            self.check, _, self.route = r.flag(), r.bits(27), (r.raw(8), r.raw(16))  # its rate is above ours
        return text is not None

# Packets

class Link:
    """The packets of a connection: numbers, seals, verdicts, acks and control packets."""

    def __init__(self, session, events, ghosts):
        self.sock, self.check, self.route = session.sock, session.check, session.route
        self.events, self.ghosts, self.controls = events, ghosts, None  # the id of the ghost that we control
        self.send_key, self.open_key, self.old_key, self.old_until = session.send_key, session.open_key, b"", 0
        self.expect_key, self.renewal, self.renewed = False, "", clock()  # of our key: "", "due" or "sent"; since when
        self.heard = self.arrival = clock()  # of any packet; of the newest data packet that was processed
        self.verdict, self.lost, self.kept = 0, set(), {}  # the newest verdict, lost numbers, packets behind gaps
        self.last, self.ping = {CONTROL: 0, DROP: 0}, (0, math.inf)  # the number in a ping, and when it is settled
        self.reference, self.floor = 0, 0  # the newest ack that we processed; the newest of ours that was delivered
        self.number, self.acked, self.sent = {DATA: 0, CONTROL: 0, DROP: 0}, 0, {}
        self.pauses, self.lost_sent = {}, 0

    def receive(self, packet, now):
        if packet[:1] == b"\xe0" and hmac.compare_digest(packet[1:], self.route[1]):
            raise Ended("the server has started again")
        kind, low = packet[0] & 3, int.from_bytes(packet[:2], "little") >> 2
        last = self.verdict if kind == DATA else self.last.get(kind, 0)
        number = last + 1 + (low - last - 1) % (1 << 14)
        text = self.open(kind, number, packet, now) if kind and len(packet) >= 18 and number - last <= 8192 else None
        if text is None:
            return
        self.heard = now
        if kind == DATA:
            require(number <= self.verdict + WINDOW, "a packet beyond the window")
            self.kept.setdefault(number, (text, now))
            self.settle(min(self.kept) if len(self.kept) > 32 else 0)
            return
        self.last[kind], r = number, Reader(text)
        if kind == CONTROL:
            self.read_control(r, number, now)
        else:
            self.control(3, now)
            raise Ended(f"the server ended the connection, code {r.bits(5)}: {r.text(255).decode(errors='replace')!r}")

    def open(self, kind, number, packet, now):
        """Opens a packet with the key, or the one before for two seconds, or the announced one (New keys)."""
        text = unseal(self.open_key, kind, number, packet[2:], packet[:2])
        if text is None and now < self.old_until:
            text = unseal(self.old_key, kind, number, packet[2:], packet[:2])
        if text is None and self.expect_key:
            text = unseal(next_key(self.open_key), kind, number, packet[2:], packet[:2])
            if text is not None:
                self.old_key, self.old_until, self.expect_key = self.open_key, now + 2, False
                self.open_key = next_key(self.open_key)
        return text

    def settle(self, number):
        """Gives verdicts to the numbers up to this one, and to those that follow without a gap (Verdicts)."""
        while self.verdict < number or self.verdict + 1 in self.kept:
            self.verdict += 1
            if self.verdict in self.kept:
                text, self.arrival = self.kept.pop(self.verdict)
                self.process(text)
            else:
                self.lost.add(self.verdict)

    def tick(self, now):
        if now - self.heard > TIMEOUT:
            raise Ended("the server is silent")
        due = [number for number, (_, arrival) in self.kept.items() if arrival + HOLD <= now]
        if self.ping[1] <= now:
            due.append(self.ping[0])
            self.ping = (0, math.inf)
        self.settle(max(due, default=0))
        self.send(now)

    def process(self, text):
        end = len(text) - (8 if self.check else 0)
        r = Reader(text[:end])
        width = (5, 10, 48)[r.ones(2)]
        self.reference += (r.bits(width) - self.reference) % (1 << width)
        self.read_fates(r, self.reference)
        r.bits(8)  # the delay, to measure the round-trip time
        self.read_change(r)
        ends = [r.at]
        for read in self.read_moves, self.events.read, self.ghosts.read:
            read(r, self.verdict)
            ends.append(r.at)
        require(not self.check or struct.pack("<4H", *ends) == text[end:], f"sections end at {ends}")
        require(r.end - r.at < 8, "more than the sections in a packet")

    def read_fates(self, r, ack):
        """Reads the gaps, and tells the sections which packets arrived."""
        require(ack <= self.number[DATA], "an ack of a packet that was not sent")
        lost, at = set(), ack
        while r.flag():
            at, run = at - r.gamma() + 1, r.gamma()
            require(run <= at, "gaps before the first packet")
            lost.update(range(at - run + 1, at + 1))
            at -= run
        for number in range(self.acked + 1, ack + 1):
            sent, arrived, self.acked = self.sent.pop(number), number not in lost, number
            self.lost_sent += not arrived
            self.floor = sent.ack if arrived else self.floor
            if sent.new_key:
                self.renewal = "" if arrived else "due"
            if sent.new_key and arrived:
                self.send_key, self.renewed = next_key(self.send_key), clock()
            if not arrived:
                self.events.repeat(sent.events)
        self.lost = {number for number in self.lost if number > max(self.floor, self.verdict - WINDOW)}

    def read_change(self, r):
        """Reads a rate change: a rate, a new key or a new route (Rate)."""
        code = r.bits(16) if r.flag() else None
        if code == 65535:
            require(not self.expect_key, "a second new key")
            self.expect_key = True
        elif code == 65534:
            self.route = r.raw(8), r.raw(16)
        elif code is not None:
            r.bits(11)

    def read_moves(self, r, _):
        """Skips the answer to moves, and the state of the object that we control (Moves)."""
        if r.flag():
            r.bits(5)
            if r.flag():
                self.controls = r.var() - 1
                r.bits(r.bits(12))
                r.bits(16 if self.check else 0)
            r.bits(14 if r.flag() else 0)  # flash

    def read_control(self, r, number, now):
        kind = r.bits(3)
        self.read_fates(r, r.bits(48))
        r.bits(8)
        if kind == 3:
            raise Ended("closed")
        if kind == 0:
            self.ping = r.bits(48), now + HOLD
            require(self.ping[0] <= self.verdict + WINDOW, "a ping beyond the window")
            self.control(1, now, number, 14, 0, 8)
        elif kind in (4, 6):  # a challenge of 64 bits, or a size of 11 bits: the answer repeats it
            self.control(kind + 1, now, *((r.bits(64), 64) if kind == 4 else (r.bits(11), 11)))

    def write_gaps(self, w, now):
        """Writes the runs of received and lost numbers, down from the ack, and the delay."""
        at = self.verdict
        while (newest := max((number for number in self.lost if number <= at), default=0)) > 0:
            run = next(n for n in range(1, WINDOW + 1) if newest - n not in self.lost)
            w.bits(1, 1)
            w.gamma(at - newest + 1)
            w.gamma(run)
            at = newest - run
        w.bits(0, 1, min(255, int((now - self.arrival) * 1000)), 8)

    def transmit(self, kind, w):
        self.number[kind] += 1
        number = self.number[kind]
        clear = struct.pack("<H", kind | number % (1 << 14) << 2)
        self.sock.send(b"\xc0" + self.route[0] + clear + seal(self.send_key, kind, number, w.data(), clear))

    def control(self, kind, now, *fields):
        """Sends a control packet; at most one of a type in 50 ms."""
        if now >= self.pauses.get(kind, 0):
            self.pauses[kind], w = now + 0.05, Writer()
            w.bits(kind, 3, self.verdict, 48)
            self.write_gaps(w, now)
            w.bits(*fields)
            self.transmit(CONTROL, w)

    def send(self, now):
        """Sends a data packet, unless too many have no known fate."""
        if self.number[DATA] - self.acked >= WINDOW:
            return
        w, ack, ahead = Writer(), self.verdict, self.verdict - self.floor
        sent = types.SimpleNamespace(ack=ack, events=[], new_key=False)
        w.bits(*((0, 1, ack, 5) if ahead < 32 else (1, 2, ack, 10) if ahead < 1024 else (3, 2, ack, 48)))
        self.write_gaps(w, now)
        if self.renewal == "due" or self.renewal == "" and now - self.renewed > 120:
            sent.new_key, self.renewal = True, "sent"
        w.bits(*((1, 1, 65535, 16) if sent.new_key else (0, 1)))
        ends = [w.at]
        for write in None, self.events.write, None:  # no moves, and no ghosts for the server
            write(w, sent.events) if write else w.bits(0, 1)
            ends.append(w.at)
        if self.check:
            w.at += -w.at % 8
            w.bits(*(field for end in ends for field in (end, 16)))
        self.transmit(DATA, w)
        self.sent[self.number[DATA]] = sent

    def leave(self):
        """Sends drop packets, until the server answers with a close."""
        for _ in range(8):
            w = Writer()
            w.bits(2, 5)  # closed
            w.text(b"")
            self.transmit(DROP, w)
            end = clock() + 0.2
            while select.select([self.sock], [], [], max(0, end - clock()))[0]:
                self.receive(self.sock.recv(2048), clock())

# Events

class Tag(int):
    """A text by its number in the table of the server (Strings)."""

class Events:
    """The section of events: hands those of the server over in order, and repeats those of the client."""

    def __init__(self, check, handle):
        self.check, self.handle, self.strings = check, handle, {}
        self.next, self.kept, self.parcels = [0, 0], [{}, {}], [b"", b"", b""]
        self.numbers, self.queue = [0, 0], [[], []]

    def read(self, r, _):
        while r.flag():
            self.process(self.event(r))
        for channel in 0, 1:
            if r.flag():
                self.read_run(r, channel)

    def read_run(self, r, channel):
        form, width = r.bits(2), None
        if form == 3:
            width = r.bits(2)
            bits = (8, 12, 16)[width if width < 3 else r.ranged(0, 2)]
            behind = 1 << bits - 1
        else:
            bits, behind = (0, 2, 6)[form], 0
        number, more = self.number(r, channel, bits, behind), True
        while more:
            self.arrived(channel, number, self.event(r))
            more, number = r.flag(), number + 1
            if not more and width == 3 and r.flag():
                more, number = True, self.number(r, channel, bits, behind)

    def arrived(self, channel, number, event):
        """Processes the events of a channel in order."""
        require(number < self.next[channel] + 4096, "an event beyond the window")
        if number >= self.next[channel]:
            self.kept[channel][number] = event
        while self.next[channel] in self.kept[channel]:
            self.next[channel] += 1
            self.process(self.kept[channel].pop(self.next[channel] - 1))

    def number(self, r, channel, bits, behind):
        """The number with the low bits that come, the first from some behind the next one on."""
        first = self.next[channel] - behind
        return first + (r.bits(bits) - first) % (1 << bits)

    def event(self, r):
        kind = r.bits(KIND_BITS)
        require(kind < len(KINDS) and KINDS[kind][1] != 1, "an event that a server must not send")
        size, start = r.bits(16 if self.check else 0), r.at
        body = self.body(r, kind)
        size -= r.at - start
        require(not self.check or size % 65536 == 0 and r.bits(16) == kind ^ 0x5AC3, "the size of " + KINDS[kind][0])
        return kind, body

    def body(self, r, kind):
        if kind == ANNOUNCE: return self.slot(r), r.text(1024)
        if kind == FRAGMENT: return r.bits(2), r.flag(), r.raw(r.bits(5) + 1)
        if kind == CLAIM: return r.bits(1)
        if kind == DESCRIPTION: return r.flag(), r.bytes(262144)
        if kind == HELLO: return r.text(256), r.var(), [(r.text(32), r.text(64)) for _ in range(r.ranged(0, 256))]
        if kind == CAMERA: return ("field of view", r.ranged(1, 179)) if r.flag() else ("first person", r.flag())
        if kind == PACE: return r.ranged(0, 400)
        if kind == STEP: return r.ranged(0, 5), r.bits(32), r.var()
        require(kind == COMMAND, "a recording for a client that plays")
        return self.tag(r), [self.argument(r, kind) for kind in [r.ranged(0, 13) for _ in range(r.ranged(0, 20))]]

    def slot(self, r): return Tag(r.bits((5, 8, 12, 16)[r.bits(2)]))
    def tag(self, r): return self.slot(r) if r.flag() else r.text(1024)

    def argument(self, r, kind):
        """An argument of a command (Commands); a plain text is a str, a tag is bytes or a Tag."""
        if kind < 3: return (None, False, True)[kind]
        if kind == 3: return -r.var() if r.flag() else r.var()
        if kind == 4: return r.float64()
        if kind == 5: return r.text(32768).decode(errors="replace")
        if kind == 6: return self.tag(r)
        if kind < 9: return [r.float64() for _ in range(3)]
        if kind == 13: return r.var(), self.tag(r)
        return {"ghost" if kind in (9, 12) else "datablock": r.var()}

    def process(self, event):
        kind, body = event
        if kind == ANNOUNCE:
            self.strings[body[0]] = body[1]
        elif kind == FRAGMENT:
            self.parcels[body[0]] += body[2]
        elif kind == COMMAND:
            body = self.resolve(body[0]), self.substituted(body[1])
        if kind == CLAIM or kind == FRAGMENT and body[:2] == (0, True):
            self.joined(1 + body if kind == CLAIM else 0)
        elif kind > CLAIM:
            self.handle(kind, body)

    def joined(self, parcel):
        """Processes the event whose pieces have all arrived (Pieces)."""
        data, self.parcels[parcel] = self.parcels[parcel], b""
        self.process(self.event(Reader(data)))

    def resolve(self, value):
        value = value[1] if isinstance(value, tuple) else value  # a client: its name
        require(not isinstance(value, Tag) or value in self.strings, "a text that was not announced")
        value = self.strings[value] if isinstance(value, Tag) else value
        return value.decode(errors="replace") if isinstance(value, bytes) else value

    def substituted(self, args):
        """The arguments of a command, each tag with %1 to %9 replaced by those behind (Substitution)."""
        texts = [self.resolve(arg) for arg in args]
        behind = lambda i: "" if i >= len(args) or texts[i] is None else str(texts[i])
        for i in reversed(range(len(args))):
            if isinstance(args[i], (bytes, Tag)):
                texts[i] = re.sub("%([1-9%])", lambda m: "%" if m[1] == "%" else behind(i + int(m[1])), texts[i])
        return texts

    def post(self, channel, kind, write):
        """Sends an event; the function writes its body."""
        self.queue[channel].append((self.numbers[channel], kind, write))
        self.numbers[channel] += 1

    def command(self, name, *args):
        """Sends a command with texts and whole numbers."""
        texts = [isinstance(arg, str) for arg in args]
        def write(w):
            w.bits(0, 1)
            w.text(name.encode())
            w.bits(len(args), 5, *(field for text in texts for field in (5 if text else 3, 4)))
            for arg, text in zip(args, texts):
                w.bits(arg < 0 if not text else 0, 0 if text else 1)
                w.text(arg.encode()) if text else w.var(abs(arg))
        self.post(0, COMMAND, write)

    def write(self, w, packed):
        """Packs events while there is room, each with 16 bits of its number: the form with gaps."""
        w.bits(0, 1)  # no unordered events
        for channel in 0, 1:
            first = True
            while self.queue[channel] and w.at < 4000:
                item = number, kind, write = self.queue[channel].pop(0)
                packed.append((channel, item))
                body = Writer(w.previous)
                write(body)
                w.previous = body.previous
                w.bits(*((1, 1, 3, 2, 3, 2, 2, 2) if first else (0, 1, 1, 1)))
                w.bits(number, 16, kind, KIND_BITS, body.at, 16 if self.check else 0, body.value, body.at)
                w.bits(kind ^ 0x5AC3, 16 if self.check else 0)
                first = False
            w.bits(0, 1 if first else 2)

    def repeat(self, lost):
        for channel, item in lost:
            self.queue[channel] = sorted(self.queue[channel] + [item], key=lambda item: item[0])

# Classes (The class list, Class descriptions, Objects as ghosts)

Field = collections.namedtuple("Field", "name group kind lo hi whole bits step most of rate jumps")

class Cell:
    """A part of a field: its bits, and its value for people."""

    def __init__(self, field, part, classes):
        self.field, self.part, self.rate, self.value = field, part, None, lambda code: code
        kind, lo, hi, bits, step = field.kind, field.lo, field.hi, field.bits, field.step
        self.bits, self.smooth = bits, not field.jumps and not field.whole and bits + step > 0
        self.block = kind == OBJECT and not classes[field.of].net
        if kind in (STRING, OBJECT):
            self.bits = 15 if self.block else 0  # a datablock: its index + 1
        elif kind == BOOL:
            self.bits, self.value = 1, bool
        elif field.whole:
            self.bits, self.value = max(1, int(hi - lo).bit_length()), lambda code: int(lo) + code
        elif kind == ROTATION and bits:
            self.value = lambda code: 360 * code / (1 << bits)
        elif bits:  # the codes from 0 to the most are the range
            most = (1 << bits) - 2
            self.value, self.zero, self.unit = lambda code: lo + (hi - lo) * code / most, most // 2, most / (hi - lo)
        elif step:
            n = round(1 / step)
            times = (lambda k: k / n) if n > 1 and abs(n * step - 1) < 1e-9 else (lambda k: k * step)
            first = next(k for k in range(math.floor(lo / step) - 1, math.ceil(lo / step) + 2) if times(k) >= lo)
            last = next(k for k in range(math.ceil(hi / step) + 1, first - 1, -1) if times(k) <= hi)
            self.bits, self.value = (last - first).bit_length(), lambda code: times(first + code)
        else:
            self.bits, self.value = 64, lambda code: struct.unpack("<d", struct.pack("<Q", code))[0]

    def read(self, r):
        """The code of the cell, a text, or the id of a ghost or None."""
        r.previous = b""
        if self.field.kind == STRING:
            return r.text(self.field.most).decode(errors="replace")
        return r.bits(self.bits) if self.bits else r.bits(16) if r.flag() else None

def cells(field, classes):
    parts = {VECTOR: ["x", "y", "z"], ROTATION: ["yaw", "pitch", "roll"]}.get(field.kind, [""])
    return [Cell(field, part, classes) for part in parts]

class Class:
    """A class: its fields, and the cells of each group."""

    def __init__(self, name, net, fields):
        self.name, self.net, self.fields = name, net, fields

    def lay(self, classes):
        """Makes the cells, once all classes have their names."""
        self.groups = [[] for _ in range(1 + max((field.group for field in self.fields), default=0))]
        for field in self.fields:
            self.groups[field.group] += cells(field, classes)
        self.smooth = [g > 0 and all(cell.smooth and cell.bits <= 32 for cell in cs)
                       for g, cs in enumerate(self.groups)]
        for cell, (place, rate) in ((cell, at) for group in self.groups for cell in group for at in enumerate(group)):
            if (rate.field.name, rate.part) == (cell.field.rate, cell.part):
                cell.rate, cell.rate_zero = place, rate.zero
                cell.scale = math.floor(TICK * cell.unit / rate.unit * (1 << 20) + 0.5)

class Classes:
    """The classes by id and by name."""

    LINE = re.compile(r'"(\w+)" (\d+) (\d) (\S+) (\S+) (\w+) (\d+) (\S+) (\d+) "(\w*)" (?:rate "(\w+)" )?(jumps )?')
    TYPES = str, int, int, float, float, "true".__eq__, int, float, int

    def __init__(self):
        listing = (ROOT / "game/classes.txt").read_bytes()
        self.hash, self.ids, self.names = fnv(listing), [], {}
        for line in listing.decode().splitlines():
            begins = re.match(r'"(\w+)" "\w+" (\d)', line)
            if begins:
                self.add(Class(begins[1], begins[2] == "1", []))
            else:
                words = self.LINE.match(line).groups()
                self.ids[-1].fields.append(Field(*(to(word) for to, word in zip(self.TYPES, words)), *words[9:]))
        for each in self.ids:
            each.lay(self.names)

    def add(self, new):
        self.ids.append(new)
        self.names[new.name] = new

    def describe(self, r):
        """Reads the description of a class of a mod."""
        require(r.bits(10) == len(self.ids), "the id of a described class")
        name, parent = r.text(64).decode(), self.ids[r.bits(10)]
        new, group = Class(name, True, list(parent.fields)), len(parent.groups) - 1
        for _ in range(r.bits(7)):
            name = r.text(64).decode()
            group += not r.flag()
            new.fields.append(self.described(r, name, group, r.bits(3)))
        self.add(new)
        new.lay(self.names)

    def described(self, r, name, group, kind):
        ranged = kind in (NUMBER, VECTOR)
        whole = kind == NUMBER and r.flag()
        lo, hi = (r.float64(), r.float64()) if ranged else (0, 0)
        bits = r.bits(6) if kind == ROTATION or ranged and not whole else 0
        step = r.float64() if ranged and not whole and bits == 0 and r.flag() else 0
        most = r.bits(11) if kind == STRING else 0
        of = r.text(64).decode() if kind == OBJECT else ""
        field = Field(name, group, kind, lo, hi, whole, bits, step, most, of, None, None)
        for cell in cells(field, self.names) if kind != OBJECT and r.flag() else []:  # a default: skip it
            r.text(most) if kind == STRING else r.bits(0 if whole and lo == hi else cell.bits)
        return field

def fnv(data):
    """64-bit FNV-1a."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    return value

# Ghosts

class Ghost:
    """A copy of an object: of each group its codes, and the received values (packet, tick, codes)."""

    def __init__(self, of):
        self.of, self.codes, self.history = of, [[] for _ in of.groups], [[] for _ in of.groups]

    def fields(self, datablocks):
        """The fields with their values; a datablock by its name."""
        out = {}
        for cell, code in ((cell, code) for pair in zip(self.of.groups, self.codes) for cell, code in zip(*pair)):
            value = None if code is None else cell.value(code) if not cell.block else datablocks.get(code - 1)
            out[cell.field.name] = out.get(cell.field.name, []) + [value] if cell.part else value
        return out

class Ghosts:
    """The section of ghosts."""

    def __init__(self, check, classes):
        self.check, self.classes, self.ghosts, self.epoch = check, classes, {}, 0
        self.packet, self.tick, self.base, self.ticks = 0, 0, None, {}  # the ticks of packets with ghosts
        self.counts = dict.fromkeys(("creates", "updates", "relative", "kills"), 0)

    def read(self, r, packet):
        if not r.flag():
            return
        epoch = r.bits(8) if r.flag() else self.epoch
        if epoch != self.epoch:
            self.ghosts, self.epoch = {}, epoch
        self.packet, self.base = packet, packet - r.bits(8) if r.flag() else None
        require(self.base is None or self.base in self.ticks, "a base that was not processed")
        tick = r.bits(32) if self.base is None else self.ticks[self.base] + r.gamma() - 1
        require(tick >= self.tick, "a tick before the last one")
        self.tick = self.ticks[packet] = tick
        self.ticks.pop(packet - 256, None)
        self.oldest = tick - (60 << r.bits(3))
        for kind, each in ("kills", self.kill), ("creates", self.create), ("updates", self.update):
            n = r.gamma() - 1
            k, number = r.bits(4) if n else 0, -1
            self.usual = 2 * (r.gamma() - 1) if n and kind == "updates" else 0
            for _ in range(n):
                number += 1 + r.rice(k)
                require(kind == "creates" or number in self.ghosts, "an id without a ghost")
                each(r, number)
            self.counts[kind] += n

    def kill(self, _, number):
        del self.ghosts[number]

    def create(self, r, number):
        of = r.bits(10)
        require(number <= 65535 and of < len(self.classes.ids), "a ghost of a class that was not described")
        ghost = self.ghosts.setdefault(number, Ghost(self.classes.ids[of]))
        require(ghost.of is self.classes.ids[of], "a create with another class")
        for group in range(len(ghost.codes)):
            self.read_group(r, ghost, group, [])

    def update(self, r, number):
        ghost, groups = self.ghosts[number], len(self.ghosts[number].codes)
        if self.usual and r.flag():
            mask = self.usual
        else:
            mask = 2 << r.ranged(0, groups - 2) if groups > 5 and r.flag() else r.bits(groups - 1) << 1
        require(mask and mask >> groups == 0, "a mask of groups that the class has not")
        baselines = {group: self.baseline(ghost, group) for group in range(groups) if mask >> group & 1}
        relative = any(baselines.values()) and r.flag()
        self.counts["relative"] += relative
        for group, baseline in baselines.items():
            self.read_group(r, ghost, group, baseline if relative else [])

    def baseline(self, ghost, group):
        """The values that a relative update counts from, the newest first (Whole and relative)."""
        if self.base is None or self.packet - self.base > 60 and self.tick - self.ticks[self.base] > 60:
            return []
        known = [value for value in ghost.history[group] if value[0] <= self.base][:-3:-1]
        return [value for value in known if value[1] >= self.oldest]

    def read_group(self, r, ghost, group, baseline):
        """Reads a group: whole, or as residuals from a baseline. With net.check, a mark follows each field."""
        cs, start = ghost.of.groups[group], r.at
        codes, history = [None] * len(cs), ghost.history[group]
        order = sorted(range(len(cs)), key=lambda i: baseline != [] and cs[i].rate is not None)
        for i, then in zip(order, order[1:] + [None]):
            codes[i] = self.residual(r, cs[i], i, codes, baseline) if baseline else cs[i].read(r)
            if self.check and (then is None or cs[then].field is not cs[i].field):
                mark = r.at - start << 16 | 0x746F
                require(r.bits(32) == mark, f"{ghost.of.name}.{cs[i].field.name} ends at another bit")
        ghost.codes[group] = codes
        if ghost.of.smooth[group]:
            history.append((self.packet, self.tick, codes))
        while self.base is not None and len(history) > 2 and history[2][0] <= self.base:
            history.pop(0)

    def residual(self, r, cell, i, codes, baseline):
        (_, newer_tick, newer), (_, older_tick, older) = baseline[0], baseline[-1]
        since, span, modulus, predicted = self.tick - newer_tick, newer_tick - older_tick, 1 << cell.bits, newer[i]
        if cell.rate is not None:
            rate, before = codes[cell.rate] - cell.rate_zero, newer[cell.rate] - cell.rate_zero
            predicted += (rate * (since + 1) + before * (since - 1)) * cell.scale >> 21
        elif span:
            change = (newer[i] - older[i] + modulus // 2) % modulus - modulus // 2
            predicted += abs(change) * since // span * (1 if change > 0 else -1)
        folded = r.golomb(0 if since <= 2 * span else 1 if since <= 4 * span else 2 if since <= 8 * span else 3)
        require(folded < modulus, "a residual of too many bits")
        return (predicted + (folded >> 1 ^ -(folded & 1))) % modulus

# The program

class Client:
    """One connection, from the join to the end of the input."""

    def __init__(self, args):
        host, port = args.server.rsplit(":", 1)
        family, _, _, _, address = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_DGRAM)[0]
        self.sock = socket.socket(family, socket.SOCK_DGRAM)
        self.sock.connect(address)
        self.classes, self.datablocks = Classes(), {}
        kinds = b"".join(struct.pack("<QBB", len(name), to, 0) + name.encode() for name, to in KINDS)
        session = Session(self.sock, args, self.classes.hash ^ fnv(kinds))
        self.events, self.ghosts = Events(session.check, self.handle), Ghosts(session.check, self.classes)
        self.link = Link(session, self.events, self.ghosts)

    def handle(self, kind, body):
        """Answers an event of the server (Joining)."""
        if kind == COMMAND and body[0].startswith("MissionStartPhase"):
            self.events.command(body[0] + "Ack", body[1][0])
        elif kind == COMMAND and body[0] == "ServerMessage":
            self.say(str(body[1][1]))
        elif kind == DESCRIPTION and body[0]:
            self.classes.describe(Reader(body[1]))
        elif kind == DESCRIPTION:  # of a datablock: this client keeps its name, and skips its values
            r = Reader(body[1])
            _, index, _ = r.bits(10), r.bits(14), r.var()  # the class, the index, the key
            _ = r.flag() and (r.bits(14), r.var())  # the base
            self.datablocks[index] = r.text(64).decode()
        elif kind == HELLO:
            self.say("joined " + body[0].decode(errors="replace"))
        elif kind == STEP and body[0] in (1, 3):  # datablocks, or ghosts that are always in scope, are here
            done = body[0] // 2
            self.events.post(1 - done, ANSWER, lambda w: w.bits(done, 1, body[1], 32))
        elif kind == STEP and body[0] == 5:
            self.say("in the game")

    def say(self, text):
        print("#", "".join(c for c in text if c.isprintable()), flush=True)

    def command(self, line):
        """Carries out a line of the input."""
        if line == "/ghosts":
            for number, ghost in sorted(self.ghosts.ghosts.items()):
                print(json.dumps({"ghost": number, "class": ghost.of.name, "fields": ghost.fields(self.datablocks)}))
            print(json.dumps({"tick": self.ghosts.tick, "packets": self.link.verdict, **self.ghosts.counts,
                              "controls": self.link.controls, "lost": self.link.lost_sent}), flush=True)
        elif line.startswith("/"):
            name, *args = line[1:].split()
            self.events.command(name, *(int(arg) if re.fullmatch(r"-?\d{1,15}", arg) else arg for arg in args))
        elif line:
            self.events.command("MessageSent", line)

    def run(self):
        tick, rest = clock(), b""
        while True:
            for ready in select.select([self.sock, sys.stdin], [], [], max(0, tick - clock()))[0]:
                if ready is self.sock:
                    self.link.receive(self.sock.recv(2048), clock())
                    continue
                data = os.read(sys.stdin.fileno(), 4096)
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    self.command(line.decode(errors="replace").strip())
                if not data:
                    return
            if clock() >= tick:
                tick = max(tick + TICK, clock())
                self.link.tick(clock())

def main():
    parser = argparse.ArgumentParser(description="A client of torc in one file.")
    parser.add_argument("server", metavar="HOST:PORT")
    parser.add_argument("--name", default="python")
    parser.add_argument("--password", default="")
    parser.add_argument("--key", default="", help="the key that the server must have, in hexadecimal digits")
    parser.add_argument("--check", action="store_true", help="ask for marks (net.check)")
    args = parser.parse_args()
    args.own = X25519PrivateKey.generate()  # a tool that wants to be known again keeps its key
    try:
        client = Client(args)
        client.run()
    except (Ended, OSError) as end:
        sys.exit(f"client.py: {end}")
    with contextlib.suppress(Ended):
        client.link.leave()

if __name__ == "__main__":
    main()
