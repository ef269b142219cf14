//go:build !js

package node

import (
	"context"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/udp"
)

type (
	socket = udp.Socket
	packet = udp.Packet
)

func listen(address string) (*socket, error) { return udp.Listen(address) }
func dial() (*socket, error)                 { return udp.Dial() }

// lookupTime limits a lookup whose connect was given up.
const lookupTime = 30 * time.Second

// resolver returns a Resolver that asks the system for names, on a goroutine of its own. The next
// call gives up the one before.
func resolver(p *posts) engine.Resolver {
	stop := func() {}
	return func(hostport string, done func([]netcore.Addr, error)) {
		stop()
		to, isName, err := udp.Parse(hostport)
		if !isName {
			done([]netcore.Addr{to}, err)
			return
		}
		var ctx context.Context
		ctx, stop = context.WithTimeout(context.Background(), lookupTime)
		go func() {
			to, err := udp.Resolve(ctx, hostport)
			p.post(func() { done(to, err) })
		}()
	}
}
