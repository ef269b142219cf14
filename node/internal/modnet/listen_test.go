package modnet

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/script/sockets"
)

// listening returns a Network with listener 1, and its address.
func listening(t *testing.T) (*rig, string) {
	r := newRig(t)
	r.Listen(1, netip.MustParseAddrPort("127.0.0.1:0"))
	e := r.next(1)
	require.Equal(t, sockets.Listening, e.Kind, e.Reason)
	return r, e.Address
}

func knock(t *testing.T, at string) *net.TCPConn {
	c, err := net.Dial("tcp", at)
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c.(*net.TCPConn)
}

func TestListener(t *testing.T) {
	r, at := listening(t)
	peer := knock(t, at)
	id := sockets.FirstAccepted
	assert.Equal(t, sockets.Event{Kind: sockets.Accepted, ID: id, Listener: 1, Address: peer.LocalAddr().String()}, r.next(id))
	write(peer, "hello")
	assert.Equal(t, "hello", r.text(id, 5))
	r.Close(1, true)
	_, err := net.Dial("tcp", at)
	require.Error(t, err)
	r.Send(id, []byte("still here"))
	assert.Equal(t, "still here", read(t, peer, 10))
	r.Listen(2, netip.MustParseAddrPort(at))
	assert.Equal(t, sockets.Event{Kind: sockets.Listening, ID: 2, Address: at}, r.next(2), "the port is free at once")
	r.Listen(3, netip.MustParseAddrPort(at))
	e := r.next(3)
	assert.Equal(t, sockets.Ended, e.Kind)
	assert.Contains(t, e.Reason, "in use")
}

// TestSilentPeers checks that a peer that connects 1,000 times and says nothing has eight
// connections, and that those end after a minute.
func TestSilentPeers(t *testing.T) {
	r, at := listening(t)
	for range 1000 {
		_ = knock(t, at)
	}
	accepted := func() (n int) {
		r.seen = append(r.seen, r.Events()...)
		return len(r.seen)
	}
	r.wait("too few are accepted", func() bool { return accepted() == maxOfGroup })
	r.wait("nobody watches them", func() bool { return r.timers.running(idleTime) == maxOfGroup })
	assert.Equal(t, maxOfGroup, r.timers.fire(idleTime))
	l := r.listeners[1]
	room := func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.room(l, netip.MustParseAddr("127.0.0.1"))
	}
	assert.False(t, room(), "the mod has not taken their events")
	r.Close(1, true) // so peers that still wait are not accepted
	for i := range maxOfGroup {
		id := sockets.FirstAccepted + sockets.ID(i)
		assert.Equal(t, sockets.Accepted, r.next(id).Kind)
		assert.Equal(t, sockets.Event{Kind: sockets.Ended, ID: id, Reason: "no data for 1m0s"}, r.next(id))
		r.Close(id, false)
	}
	r.empty()
	assert.True(t, room())
}

// TestRefusedPeersLearnOfIt checks that connections beyond the limit are closed at once.
func TestRefusedPeersLearnOfIt(t *testing.T) {
	r, at := listening(t)
	for i := range maxOfGroup {
		_ = knock(t, at)
		r.next(sockets.FirstAccepted + sockets.ID(i))
	}
	_, err := knock(t, at).Read(make([]byte, 1))
	require.Error(t, err)
	r.Close(sockets.FirstAccepted, true)
	r.wait("its place is not free", func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return len(r.conns) < maxOfGroup
	})
	_ = knock(t, at)
	assert.Equal(t, sockets.Accepted, r.next(sockets.FirstAccepted+maxOfGroup).Kind)
}

// TestDataKeepsAConnection checks that the watch of a connection begins anew with each piece of
// data, and goes on while the credit is used up: the peer may be gone.
func TestDataKeepsAConnection(t *testing.T) {
	r, at := listening(t)
	peer := knock(t, at)
	id := sockets.FirstAccepted
	r.next(id)
	write(peer, "a")
	r.text(id, 1)
	go func() { _, _ = peer.Write(make([]byte, sockets.Window)) }()
	r.text(id, sockets.Window-1)
	r.mu.Lock()
	require.Zero(t, r.conns[id].credit)
	r.mu.Unlock()
	r.Credit(id, 1)
	r.text(id, 1)
	r.wait("nobody watches it", func() bool { return r.timers.fire(idleTime) == 1 })
	assert.Equal(t, sockets.Event{Kind: sockets.Ended, ID: id, Reason: "no data for 1m0s"}, r.next(id))
	r.Close(id, false)
	r.empty()
}

