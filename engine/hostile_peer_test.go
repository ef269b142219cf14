package engine_test

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/ghost"
	"github.com/torc-engine/torc/netcore/move"
	"github.com/torc-engine/torc/netcore/seal"
)

// rawStream packs hand-written sections in place of the streams.
type rawStream struct {
	moves  *move.Stream // nil: the section says that there are none
	next   []func(w *bitstream.Writer)
	ghosts *ghost.Stream // likewise
}

func (s *rawStream) Pack(w *bitstream.Writer, p netcore.Outgoing) (wrote bool) {
	if s.moves != nil {
		wrote = s.moves.Pack(w, p)
	} else {
		w.WriteFlag(false)
	}
	if len(s.next) > 0 {
		wrote = true
		s.next[0](w)
		s.next = s.next[1:]
	} else {
		w.WriteBits(0, 3)
	}
	switch {
	case s.ghosts != nil:
		wrote = s.ghosts.Pack(w, p) || wrote
	case w.Left() > 0:
		w.WriteFlag(false) // unless the section is already there
	}
	return wrote
}

func (s *rawStream) Unpack(r *bitstream.Reader, p netcore.Incoming) error {
	if s.moves != nil {
		if err := s.moves.Unpack(r, p); err != nil {
			return err
		}
	}
	for r.Left() > 0 {
		r.ReadBits(min(64, r.Left()))
	}
	return nil
}

func (s *rawStream) Notify(seq netcore.Seq, delivered bool) {
	if s.moves != nil {
		s.moves.Notify(seq, delivered)
	}
	if s.ghosts != nil {
		s.ghosts.Notify(seq, delivered)
	}
}

// attacker is a peer that follows the handshake and the packet format, and sends arbitrary content
// in its packets.
type attacker struct {
	*netcore.Endpoint
	t      testing.TB
	rig    *enginetest.Rig
	victim *enginetest.Player
	addr   netcore.Addr
	raw    rawStream
	conn   *netcore.Conn
	bytes  int // sent since the last cost measurement
	count  int
}

const attackerAt = 66

func newAttacker(t testing.TB, r *enginetest.Rig) *attacker {
	m := &attacker{t: t, rig: r, addr: netcore.SimAddr(attackerAt)}
	entropy := rand.NewChaCha8([32]byte{66})
	id, err := seal.NewIdentity(entropy)
	require.NoError(t, err)
	m.Endpoint = netcore.NewEndpoint(netcore.Config{
		Identity: id, Entropy: entropy, Accepting: true, Game: "torc",
		Classes:   enginetest.Classes(t).Hash() ^ engine.Kinds.Hash(),
		Streams:   func(*netcore.Conn) []netcore.Stream { return []netcore.Stream{&m.raw} },
		Connected: func(c *netcore.Conn, _ []byte) { m.conn = c },
	})
	r.Net.Attach(m.addr, m.Endpoint)
	return m
}

// client makes the attacker a client of a server that an honest client has joined.
func client(t testing.TB) *attacker { return clientOf(t, enginetest.Options{}) }

func clientOf(t testing.TB, o enginetest.Options) *attacker {
	r := enginetest.New(t, o)
	declare(t, r.Server.Host, 3, 0)
	r.Join()
	m := newAttacker(t, r)
	m.victim = r.Server
	r.Net.Link(m.addr, r.Server.Addr, netcore.LinkParams{}, netcore.LinkParams{})
	m.Connect(r.Net.Now(), r.Server.Addr, netcore.ConnectOptions{
		Name: "mallory", Trust: func(netcore.Addr, seal.Key) error { return nil },
	})
	r.Until(5*time.Second, func() bool { return m.conn != nil && len(r.Server.Connections()) == 2 })
	m.settle()
	return m
}

// server makes the attacker the server of a client without another server.
func server(t testing.TB) *attacker {
	r := enginetest.New(t, enginetest.Options{})
	m := newAttacker(t, r)
	m.victim = r.Clients[0]
	r.Net.Link(m.victim.Addr, m.addr, netcore.LinkParams{}, netcore.LinkParams{})
	require.NoError(t, m.victim.Dialer.Connect("host 66", engine.ConnectArgs{}))
	r.Until(5*time.Second, func() bool { return m.conn != nil && m.victim.Host.Server() != nil })
	m.settle()
	return m
}

// settle waits until the first messages of both sides have arrived. From then on, the story records
// less.
func (m *attacker) settle() {
	m.rig.Run(300 * time.Millisecond)
	m.victim.Quiet = true
	m.bytes, m.count = 0, 0
}

// target returns the attacker's connection at the victim, or nil after it has ended.
func (m *attacker) target() *engine.Connection {
	for _, c := range m.victim.Connections() {
		if c.Address() == m.addr.String() {
			return c
		}
	}
	return nil
}

// say seals a hand-written section and has the victim read it and run the next tick. It reports the
// bytes allocated by both. If the victim ends the connection before, say does nothing.
func (m *attacker) say(write func(h hand)) (allocated uint64) {
	m.rig.Run(engine.TickTime)
	if m.target() == nil {
		return 0
	}
	m.conn.Boost(true)
	m.raw.next = append(m.raw.next, writer(write))
	now := m.rig.Net.Now()
	var packets [][]byte
	m.Endpoint.Send(now, func(to netcore.Addr, d []byte) { packets = append(packets, append([]byte(nil), d...)) })
	require.NotEmpty(m.t, packets)
	m.raw.next = nil
	for _, d := range packets {
		allocated += m.deliver(now, d)
	}
	return allocated + spent(func() { m.victim.Tick(now) })
}

