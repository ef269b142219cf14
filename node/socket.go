//go:build !js

package node

import (
	"context"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/netcore/udp"
)

type (
	socket = udp.Socket
	packet = udp.Packet
	group  = udp.Group
)

func listen(address string) (*socket, error) { return udp.Listen(address) }
func dial() (*socket, error)                 { return udp.Dial() }

func joinGroup(heard func(netcore.Addr, []byte)) (*group, error) { return udp.JoinGroup(heard) }

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

// solver returns a function that solves a server's puzzle on a goroutine of its own.
func solver(p *posts) func(seal.Puzzle, func(solution uint64)) {
	const step = 1 << 16 // numbers tried between two looks at the end of the node
	return func(puzzle seal.Puzzle, done func(uint64)) {
		go func() {
			for first := uint64(0); first < step<<seal.MaxDifficulty; first += step {
				if solution, found := puzzle.Search(first, step); found {
					p.post(func() { done(solution) })
					return
				}
				if p.over() {
					return
				}
			}
		}()
	}
}
