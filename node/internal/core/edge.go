package core

import (
	"crypto/rand"
	"errors"
	"io"
	"runtime"
	"sync"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/pulse"
	"github.com/torc-engine/torc/script/sockets"
	"github.com/torc-engine/torc/script/store"
	"github.com/torc-engine/torc/script/vm"
)

// An Edge is what a stepped node takes from its machine, and where its datagrams go. The node has
// no other inputs than these, its Config and the calls of its methods: the same inputs give the
// same node. Protos saves time and changes nothing else.
type Edge struct {
	Clock   func() time.Duration // the time since the server was made; it never goes back
	Date    func() time.Time     // the date of the machine
	Entropy io.Reader            // of keys, cookies and seeds
	// Send passes a datagram to a peer. It must not keep the bytes.
	Send func(to netcore.Addr, datagram []byte)

	Store   store.Store     // keeps the stored values of mods; nil: the data folder, or memory without one
	Network sockets.Network // makes the connections of mods; nil: mods have none
	Protos  *vm.Protos      // compiled files, shared by the nodes of one goroutine; nil: those of the process
}

// Check returns what is missing.
func (e *Edge) Check() error {
	if e.Clock == nil || e.Date == nil || e.Entropy == nil || e.Send == nil {
		return errors.New("node: an Edge needs Clock, Date, Entropy and Send")
	}
	return nil
}

// compiled has the compiled files of all nodes of this process: a server and a client in one
// program compile the mods of both once.
var compiled = vm.NewShared(new(sync.Mutex))

// NewProtos returns a cache for one goroutine that shares the compiled files of this process.
func NewProtos() *vm.Protos { return compiled.Protos() }

// Surroundings are an Edge and the rest of what a node takes from its machine.
type Surroundings struct {
	Edge
	Began   time.Time                    // the date when the node was made
	At      func(time.Time) netcore.Time // the time of an event of the machine, such as the arrival of a packet
	thread  vm.Thread                    // CPU clock of the meter of scripts; nil: no time limits
	heap    func() uint64                // bytes of heap for that meter, with dead objects; nil: no memory limits
	live    func() uint64                // bytes that the newest garbage collection found in use
	collect func()                       // requests a garbage collection; nil: none
	Spawn   func(func())                 // runs work that takes long
}

// Machine returns the Surroundings of a node that runs on a machine of its own time.
func Machine() Surroundings {
	clock := NewClock()
	return Surroundings{
		Edge:    Edge{Clock: clock.Now, Date: time.Now, Entropy: rand.Reader, Protos: NewProtos()},
		Began:   clock.epoch,
		At:      clock.at,
		thread:  pinThread,
		heap:    heapSampler(clock.Now),
		live:    pulse.Live,
		collect: func() { go runtime.GC() },
		Spawn:   func(f func()) { go f() },
	}
}

// Stepped returns the Surroundings of a server without goroutines. Its scripts have neither time
// nor memory limits, because these depend on the machine; their limits of instructions hold.
func Stepped(e Edge) Surroundings {
	if e.Protos == nil {
		e.Protos = NewProtos()
	}
	return Surroundings{Edge: e, Began: e.Date(), At: func(time.Time) netcore.Time { return e.Clock() }, Spawn: func(f func()) { f() }}
}
