package engine

import (
	"errors"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/netcore/seal"
)

// The longest texts of a transfer in bytes.
const (
	maxTransferAddress = 255
	maxTransferName    = 64
)

// A TransferOrder is the order of a server to go to another server.
type TransferOrder struct {
	Address string   // HOST:PORT, at most 255 bytes; of a stranger for a client
	Key     seal.Key // of the other server, which the client must pin
	Name    string   // of the other server, at most 64 bytes, for people; not cleaned for a client
	Ticket  []byte   // for ConnectArgs.Ticket
}

// transferUse is what a transferEvent says.
type transferUse int

const (
	transferOrdered  transferUse = iota // from a server
	transferAccepted                    // from a client: the other server has accepted it
	transferRefused                     // from a client: it stays
	transferArrived                     // from a client, to the server that it has come to
	transferUses
)

// A transferEvent is the order of a server, or what a client says about one. One kind has all of
// them, because an id of events then has four bits.
//
//	ranged 0..3 use | 0, 1, 2: var number | 0: order | 2: text(255) refusal
type transferEvent struct {
	use     transferUse
	number  uint64 // of the order, on its connection
	order   TransferOrder
	refusal string
}

func (e *transferEvent) KindID() event.KindID { return transferID }

func (e *transferEvent) Serialize(s *event.Codec) {
	use := int(e.use)
	s.Int(&use, 0, int(transferUses)-1)
	e.use = transferUse(use)
	if e.use != transferArrived {
		s.Var(&e.number)
	}
	switch e.use {
	case transferOrdered:
		e.order.serialize(s)
	case transferRefused:
		s.Text(&e.refusal, netcore.MaxReasonText)
	}
}

func (o *TransferOrder) serialize(s *event.Codec) {
	s.Text(&o.Address, maxTransferAddress)
	for i := range o.Key {
		b := uint32(o.Key[i])
		s.Uint(&b, 8)
		o.Key[i] = byte(b)
	}
	s.Text(&o.Name, maxTransferName)
	s.Bytes(&o.Ticket, seal.MaxTicket)
}

// Process lets the event wait for the next tick, because scripts and the program learn of it.
func (e *transferEvent) Process(n *netcore.Conn) error {
	c := owner(n)
	if (e.use == transferOrdered) == c.inbound {
		return errors.New("the order of a transfer goes to a client, and what is said about it to a server")
	}
	return c.inbox.add(e)
}

func (e *transferEvent) run(c *Connection) {
	switch e.use {
	case transferOrdered:
		c.takeOrder(e)
	case transferAccepted, transferRefused:
		c.host.transfers.answered(c, e)
	case transferArrived:
		c.arrive()
	}
}
