#!/usr/bin/env python3
"""A client of torc in one file: it joins a server, follows its objects, sends commands, and leaves.

    python3 client.py 192.0.2.2:28000 --name Ann

A line of its input is a line of chat. `/name arg ...` sends a command to the mods of the server,
and `/ghosts` prints all objects as JSON, one on a line. At the end of the input, the client leaves.

It is written from netcore/PROTOCOL.md. Words in parentheses, such as (Verdicts), are sections of
that page. It reads two files beside the page: the code lengths of texts, and the class list. It
needs Python 3.8 and cryptography. It trusts the server: it accepts some of what the page refuses.
"""

import argparse, collections, contextlib, functools, hashlib, hmac, json, math, os, pathlib, re
import select, socket, struct, sys
from itertools import chain, count, groupby
from time import monotonic as clock

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERSION, WINDOW = 10, 1024
TICK, TIMEOUT = 0.032, 45  # seconds
DATA, CONTROL, DROP = 1, 2, 3  # kinds of packets
BOOL, NUMBER, STRING, TAG, VECTOR, ROTATION, OBJECT = range(1, 8)  # kinds of fields

class Ended(Exception): """The connection is over."""

def require(held, rule):
    if not held: raise Ended("the server broke a rule: " + rule)

# Primitives

def code_table(lengths):
    """The prefix code of a context: the symbol of each code, a one in front of the code's bits."""
    table, at = {}, 0
    for n, symbol in sorted((int(digit), symbol) for symbol, digit in enumerate(lengths)):
        table[1 << n | at >> 9 - n] = symbol  # 9 bits at most
        at += 1 << 9 - n
    return table

CODES = [code_table(line) for line in (ROOT / "netcore/bitstream/lengths.txt").read_text().split()]

def context(text):
    """The context of the next symbol: the kind of the byte before."""
    last = text[-1:].lower() or b" "
    return last[0] - ord("a") if last.isalpha() else 26 if last == b" " else 28 - last.isdigit()

class Reader:
    """Reads values from bytes, the lowest bit first."""
    def __init__(self, data):
        self.value, self.end = int.from_bytes(data, "little"), 8 * len(data)
        self.at, self.previous = 0, b""

    def flag(self): return self.bits(1) == 1
    def ranged(self, lo, hi): return lo + self.bits((hi - lo).bit_length())
    def var(self): return self.bits(4 << self.ones(4))
    def ones(self, most): return next((n for n in range(most) if not self.flag()), most)
    def gamma(self): return self.golomb(0) + 1
    def rice(self, k): return self.ones(self.end) << k | self.bits(k)
    def raw(self, n): return self.bits(8 * n).to_bytes(n, "little")
    def bytes(self): return self.raw(self.var())
    def string(self): return self.text().decode(errors="replace")
    def float64(self): return struct.unpack("<d", self.raw(8))[0]
    def slot(self): return Tag(self.bits((5, 8, 12, 16)[self.bits(2)]))
    def tag(self): return self.slot() if self.flag() else self.text()
    def list(self, n, read): return [read(self) for _ in range(n)]

    def bits(self, n):
        require(self.at + n <= self.end, "a read past the end")
        self.at += n
        return self.value >> self.at - n & (1 << n) - 1

    def golomb(self, k):
        m = next(m for m in count(k) if self.flag())
        return (1 << m | self.bits(m)) - (1 << k)

    def text(self):
        text = b""
        if len(self.previous) >= 3 and self.flag():
            text = self.previous[:self.ranged(3, min(31, len(self.previous)))]
        if not self.flag():
            text += self.bytes()
        else:
            while (symbol := self.symbol(CODES[context(text)])) > 0:  # 0 ends the text
                text += bytes([symbol + 30 if symbol > 1 else self.bits(8)])  # 1 is an escape
        self.previous = text
        return text

    def symbol(self, table):
        code = 1
        while code not in table: code = code << 1 | self.bits(1)
        return table[code]

# What this client writes is a list of fields: numbers, each followed by its width in bits.

def width(fields): return sum(fields[1::2])
def gamma(n): return 1 << n.bit_length() - 1, n.bit_length(), n, n.bit_length() - 1
def blob(data): return *var(len(data)), int.from_bytes(data, "little"), 8 * len(data)

def var(value):
    form = sum(value >> (4 << form) > 0 for form in range(4))
    return (1 << form) - 1, min(form + 1, 4), value, 4 << form

def plain(text, previous):
    """A text without prefix and codes. A reader must accept that."""
    return (0, 2 if len(previous.encode()) >= 3 else 1, *blob(text.encode()))

