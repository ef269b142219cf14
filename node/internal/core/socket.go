//go:build !js

package core

import (
	"context"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/netcore/udp"
	"github.com/torc-engine/torc/node/internal/serverjson"
)

type (
	// Socket is the UDP socket of a node.
	Socket = udp.Socket
	// Packet is a datagram that has arrived.
	Packet = udp.Packet
	// Group is how a server hears searches of the local network.
	Group = udp.Group
)

// Listen opens the socket of a server at HOST:PORT.
func Listen(address string) (*Socket, error) { return udp.Listen(address) }

// Dial opens the socket of a client.
func Dial() (*Socket, error) { return udp.Dial() }

// JoinGroup hears searches of the local network.
func JoinGroup(heard func(netcore.Addr, []byte)) (*Group, error) { return udp.JoinGroup(heard) }

// lookupTime limits a lookup whose connect was given up.
const lookupTime = 30 * time.Second

// resolver returns a Resolver that asks the system for names, on a goroutine of its own. The next
// call gives up the one before.
func resolver(p *Posts) engine.Resolver {
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
			p.Post(func() { done(to, err) })
		}()
	}
}

// Pages returns what asks the pages of links over HTTP, on a goroutine of its own. The next call,
// and the end of the node, give up the one before.
func Pages(p *Posts) engine.Pages {
	stop := func() {}
	return func(l engine.Link, done func(string, error)) {
		stop()
		var ctx context.Context
		ctx, stop = context.WithCancel(context.Background())
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			at, err := serverjson.Ask(ctx, l)
			p.Post(func() { done(at, err) })
		}()
		go func(stop func()) {
			defer stop()
			select {
			case <-answered:
			case <-p.Gone:
			}
		}(stop)
	}
}

// Solver returns a function that solves a server's puzzle on a goroutine of its own.
func Solver(p *Posts) func(seal.Puzzle, func(solution uint64)) {
	const step = 1 << 16 // numbers tried between two looks at the end of the node
	return func(puzzle seal.Puzzle, done func(uint64)) {
		go func() {
			for first := uint64(0); first < step<<seal.MaxDifficulty; first += step {
				if solution, found := puzzle.Search(first, step); found {
					p.Post(func() { done(solution) })
					return
				}
				if p.Closed() {
					return
				}
			}
		}()
	}
}
