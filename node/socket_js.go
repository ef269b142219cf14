package node

import (
	"errors"
	"net/netip"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

var errNoSocket = errors.New("this platform has no UDP sockets")

// socket is never opened here.
type socket struct{}

type packet struct {
	From netcore.Addr
	At   time.Time
}

func (*packet) Bytes() []byte { return nil }
func (*packet) Free()         {}

func (*socket) Addr() netip.AddrPort             { return netip.AddrPort{} }
func (*socket) Packets() <-chan *packet          { return nil }
func (*socket) Write(netcore.Addr, []byte) error { return errNoSocket }
func (*socket) Close() error                     { return nil }

func listen(string) (*socket, error) { return nil, errNoSocket }
func dial() (*socket, error)         { return nil, errNoSocket }

// group is never joined here.
type group struct{}

func (*group) Close() {}

func joinGroup(func(netcore.Addr, []byte)) (*group, error) { return nil, errNoSocket }

func resolver(*posts) engine.Resolver {
	return func(_ string, done func([]netcore.Addr, error)) { done(nil, errNoSocket) }
}

// Without goroutines each tick solves a part of a puzzle.
func solver(*posts) func(seal.Puzzle, func(uint64)) { return nil }