// deliver hands the victim a datagram and returns the bytes allocated.
func (m *attacker) deliver(now netcore.Time, d []byte) uint64 {
	m.bytes += len(d)
	m.count++
	return spent(func() { m.victim.Receive(now, m.addr, d) })
}

// lives requires that the victim still runs and that no other client was affected. The victim must
// have ended the attacker's connection for the given reason, or kept it if the reason is "".
func (m *attacker) lives(reason string) {
	m.t.Helper()
	m.rig.Run(500 * time.Millisecond)
	text := strings.Join(m.victim.Lines, "\n")
	if reason == "" {
		require.NotNil(m.t, m.target(), text)
	} else {
		require.Nil(m.t, m.target(), "not ended for: %s", reason)
		require.Contains(m.t, m.victim.Lines[len(m.victim.Lines)-1], reason)
		require.Equal(m.t, 1, strings.Count(text, "dropped mallory")+strings.Count(text, "ended: "), text)
	}
	if !m.victim.IsServer() {
		return
	}
	honest := m.rig.Clients[0]
	require.Equal(m.t, engine.PhaseGame, honest.Host.Server().Join.Phase())
	said := 0
	m.victim.Handler = func(c *engine.Connection, _ []sim.Value) { said++ }
	require.NoError(m.t, honest.Host.Server().Commands.Send(engine.CommandOptions{}, sim.String("StillHere"), nil))
	m.rig.Run(300 * time.Millisecond)
	m.victim.Handler = nil
	require.Equal(m.t, 1, said, "the honest client is heard")
}

// init runs the first garbage collection, because it starts the collector's workers. Otherwise
// spent would count their allocations.
func init() { runtime.GC() }

// spent returns the number of bytes that f allocates, without those of the collector.
func spent(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// allowed returns the allocation limit for packets: 16 times their size plus 4 KiB each, and 16 KiB
// for what the runtime allocates meanwhile. The race detector's own allocations are counted too, so
// the limit is higher under it.
func allowed(packets, bytes int) uint64 {
	return raceFactor * uint64(16<<10+16*bytes+packets*(4<<10))
}

func writer(write func(h hand)) func(w *bitstream.Writer) {
	return func(w *bitstream.Writer) { write(hand{w}) }
}

// hand writes event sections with the engine's events.
type hand struct{ *bitstream.Writer }

// kindBits is the width of the number of a kind of event.
const kindBits = 4

func (h hand) kind(name string) { h.WriteBits(uint64(engine.Kinds.ID(name)), kindBits) }

// run begins channel 0 or 1 at number n.
func (h hand) run(channel int, n uint64) {
	h.WriteFlag(false)
	if channel == 1 {
		h.WriteFlag(false)
	}
	h.WriteBits(1|3<<1|2<<3, 5)
	h.WriteBits(n&0xffff, 16)
}

// end ends the section after an event of a channel.
func (h hand) end(channel int) { h.WriteBits(0, 2-channel) }

func (h hand) more() { h.WriteFlag(true) }

// slot names a string by its number.
func (h hand) slot(n uint64) {
	h.WriteBits(3, 2)
	h.WriteBits(n, 16)
}

func (h hand) announce(slot uint64, text string) {
	h.WriteBits(0, kindBits)
	h.slot(slot)
	h.Text(&text, 1<<20)
}

func (h hand) piece(parcel uint64, last bool, data []byte) {
	h.WriteBits(1, kindBits)
	h.WriteBits(parcel, 2)
	h.WriteFlag(last)
	h.WriteBits(uint64(len(data)-1), 5)
	for _, b := range data {
		h.WriteBits(uint64(b), 8)
	}
}

// command writes a command with its name inline and no arguments.
func (h hand) command(name string) { h.commandOf(name, 0) }

// commandOf writes the head of a command of n arguments.
func (h hand) commandOf(name string, n int) {
	h.kind("command")
	h.WriteFlag(false)
	h.Text(&name, 1<<20)
	h.WriteBits(uint64(n), 5)
}

// speech writes a frame of voice.
func (h hand) speech(number uint64, size int) {
	h.kind("speech")
	h.WriteBits(number&0xff, 8)
	h.WriteBits(0, 5)
	h.WriteBits(uint64(size-1), 8)
	h.WriteBits(9<<3, 8)
	for range size - 1 {
		h.WriteBits(0xaa, 8)
	}
}

func (h hand) step(code, seq uint64) {
	h.kind("phaseStep")
	h.WriteBits(code, 3)
	h.WriteBits(seq, 32)
	h.Var(new(uint64))
}

func (h hand) answer(code, seq uint64) {
	h.kind("phaseAnswer")
	h.WriteBits(code, 1)
	h.WriteBits(seq, 32)
}

func (h hand) block(data []byte) {
	h.kind("description")
	h.WriteFlag(false)
	h.Codec.Bytes(&data, 1<<20)
}

func (h hand) class(data []byte) {
	h.kind("description")
	h.WriteFlag(true)
	h.Codec.Bytes(&data, 1<<20)
}

// blockOf writes the description of a datablock: class, index and key.
func blockOf(class, index, key uint64, rest func(h hand)) []byte {
	h := hand{bitstream.NewWriter(make([]byte, 1100))}
	h.WriteBits(class, 10)
	h.WriteBits(index, 14)
	h.Var(&key)
	rest(h)
	return h.Bytes()
}
