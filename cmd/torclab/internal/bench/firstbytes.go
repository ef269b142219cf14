package bench

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
	"github.com/torc-engine/torc/netcore/netsim"
)

const (
	firstBlocks = 160
	blockBytes  = 100
	lineBytes   = 40 // of a chat line
	chatEvery   = 25 * time.Millisecond
	chatTime    = 10 * time.Second
	firstRuns   = 20

	slowRate  = 64_000 // bits/s
	slowQueue = 100 * time.Millisecond
)

// blockEvent is a part of what a server sends to a client that has just joined, or a chat line.
type blockEvent struct {
	data []byte
	of   *firstBytes
}

// KindID implements event.Event.
func (v *blockEvent) KindID() event.KindID { return v.of.kind }

// Serialize implements event.Event.
func (v *blockEvent) Serialize(s *event.Codec) { s.Bytes(&v.data, blockBytes) }

// Process notes when a chat line has arrived, and the last block.
func (v *blockEvent) Process(*netcore.Conn) error {
	f := v.of
	if len(v.data) == lineBytes {
		f.chat = append(f.chat, milliseconds(f.net.Now()-f.posted[len(f.chat)]))
		return nil
	}
	if f.blocks++; f.blocks == firstBlocks {
		f.done = f.net.Now()
	}
	return nil
}

// firstBytes is a fresh connection whose server posts 16 kB at once. The round-trip time is 100 ms.
type firstBytes struct {
	net            *netsim.Network
	kind           event.KindID
	client, server *benchPeer
	down           *netsim.Bottleneck // nil for a line without a limit
	started, done  netcore.Time
	blocks         int            // that have arrived
	posted         []netcore.Time // chat lines
	chat           []float64      // ms from their post until they arrived
}

// newFirstBytes connects two peers over a line with a rate in bits/s, 0 for no limit. Packets are
// lost only after the server has the connection.
func newFirstBytes(seed uint64, loss, rate float64) (*firstBytes, error) {
	f := &firstBytes{net: netsim.New(seed), started: netcore.Never, done: netcore.Never}
	kinds := event.NewKinds(event.Kind{Name: "block", New: func() event.Event { return &blockEvent{of: f} }})
	f.kind = kinds.ID("block")
	var err [2]error
	f.client, err[0] = newBlockPeer(kinds, netcore.Config{RecvRate: netcore.Rate{Packets: netcore.Auto, Size: netcore.MaxSize}})
	f.server, err[1] = newBlockPeer(kinds, netcore.Config{Accepting: true})
	if err := errors.Join(err[:]...); err != nil {
		return nil, err
	}
	f.net.Punctual = true
	f.net.Attach(clientAt, f.client)
	f.net.Attach(serverAt, f.server)
	way := netcore.LinkParams{Delay: lossDelay}
	f.net.Link(clientAt, serverAt, way, way)
	if rate > 0 {
		f.down = netsim.NewBottleneck(rate, slowQueue)
		f.net.Through(serverAt, clientAt, f.down)
	}
	var posting error
	f.server.entered = func() {
		f.started = f.net.Now()
		way.Loss = loss
		f.net.Link(clientAt, serverAt, way, way)
		for range firstBlocks {
			posting = errors.Join(posting, f.post(blockBytes, 0))
		}
	}
	f.client.dial(0, f.server, serverAt)
	if !f.net.RunWhile(lossTimeout, time.Millisecond, func() bool { return f.started == netcore.Never }) {
		return nil, errSilent
	}
	return f, posting
}

// newBlockPeer returns a peer whose event stream has other kinds.
func newBlockPeer(kinds *event.Kinds, cfg netcore.Config) (*benchPeer, error) {
	events := event.New(event.Config{Kinds: kinds, Mutual: true})
	cfg.Streams = func(*netcore.Conn) []netcore.Stream { return []netcore.Stream{events} }
	p, err := newPeer(cfg)
	if err == nil {
		p.events, p.every = events, tickTime
	}
	return p, err
}

// post posts an event to the client.
func (f *firstBytes) post(size int, lane uint16) error {
	return f.server.events.Post(&blockEvent{data: make([]byte, size), of: f}, event.Post{Lane: lane})
}

// firstRow measures how long the 16 kB take.
func firstRow(loss float64) (Row, error) {
	var took []float64
	for seed := range uint64(firstRuns) {
		f, err := newFirstBytes(seed+1, loss, 0)
		if err != nil {
			return nil, err
		}
		if !f.net.RunWhile(f.started+lossTimeout, time.Millisecond, func() bool { return f.done == netcore.Never }) {
			return nil, errors.Join(fmt.Errorf("some of the first bytes did not arrive at loss %v", loss), f.client.err, f.server.err)
		}
		took = append(took, milliseconds(f.done-f.started))
	}
	slices.Sort(took)
	return Row{{"loss", loss}, {"first_runs", len(took)}, {"first_ms_p50", quantile(took, .5)}, {"first_ms_max", quantile(took, 1)}}, nil
}

// slowRow measures the same on a slow line with a short queue, and chat lines beside it.
func slowRow() (Row, error) {
	f, err := newFirstBytes(1, 0, slowRate)
	if err != nil {
		return nil, err
	}
	for end := f.started + chatTime; f.net.Now() < end; {
		f.posted = append(f.posted, f.net.Now())
		if err := f.post(lineBytes, 1); err != nil {
			return nil, err
		}
		f.net.Run(f.net.Now()+chatEvery, time.Millisecond)
	}
	if f.done == netcore.Never {
		return nil, errors.Join(errors.New("some of the first bytes did not arrive over the slow line"), f.client.err, f.server.err)
	}
	slices.Sort(f.chat)
	return Row{
		{"line_kbit_s", slowRate / 1000}, {"first_ms", milliseconds(f.done - f.started)}, {"dropped", f.down.Flow(serverAt).Dropped},
		{"chat_ms_p50", quantile(f.chat, .5)}, {"chat_ms_p90", quantile(f.chat, .9)},
	}, nil
}
