package sockets

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRevokedWhileTheModIsBusy: the operator revokes the permission while the network opens a
// listener or ends a connection. Events that are under way open neither of them again, although the
// callbacks of the mod have to wait.
func TestRevokedWhileTheModIsBusy(t *testing.T) {
	r := newRig(t, irc, "listen:28010", "net:a.example:80")
	r.run.LimitsVar().Ticking = 20_000
	r.do(told + `tcpConnect("irc.example.org", 6667, lines) tcpListen(28010, server)
		for i = 1, 3 do http.get("http://a.example/", function() for i = 1, 100000 do end end) end`)
	r.tick(open(1))
	assert.Empty(t, r.tick(ok(3, ""), ok(4, ""), ok(5, "")), "the other responses wait")
	r.revoked = true
	r.set.Recheck()
	assert.Equal(t, "close 1 true; close 2 true", r.tick(Event{Kind: Listening, ID: 2, Address: "127.0.0.1:28010"}, data(1, "late\n"), end(1, "")))
	said := ""
	for range 4 {
		said += r.tick(closed(1))
	}
	assert.Equal(t, "end no permission "+irc+"; failed no permission listen:28010", said)
	assert.Empty(t, r.set.accounts)
	assert.Empty(t, r.set.owners)
	assert.Empty(t, r.set.lingering)
}

// TestClosedInAHandler: a mod closes its connection in each of the handlers, twice. No handler runs
// afterwards, and the socket is closed once.
func TestClosedInAHandler(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"onConnected", "onConnected; close 1 false"},
		{"onLine", "onConnected; onLine; credit 1 2; close 1 false"},
		{"onSent", "onConnected; onLine; onLine; onSent; credit 1 4; close 1 false"},
		{"onDisconnect", "onConnected; onLine; onLine; onSent; onDisconnect; credit 1 4; close 1 false"},
	} {
		r := newRig(t, irc)
		r.do(fmt.Sprintf(`local h = {}
			for _, name in ipairs { "onConnected", "onConnectFailed", "onLine", "onSent", "onDisconnect" } do
				h[name] = function(c) say(name) if name == %q then c:close() c:close() say2 = c:send "x" end end
			end
			tcpConnect("irc.example.org", 6667, h):send "x"`, c.in))
		sent := Event{Kind: Sent, ID: 1, N: 1}
		assert.Equal(t, c.want, r.tick(open(1), data(1, "a\nb\n"), sent, end(1, "reset")), c.in)
		assert.Empty(t, r.tick(data(1, "late\n"), sent, end(1, "again")), c.in)
		r.tick(closed(1))
		r.idle()
		assert.Empty(t, r.set.lingering, c.in)
	}
}

// TestClosedWhileItOpens: a mod closes connections that are not open yet, with and without text. It
// hears nothing of them, and all places are free when their sockets are closed.
func TestClosedWhileItOpens(t *testing.T) {
	r := newRig(t, irc)
	for round := range 3 {
		r.do(told + `all = {} for i = 1, 16 do all[i] = tcpConnect("irc.example.org", 6667, lines) end`)
		r.do(`for i, c in ipairs(all) do if i % 2 == 0 then c:send "text" end c:close() c:close() end`)
		assert.ErrorContains(t, r.lua(`tcpConnect("irc.example.org", 6667, {})`), "at most 16", "round %d", round)
		for i := range 16 {
			id := ID(16*round + i + 1)
			events := []Event{end(id, "no answer in time"), closed(id)}
			if i%3 == 0 {
				events = []Event{open(id), {Kind: Sent, ID: id, N: 4}, closed(id)}
			}
			assert.Empty(t, r.tick(events...))
		}
		r.idle()
		assert.Empty(t, r.set.lingering)
	}
}

// TestRetiredWhileItOpens: a mod ends while its connection and its listener are being opened and a
// callback waits. None of its handlers runs, and what opens late is closed.
func TestRetiredWhileItOpens(t *testing.T) {
	r := newRig(t, irc, "listen:28010")
	r.do(told + `tcpConnect("irc.example.org", 6667, lines) tcpListen(28010, server)`)
	require.NoError(t, r.lua(told+`tcpConnect("irc.example.org", 1, lines)`), "its refusal waits")
	r.set.Retire(r.mod)
	r.set.Retire(r.mod)
	id := FirstAccepted
	assert.Equal(t, fmt.Sprintf("close %d true; close 1 true; close 2 true; close 3 true", id),
		r.tick(open(1), Event{Kind: Listening, ID: 2, Address: "127.0.0.1:28010"}, Event{Kind: Accepted, ID: id, Listener: 2}, data(id, "a\n"), data(1, "a\n")))
	assert.Empty(t, r.tick(closed(1), closed(id), end(2, "late")))
	r.idle()
	assert.Empty(t, r.set.lingering)
}
