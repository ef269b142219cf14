package tape

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node/internal/journal"
	"github.com/torc-engine/torc/script/sockets"
)

// testHeld takes the place of maxHeld.
const testHeld = 6 << 20

// starting is a server that only starts.
type starting struct {
	Server
	start func()
}

func (s starting) Start() error {
	s.start()
	return nil
}

func (starting) NotePlain() {}

// record returns a journal of what a server asks while it starts.
func record(t *testing.T, cfg Config, ask func(r *Recorder)) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := journal.NewWriter(&b, journal.Header{Config: encode(cfg)})
	require.NoError(t, err)
	r := NewRecorder(w, cfg, func(why string) { t.Error(why) }, func() {})
	r.Start(0)
	ask(r)
	r.Done()
	r.Stop("")
	return b.Bytes()
}

// play plays a journal whose server asks while it starts.
func play(t *testing.T, b []byte, ask func(p *Player)) (*Player, error) {
	t.Helper()
	return playWith(t, b, testHeld, ask)
}

// playWith plays a journal with a Player that keeps at most so many bytes of it.
func playWith(t *testing.T, b []byte, most int, ask func(p *Player)) (*Player, error) {
	t.Helper()
	in, err := journal.NewReader(bytes.NewReader(b))
	require.NoError(t, err)
	p, err := NewPlayer(in)
	if err != nil {
		return nil, err
	}
	p.most = most
	p.Attach(starting{start: func() { ask(p) }}, nil, nil, nil)
	for err == nil {
		err = p.Step()
	}
	return p, err
}

// busy is a network with events.
type busy struct {
	sockets.Network
	events []sockets.Event
}

func (b *busy) Events() []sockets.Event { return b.events }

// TestNoEventsCostNothing checks that a question without an answer allocates nothing: each tick has
// one.
func TestNoEventsCostNothing(t *testing.T) {
	record(t, Config{Network: true}, func(r *Recorder) {
		n := r.Network(&busy{})
		assert.Zero(t, testing.AllocsPerRun(100, func() { n.Events() }))
	})
}

// TestManyEventsAtOnce checks that a journal has all events of one tick, even if they are longer
// than the longest entry.
func TestManyEventsAtOnce(t *testing.T) {
	var events []sockets.Event
	for i := range 40 {
		events = append(events, sockets.Event{ID: sockets.ID(i), Data: bytes.Repeat([]byte{byte(i)}, journal.MaxField/40)})
	}
	b := record(t, Config{Network: true}, func(r *Recorder) {
		of := &busy{events: events}
		n := r.Network(of)
		assert.Equal(t, events, n.Events())
		of.events = events[7:8]
		assert.Equal(t, events[7:8], n.Events())
	})
	p, err := playWith(t, b, maxHeld, func(p *Player) {
		n := p.Network(nil)
		for _, want := range [][]sockets.Event{events, events[7:8]} { // each question has an answer of its own
			got := n.Events()
			require.Len(t, got, len(want)) // a list of the differences would be too long
			assert.Equal(t, want, got)
		}
		assert.Empty(t, n.Events())
	})
	assert.ErrorIs(t, err, io.EOF)
	assert.Empty(t, p.Difference())
}
