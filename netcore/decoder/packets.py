"""The datagrams of a capture: they are opened, decoded, and shown in the order of the file."""

from bits import BitReader, Refused
from capture import Damage, read_capture
from fields import Fields
from handshake import (
    INTRODUCTION,
    INTRODUCTION_HEAD,
    NAMES,
    VERDICT,
    VERDICT_HEAD,
    read_clear,
    read_introduction,
    read_verdict,
    type_of,
)
from link import read_control, read_drop
from seal import nonce_of, unseal
from session import CLIENT, CONTROL, DATA, DROP, SERVER, Session

TYPES = {DATA: "data", CONTROL: "control", DROP: "drop"}
LOW_BITS = 14
CONNECTED = 0xC0
SPECTATOR = 1
CONNECTION_BYTES = 8


class Packet:
    """A datagram of a capture, and what is known about it. Text is None if it was not sealed or did not open."""

    def __init__(self, index, line, session):
        self.index = index
        self.session = session
        self.time = line["time"]
        self.sender = line["from"]
        self.data = bytes.fromhex(line["data"])
        self.type = "foreign"
        self.number = self.connection = self.fate = self.error = None
        self.text = self.fields = self.processed = None

    def open(self):
        """Finds the type, and the text if the keys of the session open it."""
        kind = type_of(self.data)
        sealed = self.data
        if kind is not None:
            self.open_handshake(kind)
            return
        if self.sender == CLIENT:
            if sealed[:1] != bytes([CONNECTED]):
                return
            self.connection = sealed[1 : 1 + CONNECTION_BYTES]
            sealed = sealed[1 + CONNECTION_BYTES :]
        head = int.from_bytes(sealed[:2], "little")
        if head & 3 in TYPES:
            self.type = "sealed"
            if self.session:
                self.open_sealed(head & 3, head >> 2, sealed[:2], sealed[2:])

    def open_handshake(self, kind):
        self.type = NAMES[kind]
        try:
            if self.session and kind == INTRODUCTION and len(self.data) > INTRODUCTION_HEAD:
                self.open_introduction()
            elif self.session and kind == VERDICT and len(self.data) > VERDICT_HEAD:
                self.open_verdict()
            if self.fields is None:
                self.fields = read_clear(kind, self.data)
        except Refused as reason:
            self.error = str(reason)

    def open_introduction(self):
        """The packet with the last piece gets the fields of the whole introduction."""
        piece = self.data[INTRODUCTION_HEAD - 1]
        self.number = (piece & 15) + 1
        pieces = self.session.pieces
        pieces[self.number] = self.unseal_first(CLIENT, INTRODUCTION_HEAD)
        if piece & 15 == piece >> 4 and len(pieces) == self.number and None not in pieces.values():
            self.text = b"".join(pieces[number] for number in sorted(pieces))
            self.fields = read_introduction(self.text)
            self.session.spectator = self.fields[-1][3] == SPECTATOR

    def open_verdict(self):
        self.number = 1
        self.text = self.unseal_first(SERVER, VERDICT_HEAD)
        if self.text is not None:
            self.fields = read_verdict(self.text)
            self.session.check = dict(field[::3] for field in self.fields).get("check", False)

    def unseal_first(self, side, head):
        """The text of a packet of the handshake under the first key of a side, or None."""
        key = self.session.directions[side].keys.first
        return unseal(key, nonce_of(0, self.number), self.data[head:], self.data[:head])

    def open_sealed(self, kind, low, associated, sealed):
        """Opens a packet of a connection."""
        direction = self.session.directions[self.sender]
        number = direction.nearest(kind, low, LOW_BITS)
        self.text = direction.keys.unseal(kind, number, sealed, associated)
        if self.text is not None:
            self.type, self.number = TYPES[kind], number
            direction.newest[kind] = max(direction.newest[kind], number)
            self.keep(direction)

    def keep(self, direction):
        if self.type == "control":
            direction.control.append(self)
        elif self.type == "data" and direction.data.setdefault(self.number, self) is not self:
            self.fate = "duplicate"

    def decode(self):
        """Reads the fields, if they are not known yet."""
        try:
            if self.type == "data" and self.fate != "duplicate":
                self.session.directions[self.sender].decode_up_to(self)
            elif self.type in ("control", "drop"):
                fields = Fields(BitReader(self.text))
                self.fields = fields.list
                (read_control if self.type == "control" else read_drop)(fields)
        except Refused as reason:
            self.error = str(reason)

    def bits(self):
        """Bits of the text, or of the datagram if that is shown."""
        if self.text is not None:
            return 8 * len(self.text)
        return None if self.fields is None else 8 * len(self.data)

    def object(self):
        """The JSON object of the packet."""
        members = {
            "packet": self.index,
            "session": self.session and self.session.number,
            "time": self.time,
            "from": self.sender,
            "size": len(self.data),
            "type": self.type,
            "connection": self.connection and self.connection.hex(),
            "number": self.number,
            "fate": self.fate,
            "bits": self.bits(),
            "fields": field_objects(self.fields or ()),
            "processed": [event_object(event) for event in self.processed or ()],
            "error": self.error,
        }
        return {name: value for name, value in members.items() if value not in (None, [])}

    def release(self):
        """Forgets what was shown."""
        self.data = self.text = self.fields = self.processed = None


def field_objects(fields):
    names = ("name", "from", "to", "value", "residual")
    return [dict(zip(names, field)) for field in fields]


def event_object(event):
    return {**event, "fields": field_objects(event["fields"])} if "fields" in event else event


class Opened:
    """The packets of a capture and its sessions, up to the first damaged line."""

    def __init__(self, path):
        self.packets, self.sessions = [], []
        self.damage = None
        lines = read_capture(path)
        self.header = next(lines)
        try:
            for line in lines:
                self.add(line)
        except Damage as damage:
            self.damage = damage
        for session in self.sessions:
            session.begin()

    def add(self, line):
        if "session" in line:
            self.sessions.append(Session(self.header, line))
        elif "data" in line:
            packet = Packet(len(self.packets) + 1, line, self.sessions[-1] if self.sessions else None)
            packet.open()
            self.packets.append(packet)


def decode_capture(path):
    """The JSON object of each packet of a capture, in the order of the file.

    It raises Damage behind the first packet, or the first line, that cannot be read."""
    opened = Opened(path)
    for packet in opened.packets:
        packet.decode()
        yield packet.object()
        if packet.error:
            raise Damage("packet %d, %s" % (packet.index, packet.error))
        packet.release()
    if opened.damage:
        raise opened.damage
