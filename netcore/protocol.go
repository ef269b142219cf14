package netcore

import (
	"math"
	"time"
)

// This file holds what both ends must agree on. None of it is configurable;
// a change of any of it is a new ProtocolVersion. PROTOCOL.md explains it.
//
//	datagram   2 bytes clear | sealed text | 16 bytes tag
//	clear      2 bits kind | 14 low bits of the number      (associated data)
//	nonce      kind byte | 0 0 0 | 64-bit number
//
//	data       ack | gaps | [number mod 8 = 0: 7 bits ack delay in ms] | sections
//	  ack      0 + 5 bits | 10 + 10 bits | 11 + 48 bits
//	  gaps     0 | 1 + (γ(received+1) γ(lost) more)...      downward from the ack
//	  sections rate changes | the streams in order
//	control    2 bits type | 48 bits ack | gaps | [ping: 48 bits newest data
//	           number | pong: 14 low bits of the ping's number]
//	drop       5 bits code | text

// MaxDatagram is the largest UDP payload ever sent, in bytes.
const MaxDatagram = 1200

// MaxPlain is the largest sealed text of a packet, in bytes: the header and all sections.
const MaxPlain = MaxDatagram - clearBytes - tagBytes

// Window is how many data packets may be unsettled at once.
const Window = 256

// GhostBits is the width of a ghost's id.
const GhostBits = 16

// NameBits and NameMask describe the low bits of an object's name in an event or a control state:
// the id + 1 of its ghost, 0 for none. The bits above them tell the birth of the ghost.
const (
	NameBits = GhostBits + 1
	NameMask = 1<<NameBits - 1
)

// Packet kinds: the 2 lowest clear bits. Each kind has its own numbers.
const (
	kindConnectionless = iota // handshake
	kindData
	kindControl
	kindDrop
)

// Control packet types.
const (
	controlPing  = iota // names the newest data number: close your window up to it and answer
	controlPong         // the answer
	controlAck          // an ack block that no data packet would carry
	controlClose        // the answer to a drop
	controlTypes
)

const (
	clearBytes = 2  // before the sealed text
	tagBytes   = 16 // behind it

	ackBits    = 48 // absolute data numbers
	delayBits  = 7  // ack delay in ms; all ones: that or more
	delayEvery = 8  // data packets whose number is a multiple carry it
	codeBits   = 5  // ReasonCode

	heldMax  = 32                   // opened packets that wait behind a gap
	patience = 8 * time.Millisecond // for which they wait, when there are several
)

// Time is a point in time: the duration since the process's own epoch. It
// never runs backward and is an argument everywhere.
type Time = time.Duration

// Never is the Time of what will not happen.
const Never Time = math.MaxInt64

// LeastCopyAge is the least age of the newest copy of an item in flight before a stream may send
// another copy of it.
const LeastCopyAge = 10 * time.Millisecond

// Timers of the sender. They need not be equal at both ends.
const (
	tailFirst = 150 * time.Millisecond // least wait before an unsettled packet is asked about
	tailMost  = 2 * time.Second        // longest wait between such pings
	keepAlive = 5 * time.Second        // without a round-trip sample a ping is due

	dropFirst, dropMost = 100 * time.Millisecond, time.Second // between two drop packets
	dropTries           = 8

	defaultTimeout = 45 * time.Second

	skipLeast, skipMost = 256, 4096 // a number in so many is never sent
	ackEagerly          = 16        // packets received before an ack waits for no Tick
)
