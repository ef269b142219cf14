package engine

import "github.com/torc-engine/torc/netcore"

// What scripts need of the protocol, by the names it has there, so that they
// need not know netcore.
type (
	// Rate is packets per second and bytes per packet.
	Rate = netcore.Rate
	// LinkParams is how bad a line is.
	LinkParams = netcore.LinkParams
	// Guarantee is how an event is delivered.
	Guarantee = netcore.Guarantee
)

// The delivery classes of commands.
const (
	Ordered      = netcore.Ordered
	Guaranteed   = netcore.Guaranteed
	Unguaranteed = netcore.Unguaranteed
)

// MaxPacket is the most bytes of UDP payload that a packet has.
const MaxPacket = netcore.MaxDatagram
