package engine

import "github.com/torc-engine/torc/netcore"

// Protocol types for scripts, so that they do not import netcore.
type (
	// Rate is packets per second and bytes per packet.
	Rate = netcore.Rate
	// LinkParams are the properties of a simulated link.
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

// MaxPacket is the largest UDP payload of a packet in bytes.
const MaxPacket = netcore.MaxDatagram