// full makes a listener with the given numbers of connections of addresses, oldest first.
func full(t *testing.T, groups []string, each int) (*rig, *listener) {
	r := newRig(t)
	l := &listener{id: 1}
	id := sockets.FirstAccepted
	for i := range each {
		for _, group := range groups {
			r.mu.Lock()
			c := r.add(id)
			c.of, c.group, c.heard = l, netip.MustParseAddr(group), uint64(i*len(groups))
			a, b := net.Pipe()
			t.Cleanup(func() { _ = b.Close() })
			c.begin(a)
			r.mu.Unlock()
			id++
		}
	}
	return r, l
}

// TestFullListener checks that an address with many connections makes room for a new address, and
// that many addresses with one connection each keep their places.
func TestFullListener(t *testing.T) {
	var crowd []string
	for i := range maxAccepted / maxOfGroup {
		crowd = append(crowd, fmt.Sprintf("192.0.2.%d", i))
	}
	r, l := full(t, crowd, maxOfGroup)
	r.mu.Lock()
	r.conns[sockets.FirstAccepted].heard = 1000
	quietest := sockets.FirstAccepted + 1
	for id, c := range r.conns {
		if id != quietest && c.heard == 0 {
			c.heard = 500
		}
	}
	assert.False(t, r.room(l, netip.MustParseAddr("192.0.2.0")), "it has eight already")
	assert.True(t, r.room(l, netip.MustParseAddr("198.51.100.1")))
	assert.Equal(t, []sockets.Event{{Kind: sockets.Ended, ID: quietest, Reason: "the listener is full"}}, r.events)
	assert.True(t, r.room(l, netip.MustParseAddr("198.51.100.2")), "one place is free")
	assert.Len(t, r.events, 1)
	r.mu.Unlock()

	var many []string
	for i := range maxAccepted {
		many = append(many, fmt.Sprintf("192.0.2.%d", i))
	}
	r, l = full(t, many, 1)
	r.mu.Lock()
	assert.False(t, r.room(l, netip.MustParseAddr("198.51.100.1")))
	assert.Empty(t, r.events)
	r.mu.Unlock()
}

func TestGroups(t *testing.T) {
	for text, want := range map[string]string{
		"192.0.2.1:5": "192.0.2.1", "[::ffff:192.0.2.1]:5": "192.0.2.1", "[2001:db8:1:2:3::4]:5": "2001:db8:1:2::", "[fe80::1%lo]:5": "fe80::",
	} {
		assert.Equal(t, want, groupOf(address(text)).String(), text)
	}
	assert.False(t, groupOf(address("pipe")).IsValid())
}

type address string

func (address) Network() string  { return "tcp" }
func (a address) String() string { return string(a) }

// TestFailingAccept checks that a listener goes on after an error.
func TestFailingAccept(t *testing.T) {
	r := newRig(t)
	l := &listener{id: 1, socket: &failing{errs: []error{io.ErrUnexpectedEOF, io.ErrUnexpectedEOF, net.ErrClosed}}}
	done := make(chan struct{})
	go func() {
		r.accepts(l)
		close(done)
	}()
	for range 2 {
		r.wait("it does not pause", func() bool { return r.timers.fire(acceptPause) == 1 })
	}
	<-done
}

type failing struct {
	net.Listener
	errs []error
}

func (f *failing) Accept() (net.Conn, error) {
	err := f.errs[0]
	f.errs = f.errs[1:]
	return nil, err
}

// TestSilentPeerWithoutCredit checks that a peer that has sent as much as the mod has room for, and
// is then silent, ends after a minute with a reason. The mod had not taken its data.
func TestSilentPeerWithoutCredit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, id := newRig(t), sockets.FirstAccepted
		peer, socket := net.Pipe()
		r.mu.Lock()
		c := r.add(id)
		c.of = &listener{id: 1}
		c.begin(socket)
		r.mu.Unlock()
		_, err := io.WriteString(peer, strings.Repeat("x", sockets.Window))
		require.NoError(t, err)
		synctest.Wait() // until it waits for credit
		require.Equal(t, 1, r.timers.fire(idleTime), "it is watched while it has no credit")
		synctest.Wait()
		events := r.Events()
		require.NotEmpty(t, events)
		assert.Equal(t, sockets.Event{Kind: sockets.Ended, ID: id, Reason: "no data for 1m0s"}, events[len(events)-1])
		r.Credit(id, sockets.Window)
		r.Close(id, false)
		synctest.Wait()
		assert.Equal(t, []sockets.Event{{Kind: sockets.Closed, ID: id}}, r.Events())
		assert.Empty(t, r.conns)
	})
}
