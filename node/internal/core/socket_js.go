package core

import (
	"errors"
	"net/netip"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

var errNoSocket = errors.New("this platform has no UDP sockets")

// Socket is never opened here.
type Socket struct{}

// Packet never arrives here.
type Packet struct {
	From netcore.Addr
	At   time.Time
}

// Bytes returns nothing.
func (*Packet) Bytes() []byte { return nil }

// Free does nothing.
func (*Packet) Free() {}

// Addr returns no address.
func (*Socket) Addr() netip.AddrPort { return netip.AddrPort{} }

// Packets returns a channel without packets.
func (*Socket) Packets() <-chan *Packet { return nil }

// Write always fails.
func (*Socket) Write(netcore.Addr, []byte) error { return errNoSocket }

// Close does nothing.
func (*Socket) Close() error { return nil }

// Listen always fails.
func Listen(string) (*Socket, error) { return nil, errNoSocket }

// Dial always fails.
func Dial() (*Socket, error) { return nil, errNoSocket }

// Group is never joined here.
type Group struct{}

// Close does nothing.
func (*Group) Close() {}

// JoinGroup always fails.
func JoinGroup(func(netcore.Addr, []byte)) (*Group, error) { return nil, errNoSocket }

func resolver(*Posts) engine.Resolver {
	return func(_ string, done func([]netcore.Addr, error)) { done(nil, errNoSocket) }
}

// Pages returns nothing: a browser opens links itself.
func Pages(*Posts) engine.Pages { return nil }

// Solver returns nothing: without goroutines each tick solves a part of a puzzle.
func Solver(*Posts) func(seal.Puzzle, func(uint64)) { return nil }
