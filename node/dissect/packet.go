package dissect

import "github.com/torc-engine/torc/netcore/capture"

// A Packet is a datagram of a capture with its fields.
type Packet struct {
	Packet     int          `json:"packet"` // its number in the capture, from 1
	Session    int          `json:"session,omitempty"`
	Time       int64        `json:"time"` // µs
	From       capture.Side `json:"from"`
	Size       int          `json:"size"` // bytes
	Type       string       `json:"type"`
	Connection string       `json:"connection,omitempty"` // the id that a packet of the client names, or its lowest two bytes, hexadecimal
	Number     uint64       `json:"number,omitempty"`     // of its kind
	Fate       Fate         `json:"fate,omitempty"`       // of a data packet
	Bits       int          `json:"bits,omitempty"`       // of the encrypted text, or of the packet if it has none
	Fields     []Field      `json:"fields,omitempty"`
	Processed  []Processed  `json:"processed,omitempty"`
	Note       string       `json:"note,omitempty"`
	Error      string       `json:"error,omitempty"`
}

// Fate tells what became of a data packet at its receiver.
type Fate string

// The fates.
const (
	Received  Fate = "received"
	Lost      Fate = "lost"
	Duplicate Fate = "duplicate" // the same number came before
	Unknown   Fate = "unknown"   // the capture ends before the verdict; read like a received packet
)

// A Field is a part of a packet. Its bits are From to To-1, counted from the beginning of the text.
// A field without bits is derived from others.
type Field struct {
	Name     string  `json:"name"`
	From     int     `json:"from"`
	To       int     `json:"to"`
	Value    any     `json:"value"`              // bool, number, string, or nil for none
	Residual *uint64 `json:"residual,omitempty"` // the code of a value that is relative to a baseline
	Means    any     `json:"means,omitempty"`    // the value in the units of the game, or a name
}

// Processed is an event that its receiver processed with a packet: it and all events before it were
// there.
type Processed struct {
	Channel int     `json:"channel"` // -1: unordered
	Number  uint64  `json:"number"`  // in its channel
	Kind    string  `json:"kind"`
	Name    string  `json:"name,omitempty"` // of a command
	Args    []Arg   `json:"args,omitempty"` // of a command
	Text    string  `json:"text"`           // the event as one line
	Fields  []Field `json:"fields,omitempty"`
}

// An Arg is an argument of a command, with its tag resolved.
type Arg struct {
	Kind  string `json:"kind"`
	Value any    `json:"value"`
}
