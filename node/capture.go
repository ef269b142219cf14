package node

import (
	"io"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/capture"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/dissect"
	"github.com/torc-engine/torc/node/internal/core"
)

// traffic writes what a client sends and receives to a capture, with the keys of its sessions. A
// nil traffic writes nothing.
type traffic struct {
	owner  *core.Owner
	w      *capture.Writer
	queue  *lineQueue // of w; nil: it writes at once
	failed bool       // the log has the error of w
	left   bool       // the client has gone to another server
}

// newTraffic begins a capture. Without a file it returns nil. With queue, the caller must call
// close.
func newTraffic(o *core.Owner, file io.Writer, queue bool, of *core.Common, classes *sim.Classes) *traffic {
	if file == nil {
		return nil
	}
	h := dissect.Header(capture.Client, classes, engine.EventKinds(of.Events...))
	h.Program = "torc " + of.Version
	t := &traffic{owner: o}
	if queue {
		t.queue = newLineQueue(file)
		file = t.queue
	}
	t.w = capture.NewWriter(file, h)
	return t
}

// close waits until the file has all of the traffic.
func (t *traffic) close() {
	if t != nil && t.queue != nil {
		t.warn(t.queue.Close())
	}
}

// keys returns the function that gets the keys of each session, nil without a capture.
func (t *traffic) keys() func(netcore.Addr, seal.SessionKeys) {
	if t == nil {
		return nil
	}
	return func(_ netcore.Addr, k seal.SessionKeys) {
		t.w.Session(micros(t.owner.Now()), k.Seal, k.Open)
		t.check()
	}
}

// Received writes a datagram of the server. at is when it arrived.
func (t *traffic) Received(at netcore.Time, b []byte) {
	if t != nil && !t.left {
		t.w.Packet(micros(at), capture.Server, b)
		t.check()
	}
}

// Sent writes a datagram of this client.
func (t *traffic) Sent(b []byte) {
	if t != nil && !t.left {
		t.w.Packet(micros(t.owner.Now()), capture.Client, b)
		t.check()
	}
}

// leave ends the capture of a client that goes to another server. A capture has one connection at a
// time.
func (t *traffic) leave() {
	if t != nil && !t.left {
		t.left = true
		t.owner.Log.Info("the capture has ended: the client goes to another server")
	}
}

// check logs the first error of the file.
func (t *traffic) check() { t.warn(t.w.Err()) }

func (t *traffic) warn(err error) {
	if err != nil && !t.failed {
		t.failed = true
		t.owner.Log.Warn("the capture has stopped", "why", err)
	}
}

func micros(t netcore.Time) int64 { return int64(t / time.Microsecond) }
