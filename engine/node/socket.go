//go:build !js

package node

import (
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/udp"
)

type (
	socket = udp.Socket
	packet = udp.Packet
)

func listen(address string) (*socket, error)        { return udp.Listen(address) }
func dial(to netcore.Addr) (*socket, error)         { return udp.Dial(to) }
func resolve(hostport string) (netcore.Addr, error) { return udp.Resolve(hostport) }
