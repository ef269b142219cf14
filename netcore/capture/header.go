package capture

// Format is the version of the format of captures.
const Format = 1

// Magic is the value of Header.Capture.
const Magic = "torc"

// A Side is one end of a connection.
type Side string

// The sides. The client is the one that asked for the connection.
const (
	Client Side = "client"
	Server Side = "server"
)

// Other returns the other side.
func (s Side) Other() Side {
	if s == Client {
		return Server
	}
	return Client
}

// A Header is the first line. It holds what both ends of the connection had to agree on.
type Header struct {
	Capture  string  `json:"capture"`  // Magic
	Format   int     `json:"format"`   // of the capture
	Protocol uint32  `json:"protocol"` // version of the wire format
	Recorder Side    `json:"recorder"` // the side that recorded the datagrams
	Program  string  `json:"program"`  // the program that recorded them, for people
	Hash     string  `json:"hash"`     // of kinds and classes, as in the greeting: 16 hexadecimal digits
	Kinds    []Kind  `json:"kinds"`    // event kinds in the order of their ids
	Classes  []Class `json:"classes"`  // in the order of their ids, without those that a server describes
}

// A Kind is a kind of event.
type Kind struct {
	Name  string `json:"name"`
	From  Side   `json:"from,omitempty"`  // the only side that sends it; "" is either
	Print uint32 `json:"print,omitempty"` // its fingerprint; 0 for a kind of the stream itself, and in captures of earlier programs
}

// The kinds of classes.
const (
	NetClass   = "net"
	BlockClass = "datablock"
)

// A Class is a class of the class list.
type Class struct {
	Name     string  `json:"name"`
	Parent   string  `json:"parent"`
	Kind     string  `json:"kind"` // NetClass or BlockClass
	Abstract bool    `json:"abstract,omitempty"`
	ByHand   []int   `json:"byHand,omitempty"` // groups that no table describes
	Print    uint32  `json:"print,omitempty"`  // its fingerprint; 0 in captures of earlier programs
	Fields   []Field `json:"fields"`           // inherited ones first
}

// The kinds of values.
const (
	Bool     = "bool"
	Number   = "number"
	String   = "string"
	Vector   = "vector"
	Rotation = "rotation"
	Object   = "object"
)

// A Field is a field of a class. Lo and Hi are 0 where the range has no limits.
type Field struct {
	Name  string  `json:"name"`
	Group int     `json:"group"`
	Kind  string  `json:"kind"`
	Lo    float64 `json:"lo,omitempty"` // range of a number, or of each component of a vector
	Hi    float64 `json:"hi,omitempty"`
	Whole bool    `json:"whole,omitempty"`
	Bits  int     `json:"bits,omitempty"`  // width of each number; 0 is none
	Step  float64 `json:"step,omitempty"`  // precision of each number; 0 is none
	Jumps bool    `json:"jumps,omitempty"` // the cells are not smooth
	Rate  string  `json:"rate,omitempty"`  // the field that is the rate of this one
	Max   int     `json:"max,omitempty"`   // most bytes of a string
	Class string  `json:"class,omitempty"` // of an object
}

// A Session holds the first keys of a session. The packets that follow belong to it.
type Session struct {
	Number int      // from 1
	Time   int64    // µs
	Client [32]byte // the key of the packets of the client
	Server [32]byte // the key of the packets of the server
}

// A Packet is a datagram.
type Packet struct {
	Time int64 // µs since an epoch that the recorder chose
	From Side
	Data []byte
}