def pack(fields):
    """The bytes of the fields, the lowest bit first."""
    value = at = 0
    for number, n in zip(fields[::2], fields[1::2]):
        value |= (number & (1 << n) - 1) << at
        at += n
    return value.to_bytes((at + 7) // 8, "little")

# Handshake

def blake(*parts): return hashlib.blake2s(b"".join(parts)).digest()
def public(key): return key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
def dh(private, other): return private.exchange(X25519PublicKey.from_public_bytes(other))
def nonce(kind, number): return struct.pack("<IQ", kind, number)
def next_key(key): return seal(key, 0, (1 << 64) - 1, bytes(32), None)[:32]

def seal(key, kind, number, text, clear):
    return ChaCha20Poly1305(key).encrypt(nonce(kind, number), text, clear)

def unseal(key, kind, number, sealed, clear):
    """The text, or None if the tag is wrong."""
    with contextlib.suppress(InvalidTag):
        return ChaCha20Poly1305(key).decrypt(nonce(kind, number), sealed, clear)

def hkdf(chaining, secret):
    key = hmac.digest(chaining, secret, hashlib.blake2s)
    first = hmac.digest(key, b"\1", hashlib.blake2s)
    return first, hmac.digest(key, first + b"\2", hashlib.blake2s)

def noise(prologue, server, own, payload):
    """The initiator of Noise_IK: yields message 1, takes message 2, yields its payload and keys."""
    ephemeral, chaining = X25519PrivateKey.generate(), blake(b"Noise_IK_25519_ChaChaPoly_BLAKE2s")
    message = public(ephemeral)
    hashed = blake(blake(blake(chaining, prologue), server), message)
    for private, text in (ephemeral, public(own)), (own, payload):
        chaining, key = hkdf(chaining, dh(private, server))
        sealed = seal(key, 0, 0, text, hashed)
        hashed, message = blake(hashed, sealed), message + sealed
    answer = yield message
    for private in ephemeral, own:
        chaining, key = hkdf(chaining, dh(private, answer[:32]))
    yield unseal(key, 0, 0, answer[32:], blake(hashed, answer[:32])), hkdf(chaining, b"")

def solve(prefix, difficulty):
    require(difficulty <= 22, "a puzzle that is too hard")
    solutions = (struct.pack("<Q", number) for number in count())
    digest = lambda solution: int.from_bytes(hashlib.sha256(prefix + solution).digest(), "big")
    return next(each for each in solutions if digest(each) >> 256 - difficulty == 0)

def packets(sock, seconds):
    """The packets that arrive within a time."""
    end = clock() + seconds
    while select.select([sock], [], [], max(0, end - clock()))[0]:
        yield sock.recv(2048)

def exchange(sock, packet, kind):
    """Repeats a packet until the answer to it comes. Returns what follows the nonce."""
    for _ in range(38):  # for 15 s
        sock.send(packet)
        for answer in packets(sock, 0.4):
            if answer[:17] == bytes([kind]) + packet[1:17]: return answer[17:]
    raise Ended("no answer")

def accepted(text):
    require(text, "a wrong tag in the handshake")
    r = Reader(text)
    if not r.flag(): raise Ended("refused: " + r.bytes().decode(errors="replace"))
    return r

def join(sock, args, class_hash):
    """Joins: whether packets have marks, the route, and the keys to seal and to open with."""
    draw = os.urandom(16)
    answer = exchange(sock, b"\xc4" + draw + b"torc" + bytes(59), 0xC8)
    cookie, server_key, difficulty = answer[:16], answer[16:48], answer[48:49]
    if args.key not in ("", server_key.hex()):
        raise Ended("the server has another key: " + server_key.hex())
    own = X25519PrivateKey.generate()  # a tool that wants to be known again keeps its key
    greeting = pack((VERSION, 32, *blob(b"torc"), class_hash, 64))
    messages = noise(b"torc handshake" + draw + cookie, server_key, own, greeting)
    puzzle = cookie + difficulty + solve(draw + cookie, difficulty[0])
    answer = exchange(sock, b"\xcc" + draw + puzzle + next(messages), 0xD0)
    text, (send_key, open_key) = messages.send(answer)
    accepted(text)
    # No arguments; packets of up to 1,200 bytes at any rate; marks; a player.
    wishes = 0, 5, 0, 16, 1100, 11, args.check, 1, 0, 8
    names = [blob(text.encode()) for text in (args.name, args.password, args.language)]
    w = pack((*names[0], *names[1], *wishes, *names[2], 0, 1))  # no ticket
    clear = b"\xd4" + draw + b"\0"  # the first piece of one
    answer = exchange(sock, clear + seal(send_key, 0, 1, w, clear), 0xD8)
    r = accepted(unseal(open_key, 0, 1, answer, b"\xd8" + draw))
    check, _ = r.flag(), r.bits(27)  # the server's rate is above ours
    return check, (r.raw(8), r.raw(16)), send_key, open_key

class Link:
    """The packets of a connection: numbers, seals, verdicts, acks and control packets."""
    def __init__(self, args):
        host, port = args.server.rsplit(":", 1)
        address = socket.getaddrinfo(host.strip("[]"), int(port), type=socket.SOCK_DGRAM)[0]
        self.sock = socket.socket(address[0], socket.SOCK_DGRAM)
        self.sock.connect(address[4])
        self.classes = Classes()
        joined = join(self.sock, args, self.classes.hash ^ KINDS_HASH)
        self.check, self.route, self.send_key, open_key = joined
        self.events, self.ghosts = Events(self.check, self.handle), Ghosts(self.check, self.classes)
        self.open_keys = [open_key]  # the newest, and the one before
        # The times of our key, of the newest packet, and of the newest data packet.
        self.renewed = self.heard = self.arrival = clock()
        self.last, self.number = [0] * 4, [0] * 4  # by kind: the newest received and sent numbers
        self.lost, self.floor = set(), 0  # lost numbers; the newest ack of ours that was delivered
        self.acked = self.reference = 0  # the newest ack; the newest one in a data packet
        self.sent, self.pauses = {}, {}  # packets without a known fate; ends of pauses by type
        self.controls, self.lost_sent = None, 0  # the id of the ghost that we control

    def receive(self, packet, now):
        if packet[:1] == b"\xe0" and hmac.compare_digest(packet[1:], self.route[1]):
            raise Ended("the server has started again")
        low, kind = divmod(int.from_bytes(packet[:2], "little"), 4)
        number = self.last[kind] + 1 + (low - self.last[kind] - 1) % (1 << 14)
        keys = self.open_keys if kind and number - self.last[kind] <= 8192 else []
        texts = (unseal(key, kind, number, packet[2:], packet[:2]) for key in keys)
        text = next(filter(None, texts), None)
        if text is None: return
        if kind == DATA:  # torc waits for what others have overtaken (Verdicts). Here it is lost.
            self.lost.update(range(self.last[DATA] + 1, number))
            self.arrival = now
        self.heard, self.last[kind], r = now, number, Reader(text)
        if kind == DATA:
            self.read_data(text)
        elif kind == CONTROL:
            self.read_control(r, now)
        else:
            self.control(now, 3)
            raise Ended(f"the server ended the connection, code {r.bits(5)}: {r.string()!r}")

    def read_data(self, text):
        end = len(text) - (8 if self.check else 0)
        r, ends = Reader(text[:end]), []
        n = (5, 10, 48)[r.ones(2)]
        self.reference += (r.bits(n) - self.reference) % (1 << n)
        self.read_fates(r, self.reference)
        for read in self.read_change, self.read_moves, self.events.read, self.ghosts.read:
            read(r, self.last[DATA])
            ends.append(r.at)
        marks = struct.pack("<4H", *ends) if self.check else b""
        require(marks == text[end:] and r.end - r.at < 8, f"sections end at {ends}")

    def read_fates(self, r, ack):
        """Reads the gaps and the delay, and notes which packets arrived."""
        require(ack <= self.number[DATA], "an ack of a packet that was not sent")
        lost, at = set(), ack
        while r.flag():
            at, run = at - r.gamma() + 1, r.gamma()
            require(run <= at, "gaps before the first packet")
            lost.update(range(at - run + 1, at + 1))
            at -= run
        r.bits(8)  # the delay, to measure the round-trip time
        for number in range(self.acked + 1, ack + 1):
            floor, events, key = self.sent.pop(number)
            if number not in lost:
                self.floor, self.send_key = floor, key or self.send_key
                self.events.arrived.update(events)
            elif key: self.renewed = -math.inf  # announces the key again
            self.lost_sent += number in lost
        self.acked = max(self.acked, ack)

    def read_change(self, r, _):
        """Reads a rate change: a rate, a new key or a new route (Rate)."""
        code = r.bits(16) if r.flag() else 0
        r.bits(11 if 0 < code < 65534 else 0)
        if code == 65534: self.route = r.raw(8), r.raw(16)
        if code == 65535:
            # The old key stays until the next announcement. torc erases it after two seconds.
            self.open_keys = [next_key(self.open_keys[0]), self.open_keys[0]]

    def read_moves(self, r, _):
        """Skips the answer to moves, and the state of the object that we control (Moves)."""
        if not r.flag(): return
        r.bits(5)
        if r.flag():
            self.controls = r.var() - 1
            r.bits(r.bits(12) + (16 if self.check else 0))
        r.bits(14 if r.flag() else 0)  # flash

    def read_control(self, r, now):
        kind = r.bits(3)
        self.read_fates(r, r.bits(48))
        if kind == 3: raise Ended("closed")
        if kind == 0:  # a ping: what was sent up to it is here or lost
            newest = min(r.bits(48), self.last[DATA] + WINDOW)
            self.lost.update(range(self.last[DATA] + 1, newest + 1))
            self.last[DATA] = max(self.last[DATA], newest)
            self.control(now, 1, self.last[CONTROL], 14, 0, 8)
        n = {4: 64, 6: 11}.get(kind)  # a challenge, or a size: the answer repeats it
        if n: self.control(now, kind + 1, r.bits(n), n)

    def tick(self, now):
        """Sends a data packet. Its ack has the longest form."""
        if now - self.heard > TIMEOUT: raise Ended("the server is silent")
        if self.number[DATA] - self.acked >= WINDOW: return
        key = next_key(self.send_key) if now - self.renewed > 120 else None
        self.renewed = now if key else self.renewed
        head = 3, 2, self.last[DATA], 48, *self.gaps(now), *((1, 1, 65535, 16) if key else (0, 1))
        section, events = self.events.write()
        fields = *head, 0, 1, *section, 0, 1  # no moves; no ghosts for the server
        if self.check:
            at, end = width(head), width(fields)
            fields += 0, -end % 8, at, 16, at + 1, 16, end - 1, 16, end, 16
        self.sent[self.number[DATA] + 1] = self.last[DATA], events, key
        self.transmit(DATA, fields)

    def control(self, now, kind, *fields):
        if now < self.pauses.get(kind, 0): return  # one of a type in 50 ms
        self.pauses[kind] = now + 0.05
        self.transmit(CONTROL, (kind, 3, self.last[DATA], 48, *self.gaps(now), *fields))

    def gaps(self, now):
        """The runs of received and lost numbers, down from the ack, and the delay."""
        numbers = range(self.last[DATA], max(self.floor, self.last[DATA] - WINDOW), -1)
        self.lost.intersection_update(numbers)
        verdicts = "".join("RL"[number in self.lost] for number in numbers)
        fields = [(1, 1, *gamma(len(received) + 1), *gamma(len(lost)))
                  for received, lost in re.findall("(R*)(L+)", verdicts)]
        return *chain(*fields), 0, 1, min(255, int((now - self.arrival) * 1000)), 8

    def transmit(self, kind, fields):
        self.number[kind] += 1
        clear = struct.pack("<H", kind | self.number[kind] % (1 << 14) << 2)
        sealed = seal(self.send_key, kind, self.number[kind], pack(fields), clear)
        silent, id = clock() - self.heard > 0.5, self.route[0]  # a restarted server needs all of it
        self.sock.send((b"\xc0" + id if silent else b"\xf0" + id[:2]) + clear + sealed)

    def leave(self):
        """Sends drop packets, until the server answers with a close."""
        for _ in range(8):
            self.transmit(DROP, (2, 5, *plain("", "")))  # closed
            for packet in packets(self.sock, 0.2):
                self.receive(packet, clock())

class Tag(int): """A text by its number in the table of the server (Strings)."""

ARGUMENTS = [  # the readers of arguments, by kind (Commands)
    lambda r: None, lambda r: False, lambda r: True, lambda r: -r.var() if r.flag() else r.var(),
    Reader.float64, Reader.string, Reader.tag,
    *[lambda r: r.list(3, Reader.float64)] * 2,  # a vector, a rotation
    *[Reader.var] * 4, lambda r: (r.var(), r.tag()),  # objects and datablocks, a client
]

def read_command(r):
    name, kinds = r.tag(), r.list(r.ranged(0, 20), lambda r: r.ranged(0, 13))
    return name, [ARGUMENTS[kind](r) for kind in kinds]

def read_frames(r, before):
    """A frame of voice, and perhaps the one before it (Voice)."""
    return r.list(1 + before, lambda r: r.raw(r.ranged(1, 160)))

def read_talker(r): return r.bits(16), r.var(), r.string(), r.bits(64), r.var()
def read_rules(r): return r.ranged(0, 4), r.bits(4), r.ranged(0, 2), r.flag(), r.flag()

def read_transfer(r):
    """An order to go to another server (Transfers)."""
    require(r.ranged(0, 3) == 0, "an answer to an order of nobody")
    return r.var(), r.string(), r.raw(32), r.string(), r.bytes()

def read_number(r):
    if not r.flag(): return r.float64()
    return -r.var() if r.flag() else r.var()

def read_form(r):
    """A piece of a form with its rows, the number of a form that is over, a key of a mod, or a part of a picture (Forms)."""
    use = r.ranged(0, 4)
    if use == 3: return r.string(), r.string(), (r.ranged(0, 47), r.string()) if r.flag() else None
    number = r.var()
    if use == 4:
        part = r.ranged(0, 2)
        head = (r.ranged(20, 16384), r.raw(16)) if part == 0 else None
        return number, head, r.bytes() if part < 2 else None
    if use == 1: return number, None, None
    head = (r.var(), r.string(), r.string(), r.ranged(0, 256)) if r.flag() else None
    return number, head, r.list(r.ranged(0, 256), read_row)

def read_row(r):
    kind, text = r.ranged(0, 8), r.string()
    name = r.string() if 1 <= kind <= 5 and r.flag() else ""
    return kind, text, name, ROWS[kind](r)

def read_choice(r):
    n = r.ranged(1, 255)
    return r.list(n, Reader.string), r.ranged(0, n)

def read_table(r):
    columns, rows = r.ranged(1, 16), r.ranged(0, 255)
    return columns, r.list(columns * (rows + 1), Reader.string), r.ranged(0, rows)

ROWS = [  # the readers of the rest of a row, by kind
    lambda r: None, lambda r: None,
    lambda r: (r.flag(), r.list(3, read_number)) if r.flag() else (r.ranged(1, 1024), r.string()),
    read_choice, lambda r: r.list(4, read_number), read_table,
    lambda r: r.bits(10), lambda r: r.bits(16), lambda r: r.var(),
]

# The kinds of events (What the engine sends), and the readers of those that a player gets.
KINDS = [
    ("announce", lambda r: (r.slot(), r.text())),
    ("fragment", lambda r: (r.bits(2), r.flag(), r.raw(r.bits(5) + 1))),
    ("claim", lambda r: r.bits(1) + 1),
    ("camera", lambda r: r.ranged(1, 179) if r.flag() else r.flag()),
    ("command", read_command),
    ("description", lambda r: (r.flag(), r.bytes())),
    ("form", read_form),
    ("hello", lambda r: (r.string(), r.var(), r.list(2 * r.ranged(0, 256), Reader.string))),
    ("pace", lambda r: r.ranged(0, 400)),
    ("phaseAnswer", None),
    ("phaseStep", lambda r: (r.ranged(0, 5), r.bits(32), r.var())),
    ("recording", None),
    ("speech", None),
    ("transfer", read_transfer),
    ("voice", lambda r: (r.bits(16), r.bits(8), r.bits(2), read_frames(r, r.flag()))),
    ("voiceState", lambda r: read_rules(r) if r.flag() else read_talker(r)),
]
KINDS_HASH = 0x3B93136E01650426  # of their names and directions (The class list)
KIND_BITS, COMMAND, ANSWER, TRANSFER = 4, 4, 9, 13

class Events:
    """The section of events: hands over those of the server in order, and sends ours."""
    def __init__(self, check, handle):
        self.mark, self.handle = 16 if check else 0, handle  # bits of a mark
        self.strings, self.parcels = {}, [b""] * 3
        self.next, self.kept = [0, 0], [{}, {}]  # by channel: the next number; events behind gaps
        self.ours, self.arrived = [[], []], {0: 0, 1: 0}  # by channel: events; how many arrived

    def read(self, r, _):
        while r.flag(): self.process(*self.event(r))
        for channel in 0, 1:
            if r.flag(): self.read_run(r, channel)

    def read_run(self, r, channel):
        """Reads the events of a channel, and processes them in order."""
        form = r.bits(2)
        wide = r.bits(2) if form == 3 else 0
        bits = (0, 2, 6)[form] if form < 3 else (8, 12, 16)[wide if wide < 3 else r.bits(2)]
        kept, gap = self.kept[channel], True
        while gap:
            first = self.next[channel] - ((1 << bits) // 2 if form == 3 else 0)
            number, more = first + (r.bits(bits) - first) % (1 << bits), True
            while more:
                event = self.event(r)
                if number >= self.next[channel]: kept[number] = event  # otherwise it is a copy
                while self.next[channel] in kept:
                    self.next[channel] += 1
                    self.process(*kept.pop(self.next[channel] - 1))
                number, more = number + 1, r.flag()
            gap = wide == 3 and r.flag()

    def event(self, r):
        kind = r.bits(KIND_BITS)
        name, read = KINDS[kind]
        r.bits(self.mark)  # the size of the body
        body = read(r)
        require(not self.mark or r.bits(16) == kind ^ 0x5AC3, f"{name} ends elsewhere")
        return name, body

    def process(self, name, body):
        if name == "announce": self.strings[body[0]] = body[1]
        elif name == "command":
            self.handle(name, (self.resolve(body[0]), self.expand(body[1])))
        elif name == "fragment":
            parcel, last, data = body
            self.parcels[parcel] += data
            if last and parcel == 0: self.process("claim", 0)
        elif name == "claim":  # all pieces of an event have arrived (Pieces)
            r, self.parcels[body] = Reader(self.parcels[body]), b""
            self.process(*self.event(r))
        else: self.handle(name, body)

    def resolve(self, value):
        value = value[1] if isinstance(value, tuple) else value  # a client: its name
        value = self.strings[value] if isinstance(value, Tag) else value
        return value.decode(errors="replace") if isinstance(value, bytes) else value

    def expand(self, args):
        """The arguments of a command, each tag with %1 to %9 replaced (Substitution)."""
        texts = [self.resolve(arg) for arg in args]
        for i in reversed(range(len(args))):
            if isinstance(args[i], (bytes, Tag)):
                behind = ["" if text is None else str(text) for text in texts[i + 1:]] + [""] * 9
                place = lambda m: "%" if m[1] == "%" else behind[int(m[1]) - 1]
                texts[i] = re.sub("%([1-9%])", place, texts[i])
        return texts

    def command(self, name, *args):
        """Sends a command with texts and whole numbers."""
        kinds, previous = [5 if isinstance(arg, str) else 3 for arg in args], name
        body = [0, 1, *plain(name, ""), len(args), 5, *chain(*((kind, 4) for kind in kinds))]
        for kind, arg in zip(kinds, args):
            body += plain(arg, previous) if kind == 5 else (arg < 0, 1, *var(abs(arg)))
            previous = arg if kind == 5 else previous
        self.ours[0].append((COMMAND, body))

    def write(self):
        """Packs the oldest event of each channel, until a packet with it has arrived."""
        fields, packed = [0, 1], []  # no unordered events
        for channel, number in self.arrived.items():
            events = self.ours[channel][number:number + 1]
            fields += (len(events), 1)
            for kind, body in events:  # a run of one, its number in 16 bits
                fields += (3, 2, 2, 2, number, 16, kind, KIND_BITS, width(body), self.mark)
                fields += (*body, kind ^ 0x5AC3, self.mark, 0, 1)
                packed.append((channel, number + 1))
        return fields, packed

class Cell(collections.namedtuple("Cell", "name part kind block bits value span smooth rate")):
    """A part of a field: its bits on the wire, and its value (Objects as ghosts)."""
    def read(self, r):
        """The code of the cell, a text, or the id of a ghost or None."""
        r.previous = b""
        if self.kind == STRING: return r.string()
        return r.bits(self.bits) if self.bits else r.bits(16) if r.flag() else None

def coding(kind, lo, hi, whole, bits, step):
    """The bits of a cell, and its value for a code. A text and the id of a ghost have no bits."""
    if kind == BOOL: return 1, bool
    if whole: return max(1, int(hi - lo).bit_length()), lambda code: int(lo) + code
    if kind == ROTATION and bits: return bits, lambda code: 360 * code / (1 << bits)
    if bits: return bits, lambda code: lo + (hi - lo) * code / ((1 << bits) - 2)
    if step:
        n = round(1 / step)
        even = n > 1 and abs(n * step - 1) < 1e-9
        times = lambda k: k / n if even else k * step
        near = range(math.floor(lo / step) - 1, math.ceil(hi / step) + 2)
        first = next(k for k in near if times(k) >= lo)
        last = next(k for k in reversed(near) if times(k) <= hi)
        return (last - first).bit_length(), lambda code: times(first + code)
    if kind in (STRING, OBJECT): return 0, lambda code: code
    return 64, lambda code: struct.unpack("<d", struct.pack("<Q", code))[0]

class Classes:
    """The classes by id: of each its name, and the cells of each group (The class list)."""
    FIELD = re.compile(r'"(\w+)" (\d+) (\d) (\S+) (\S+) (\w+) (\d+) (\S+) \d+ "(\w*)" '
                       r'(?:rate "(\w+)" )?(jumps )?')
    TYPES = str, int, int, float, float, "true".__eq__, int, float, str, str, str

    def __init__(self):
        listing = (ROOT / "game/classes.txt").read_bytes()
        fnv = lambda value, byte: (value ^ byte) * 0x100000001B3 % (1 << 64)
        self.hash = functools.reduce(fnv, listing, 0xCBF29CE484222325)
        self.list, self.names = [], {}  # the names are of datablocks
        self.blocks = set(re.findall(r'^"(\w+)" "\w+" 2', listing.decode(), re.M))
        for line in listing.decode().splitlines():
            if begins := re.match(r'"(\w+)" "\w+" ', line):
                self.list.append((begins[1], [[]]))
            else:
                words = self.FIELD.match(line).groups("")
                self.add(*(to(word) for to, word in zip(self.TYPES, words)))

    def add(self, name, group, kind, lo, hi, whole, bits, step, of, rate="", jumps=""):
        """Adds a field to the newest class, and returns its cells."""
        smooth = not jumps and not whole and bits + step > 0
        block = kind == OBJECT and of in self.blocks
        bits, value = (15, None) if block else coding(kind, lo, hi, whole, bits, step)
        same = kind, block, bits, value, hi - lo, smooth and bits <= 32, rate
        parts = {VECTOR: ("x", "y", "z"), ROTATION: ("yaw", "pitch", "roll")}.get(kind, [""])
        cells = [Cell(name, part, *same) for part in parts]
        groups = self.list[-1][1]
        groups += [[] for _ in range(len(groups), group + 1)]
        groups[group] += cells
        return cells

    def describe(self, r):
        """Reads the description of a class of a mod (Class descriptions)."""
        require(r.bits(10) == len(self.list), "the id of a described class")
        name, (_, groups) = r.string(), self.list[r.bits(10)]
        self.list.append((name, [list(cells) for cells in groups]))
        group = len(groups) - 1
        for _ in range(r.bits(7)):
            name, joins, kind = r.string(), r.flag(), r.bits(3)
            group += not joins
            ranged, whole = kind in (NUMBER, VECTOR), kind == NUMBER and r.flag()
            lo, hi = (r.float64(), r.float64()) if ranged else (0, 0)
            bits = r.bits(6) if kind == ROTATION or ranged and not whole else 0
            step = r.float64() if ranged and not whole and bits == 0 and r.flag() else 0
            r.bits(11 if kind == STRING else 0)  # its maximum
            of = r.string() if kind == OBJECT else ""
            cells = self.add(name, group, kind, lo, hi, whole, bits, step, of)
            for cell in cells if kind != OBJECT and r.flag() else []:  # a default: skip it
                r.text() if kind == STRING else r.bits(0 if whole and lo == hi else cell.bits)

    def name_block(self, r):
        """Reads the description of a datablock up to its name. This client skips the rest."""
        _, index, _ = r.bits(10), r.bits(14), r.var()  # the class, the index, the key
        _ = r.flag() and (r.bits(14), r.var())  # the base
        self.names[index] = r.string()

# A copy of an object: of each group its cells, codes, and past values (packet, tick, codes).
Ghost = collections.namedtuple("Ghost", "name groups codes values")

class Ghosts:
    """The section of ghosts."""
    def __init__(self, check, classes):
        self.check, self.classes = check, classes
        self.ghosts, self.epoch = {}, 0
        self.tick, self.ticks = 0, {}  # of the newest packet, and of earlier ones
        self.counts = dict.fromkeys(("creates", "updates", "relative", "kills"), 0)

    def read(self, r, packet):
        if not r.flag(): return
        epoch = r.bits(8) if r.flag() else self.epoch
        if epoch != self.epoch: self.ghosts, self.epoch = {}, epoch
        base = packet - r.bits(8) if r.flag() else None
        self.tick = r.bits(32) if base is None else self.ticks[base] + r.gamma() - 1
        self.packet, self.ticks[packet] = packet, self.tick
        self.ticks.pop(packet - 256, None)
        far = base is None or packet - base > 60 and self.tick - self.ticks[base] > 60
        self.base = -1 if far else base  # a baseline is of packets up to it
        self.oldest = self.tick - (60 << r.bits(3))
        kill = lambda r, number: self.ghosts.pop(number)
        for kind, each in ("kills", kill), ("creates", self.create), ("updates", self.update):
            n = r.gamma() - 1
            k, number = r.bits(4) if n else 0, -1
            self.usual = 2 * (r.gamma() - 1) if n and kind == "updates" else 0
            for _ in range(n):
                number += 1 + r.rice(k)
                each(r, number)
            self.counts[kind] += n

    def create(self, r, number):
        name, groups = self.classes.list[r.bits(10)]
        new = Ghost(name, groups, [[] for _ in groups], [[] for _ in groups])
        ghost = self.ghosts.setdefault(number, new)
        require(ghost.groups is groups, "a create with another class")
        for group in range(len(groups)): self.read_group(r, ghost, group, [])

    def update(self, r, number):
        ghost, groups = self.ghosts[number], len(self.ghosts[number].groups)
        mask = self.usual if self.usual and r.flag() else (
            2 << r.ranged(0, groups - 2) if groups > 5 and r.flag() else r.bits(groups - 1) << 1)
        baselines = {g: self.baseline(ghost.values[g]) for g in range(groups) if mask >> g & 1}
        relative = any(baselines.values()) and r.flag()
        self.counts["relative"] += relative
        for group, baseline in baselines.items():
            self.read_group(r, ghost, group, baseline if relative else [])

    def baseline(self, values):
        """The values that a relative update counts from, the newest first (Whole and relative)."""
        return [each for each in values if each[0] <= self.base and each[1] >= self.oldest][:-3:-1]

    def read_group(self, r, ghost, group, past):
        """Reads a group: whole, or relative to past values. A mark follows each field."""
        cells, values, start = ghost.groups[group], ghost.values[group], r.at
        codes = [None] * len(cells)
        order = sorted(range(len(cells)), key=lambda i: bool(past and cells[i].rate))
        for name, places in groupby(order, lambda i: cells[i].name):
            for i in places:
                codes[i] = self.relative(r, cells, i, codes, past) if past else cells[i].read(r)
            mark = r.at - start << 16 | 0x746F
            require(not self.check or r.bits(32) == mark, f"{ghost.name}.{name} ends elsewhere")
        ghost.codes[group] = codes
        if group > 0 and all(cell.smooth for cell in cells):
            values.append((self.packet, self.tick, codes))
            del values[:-62]  # at most 60 are newer than a base, and a baseline has two

    def relative(self, r, cells, i, codes, past):
        """Reads the residual of a cell, and returns its code (Whole and relative, Rates)."""
        (_, newer_tick, newer), (_, older_tick, older) = past[0], past[-1]
        since, span = self.tick - newer_tick, newer_tick - older_tick
        cell, modulus, predicted = cells[i], 1 << cells[i].bits, newer[i]
        if cell.rate:
            at = [(rate.name, rate.part) for rate in cells].index((cell.rate, cell.part))
            zero = (1 << cells[at].bits - 1) - 1
            now, before = codes[at] - zero, newer[at] - zero
            unit = lambda cell: ((1 << cell.bits) - 2) / cell.span
            scale = math.floor(TICK * unit(cell) / unit(cells[at]) * (1 << 20) + 0.5)
            predicted += (now * (since + 1) + before * (since - 1)) * scale >> 21
        elif span:
            change = (newer[i] - older[i] + modulus // 2) % modulus - modulus // 2
            predicted += abs(change) * since // span * (1 if change > 0 else -1)
        folded = r.golomb(sum(since > span * factor for factor in (2, 4, 8)))
        return (predicted + (folded >> 1 ^ -(folded & 1))) % modulus

class Client(Link):
    """What the client does with a connection, from the join to the end of the input."""
    def handle(self, kind, body):
        """Answers an event of the server (Joining)."""
        if kind == "command" and body[0].startswith("MissionStartPhase"):
            self.events.command(body[0] + "Ack", body[1][0])
        elif kind == "command" and body[0] == "ServerMessage": self.say(str(body[1][1]))
        elif kind == "description":
            (self.classes.describe if body[0] else self.classes.name_block)(Reader(body[1]))
        elif kind == "hello": self.say("joined " + body[0])
        elif kind == "phaseStep" and body[0] in (1, 3) and body[2] == 0:  # they have arrived
            done = body[0] // 2
            self.events.ours[1 - done].append((ANSWER, (done, 1, body[1], 32)))
        elif kind == "phaseStep" and body[0] == 5: self.say("in the game")
        elif kind == "transfer":
            refusal = plain("this client cannot be transferred", "")
            self.events.ours[0].append((TRANSFER, (2, 2, *var(body[0]), *refusal)))

    def say(self, text): print("#", "".join(c for c in text if c.isprintable()), flush=True)

    def command(self, line):
        """Carries out a line of the input."""
        if line == "/ghosts":
            for n, ghost in sorted(self.ghosts.ghosts.items()):
                print(json.dumps({"ghost": n, "class": ghost.name, "fields": self.fields(ghost)}))
            counts = {"tick": self.ghosts.tick, **self.ghosts.counts, "packets": self.last[DATA],
                      "controls": self.controls, "lost": self.lost_sent}
            print(json.dumps(counts), flush=True)
        elif re.match(r"/\S", line):
            name, *args = line[1:].split()[:21]  # 20 arguments at most
            args = [int(arg) if re.fullmatch(r"-?\d{1,15}", arg) else arg for arg in args]
            self.events.command(name, *args)
        elif line: self.events.command("MessageSent", line)

    def fields(self, ghost):
        """The fields of a ghost with their values; a datablock by its name."""
        out = {}
        for cell, code in zip(chain(*ghost.groups), chain(*ghost.codes)):
            value = self.classes.names.get(code - 1) if cell.block else cell.value(code)
            out[cell.name] = out.get(cell.name, []) + [value] if cell.part else value
        return out

    def run(self):
        # Without a buffer, because select sees no lines that wait in one. A line fits in a packet.
        tick, lines = clock(), open(sys.stdin.fileno(), "rb", buffering=0)
        while True:
            for ready in select.select([self.sock, lines], [], [], max(0, tick - clock()))[0]:
                if ready is self.sock: self.receive(self.sock.recv(2048), clock())
                elif not (line := lines.readline(1000)): return
                else: self.command(line.decode(errors="ignore").strip())
            if clock() >= tick:
                tick = max(tick + TICK, clock())
                self.tick(clock())

def main():
    parser = argparse.ArgumentParser(description="A client of torc in one file.")
    parser.add_argument("server", metavar="HOST:PORT")
    parser.add_argument("--name", default="python")
    parser.add_argument("--password", default="")
    parser.add_argument("--key", default="", help="the key of the server, in hexadecimal digits")
    parser.add_argument("--language", default="", help="of the player, such as pt-BR")
    parser.add_argument("--check", action="store_true", help="ask for marks (net.check)")
    args = parser.parse_args()
    try:
        client = Client(args)
        client.run()
    except (Ended, OSError) as end: sys.exit(f"client.py: {end}")
    with contextlib.suppress(Ended): client.leave()

if __name__ == "__main__":
    main()
