package engine

import (
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
)

// Protocol types for scripts, so that they do not import netcore.
type (
	// Rate is packets per second and bytes per packet.
	Rate = netcore.Rate
	// LinkParams are the properties of a simulated link.
	LinkParams = netcore.LinkParams
	// Guarantee is how an event is delivered.
	Guarantee = event.Guarantee
	// SharedCommand is a command to several clients (Host.Share).
	SharedCommand = event.Shared
)

// The delivery classes of commands.
const (
	Ordered      = event.Ordered
	Guaranteed   = event.Guaranteed
	Unguaranteed = event.Unguaranteed
)

// MaxPacketRate is the highest rate that can be set, in packets per second.
const MaxPacketRate = netcore.MaxRate

// MaxPacket is the largest UDP payload of a packet in bytes.
const MaxPacket = netcore.MaxDatagram
