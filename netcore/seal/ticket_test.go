package seal

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ticketNow is the time of day at which the tests make their tickets. Tickets count milliseconds.
var ticketNow = time.UnixMilli(1_700_000_000_123)

// ticketRig has the keys of a sender, a receiver and a player, and a ticket for them.
type ticketRig struct {
	from, to KeyPair
	ann      Key
	ticket   []byte
}

func newTicketRig(t testing.TB, data string) *ticketRig {
	r := &ticketRig{from: identity(t, 1), to: identity(t, 2), ann: identity(t, 3).Public}
	r.ticket = r.seal(t, 9, data)
	return r
}

func (r *ticketRig) seal(t testing.TB, seed uint64, data string) []byte {
	ticket, err := r.from.SealTicket(entropy(seed), r.to.Public, r.ann, ticketNow, []byte(data))
	require.NoError(t, err)
	return ticket
}

func TestTicket(t *testing.T) {
	r := newTicketRig(t, "flag=2")
	assert.Len(t, r.ticket, TicketSize+len("flag=2"))
	assert.Equal(t, 97, TicketSize)
	text, err := r.to.OpenTicket(r.ticket, r.ann)
	require.NoError(t, err)
	assert.Equal(t, r.from.Public, text.Sender)
	assert.True(t, ticketNow.Equal(text.Issued))
	assert.Equal(t, "flag=2", string(text.Data))

	_, err = r.from.SealTicket(entropy(1), r.to.Public, r.ann, ticketNow, make([]byte, MaxTicketData+1))
	assert.ErrorContains(t, err, "at most 2048 bytes of data, got 2049")
	_, err = r.from.SealTicket(bytes.NewReader(nil), r.to.Public, r.ann, ticketNow, nil)
	assert.ErrorContains(t, err, "no entropy")
	_, err = r.from.SealTicket(entropy(1), Key{}, r.ann, ticketNow, nil)
	assert.Error(t, err, "a key of low order")
}

// TestTicketForged tries every other player and server, each flipped bit and each cut.
func TestTicketForged(t *testing.T) {
	r := newTicketRig(t, "flag=2")
	eve, other := identity(t, 4), identity(t, 5)
	refused := func(what string, at KeyPair, ticket []byte, player Key) {
		_, err := at.OpenTicket(ticket, player)
		require.ErrorIs(t, err, ErrTicketForged, what)
	}
	refused("of another player", r.to, r.ticket, eve.Public)
	refused("at another server", other, r.ticket, r.ann)
	refused("at its sender", r.from, r.ticket, r.ann)
	for bit := range len(r.ticket) * 8 {
		bad := bytes.Clone(r.ticket)
		bad[bit/8] ^= 1 << (bit % 8)
		refused("with a flipped bit", r.to, bad, r.ann)
	}
	for n := range r.ticket {
		refused("cut", r.to, r.ticket[:n], r.ann)
	}
	refused("too long", r.to, append(r.seal(t, 8, string(make([]byte, MaxTicketData))), 0), r.ann)
	zero := bytes.Clone(r.ticket)
	copy(zero[1:], make([]byte, 32))
	refused("of a sender of low order", r.to, zero, r.ann)

	forged, err := eve.SealTicket(entropy(7), r.to.Public, r.ann, ticketNow, []byte("admin"))
	require.NoError(t, err)
	text, err := r.to.OpenTicket(forged, r.ann)
	require.NoError(t, err, "a stranger can only speak in its own name")
	assert.Equal(t, eve.Public, text.Sender)
	copy(forged[1:], r.from.Public[:])
	refused("of a stranger in the name of another server", r.to, forged, r.ann)
}

// TestTicketTable checks when a ticket counts: once, from 5 s before it was issued to 35 s after,
// and not at a server that has started since.
func TestTicketTable(t *testing.T) {
	r := newTicketRig(t, "")
	text, err := r.to.OpenTicket(r.ticket, r.ann)
	require.NoError(t, err)
	use := func(began, at time.Duration) error {
		return NewTicketTable(ticketNow.Add(began)).Use(text, ticketNow.Add(at))
	}
	last := TicketLife + TicketSkew
	assert.NoError(t, use(-time.Hour, last))
	assert.ErrorIs(t, use(-time.Hour, last+time.Millisecond), ErrTicketLate)
	assert.NoError(t, use(-time.Hour, -TicketSkew))
	assert.ErrorIs(t, use(-time.Hour, -TicketSkew-time.Millisecond), ErrTicketEarly)
	assert.NoError(t, use(0, time.Second))
	assert.ErrorIs(t, use(time.Millisecond, time.Second), ErrTicketOld)

	table := NewTicketTable(ticketNow.Add(-time.Hour))
	require.NoError(t, table.Use(text, ticketNow))
	for after := time.Duration(0); after <= last; after += time.Second {
		require.ErrorIs(t, table.Use(text, ticketNow.Add(after)), ErrTicketUsed)
	}
}

// TestTicketTableFull checks that a sender of too many tickets only fills its own part, and that
// the part has room again when the tickets are forgotten.
func TestTicketTableFull(t *testing.T) {
	table := NewTicketTable(ticketNow.Add(-time.Hour))
	flood := func(sender byte, n int, at time.Time) (taken int) {
		for i := range n {
			text := TicketText{Sender: Key{sender}, Issued: at, ID: TicketID{byte(i), byte(i >> 8), byte(i >> 16)}}
			if table.Use(text, at) == nil {
				taken++
			}
		}
		return taken
	}
	assert.Equal(t, maxUsed, flood(1, maxUsed+1, ticketNow))
	for owner := range 32 {
		assert.Equal(t, 10, flood(byte(2+owner), 10, ticketNow))
	}
	assert.ErrorIs(t, table.Use(TicketText{Sender: Key{1}, Issued: ticketNow, ID: TicketID{15: 1}}, ticketNow), ErrTicketBusy)
	later := ticketNow.Add(TicketLife + 2*TicketSkew + time.Second)
	assert.Equal(t, maxUsed, flood(1, maxUsed, later))
	assert.Len(t, table.senders[Key{1}].ids, maxUsed, "the old ones are forgotten")
}

// TestTicketTableForgetsSenders: a server that has gone for good is not remembered, and one whose
// tickets still count is.
func TestTicketTableForgetsSenders(t *testing.T) {
	table := NewTicketTable(ticketNow.Add(-time.Hour))
	use := func(sender int, at time.Duration) error {
		now := ticketNow.Add(at)
		return table.Use(TicketText{Sender: Key{byte(sender), byte(sender >> 8)}, Issued: now, ID: TicketID{1}}, now)
	}
	for n := range 1000 {
		require.NoError(t, use(n, time.Duration(n)*time.Second))
		assert.ErrorIs(t, use(n, time.Duration(n)*time.Second), ErrTicketUsed)
		if n >= 20 {
			assert.ErrorIs(t, use(n-20, time.Duration(n)*time.Second), ErrTicketUsed)
		}
		require.LessOrEqual(t, len(table.senders), 64)
	}
}
