package netcore

import (
	"math"
	"time"
)

// This file holds the constants that both ends must agree on. None of them can be configured.
// Changing one requires a new ProtocolVersion. PROTOCOL.md specifies the format.
//
//	datagram   [from the client: id] 2 bytes clear | sealed text | 16 bytes tag
//	id         F0h | the lowest 2 bytes of the connection id, or C0h | its 8 bytes
//	clear      2 bits kind | 14 low bits of the number      (associated data)
//	nonce      kind byte | 0 0 0 | 64-bit number
//
//	data       ack | gaps | 8 bits ack delay in ms | sections
//	  ack      0 + 5 bits | 10 + 10 bits | 11 + 48 bits
//	  gaps     0 | 1 + (γ(received+1) γ(lost) more)...      downward from the ack
//	  sections rate changes | the streams in order
//	control    3 bits type | 48 bits ack | gaps | 8 bits ack delay | [ping: 48 bits newest data
//	           number | pong: 14 low bits of the ping's number, 8 bits delay in ms |
//	           path and its answer: 64 bits | size and its answer: 11 bits | size: zeros]
//	drop       5 bits code | text

// MaxDatagram is the size of the largest UDP payload, in bytes. Only data packets on a path that
// was found to carry it are larger than BaseDatagram.
const MaxDatagram = 1400

// BaseDatagram is the size in bytes of a UDP payload that nearly every path carries. The packets of
// the handshake and the first data packets are at most as large.
const BaseDatagram = 1200

// LeastToServer is the least first byte of a packet to a server. Datagrams that begin with less are
// of other protocols on the same port, such as STUN and DTLS (RFC 7983).
const LeastToServer = 0xC0

// MaxPlain is the maximum size of a packet's encrypted text, in bytes: the header and all sections.
// BasePlain is that of a packet of BaseDatagram.
const (
	MaxPlain  = MaxDatagram - clearBytes - tagBytes
	BasePlain = BaseDatagram - clearBytes - tagBytes
)

// Window is the maximum number of data packets without a verdict.
const Window = 1024

// GhostBits is the width of a ghost's id, in bits.
const GhostBits = 16

// NameBits and NameMask describe the low bits of an object's name in an event or a control state.
// They hold the id + 1 of its ghost, 0 for none. The bits above them hold the birth of the ghost.
const (
	NameBits = GhostBits + 1
	NameMask = 1<<NameBits - 1
)

// Packet kinds: the 2 lowest clear bits. Each kind has its own sequence of numbers.
const (
	kindConnectionless = iota // handshake
	kindData
	kindControl
	kindDrop
	kindDeferred // only in the seal: a connectionless packet that tells that the owner decides later
)

// Control packet types.
const (
	controlPing       = iota // names the newest data number; the peer closes its window up to it
	controlPong              // the answer to a ping
	controlAck               // an ack block that no data packet carries
	controlClose             // the answer to a drop packet
	controlPath              // a challenge to a new address of the client
	controlPathAnswer        // the answer to it
	controlSize              // padded to the size that it names, to find what the path carries
	controlSizeAnswer        // the answer to it
	controlTypes
)

const (
	clearBytes = 2  // before the encrypted text
	tagBytes   = 16 // after the encrypted text

	ackBits   = 48 // absolute data numbers
	delayBits = 8  // ack delay in ms; all ones means a longer delay
	codeBits  = 5  // ReasonCode
	typeBits  = 3  // type of a control packet

	maxHeld = 32 // maximum of decrypted packets held behind a gap
)

// Time is a point in time: the duration since an epoch that the process chooses. It never goes
// backward. Every function that needs the time takes it as an argument.
type Time = time.Duration

// Never is the Time of an event that never happens.
const Never Time = math.MaxInt64

// MinCopyAge is the least age of an item's newest copy in flight. Before that age a stream must
// not send another copy.
const MinCopyAge = 10 * time.Millisecond

// Timers of the sender. They can differ between the two ends.
const (
	minTailWait = 150 * time.Millisecond // least wait before a ping asks about an open packet
	maxTailWait = 2 * time.Second        // longest wait between such pings
	answerPause = 50 * time.Millisecond  // least time between two answers to pings, to challenges, and to probes of a size

	// The longest time without a round-trip sample after which a ping is due. A client asks more
	// often, so that both ends notice a dead line.
	serverKeepAlive = 5 * time.Second
	clientKeepAlive = 500 * time.Millisecond

	// The same when no data packet was sent or received for quietAfter. Routers keep the mapping of
	// an address for 30 s and more.
	quietAfter           = 2 * time.Second
	quietServerKeepAlive = 10 * time.Second
	quietClientKeepAlive = 5 * time.Second

	// The packets of a client name the whole connection id if the server answers nothing for this
	// long and two round-trip times.
	wholeIDAfter = 250 * time.Millisecond

	minDropWait, maxDropWait = 100 * time.Millisecond, time.Second // delay between two drop packets
	dropTries                = 8

	defaultTimeout = 45 * time.Second

	minSkip, maxSkip = 256, 4096 // one number at random in every 256 to 4,096 is never sent
	maxUnacked       = 16        // packets received before an ack is due without a Tick
	firstUnacked     = 4         // the same for the first packets of a connection
)
