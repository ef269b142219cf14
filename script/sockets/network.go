package sockets

import "net/netip"

// An ID is the number of an HTTP request, a connection or a listener. A Set numbers what mods ask
// for. A Network numbers the connections that listeners accept, from FirstAccepted on.
type ID uint64

// FirstAccepted is the first ID of accepted connections.
const FirstAccepted ID = 1 << 32

// A Network carries out the requests of mods. The goroutine of the scripts calls it, and no method
// waits. The Network ends everything that it begins with an event of kind Ended or Responded. It
// ignores calls for an ID that it does not know.
type Network interface {
	// HTTP makes a request. Its event is Responded or Ended.
	HTTP(id ID, r HTTPRequest)
	// Connect opens a connection. Its events are Connected, Received and Sent, then Ended, then
	// Closed.
	Connect(id ID, to Target)
	// Listen accepts connections. Its events are Listening and Accepted, or Ended.
	Listen(id ID, at netip.AddrPort)
	// Send queues data on a connection. The Network keeps the slice.
	Send(id ID, data []byte)
	// Credit allows n more received bytes on a connection. A connection begins with Window.
	Credit(id ID, n int)
	// Close ends a connection after its queued data has been sent, or with now at once. It cancels
	// requests and closes listeners. No event of the ID follows but Closed.
	Close(id ID, now bool)
	// Events returns the events since the last call, in order.
	Events() []Event
}

// Window is the number of bytes that a connection receives before the mod has taken some of them.
const Window = 64 << 10

// A Target is a host and a port that a mod has the permission to connect to.
type Target struct {
	Host  string // DNS name or IP address
	Port  int
	Allow []netip.Prefix // addresses that are allowed although they are not public
}

// HTTPRequest is a request of a mod.
type HTTPRequest struct {
	Method string // GET or POST
	URL    string // absolute, with http or https
	Header []Field
	Body   []byte
	Most   int // bytes of the body of the response
	Target     // of URL; redirects to another one are refused
}

// A Field is a field of an HTTP header.
type Field struct{ Name, Value string }

// A Kind is the kind of an Event.
type Kind uint8

const (
	Ended     Kind = iota + 1 // the request, the connection or the listener has ended: Reason
	Responded                 // Status, Header, Data
	Connected                 // Address
	Listening                 // Address
	Accepted                  // Listener, Address
	Received                  // Data
	Sent                      // N
	Closed                    // the socket of a connection is closed: after Close, or after it could not be opened
)

// An Event is an input from the network.
type Event struct {
	Kind     Kind
	ID       ID
	Reason   string  // of Ended; "" if the peer has closed its side: the other one can still send
	Address  string  // of the peer; of Listening: of this side
	Listener ID      // of Accepted
	Status   int     // of Responded
	Header   []Field // sorted, names in lower case
	Data     []byte
	N        int // bytes that have left the queue of a connection
}
