package sockets

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/script/vm"
)

const irc = "net:irc.example.org:6667"

// told are handlers that print their arguments.
const told = `local function told(name) return function(c, ...) say(name, ...) end end
	local lines = { onConnected = told "connected", onConnectFailed = told "failed", onLine = told "line", onSent = told "sent", onDisconnect = told "end" }
	local chunks = { onConnected = told "connected", onData = told "data", onDisconnect = told "end" }
	local server = { onListening = told "listening", onListenFailed = told "failed", onConnected = told "connected", onLine = told "line", onDisconnect = told "end" } `

func data(id ID, text string) Event { return Event{Kind: Received, ID: id, Data: []byte(text)} }
func end(id ID, why string) Event   { return Event{Kind: Ended, ID: id, Reason: why} }
func open(id ID) Event              { return Event{Kind: Connected, ID: id, Address: "192.0.2.1:6667"} }

func TestTCPConnect(t *testing.T) {
	r := newRig(t, irc)
	assert.Equal(t, `connect 1 irc.example.org 6667 []; send 1 "NICK torc\r\n"`, r.do(told+`c = tcpConnect("irc.example.org", 6667, lines) say2 = c:send "NICK torc\r\n"`))
	assert.Equal(t, `false nil TCP connection with irc.example.org:6667`, r.do(`say(c.open, c.address ~= "" or nil, c)`))
	assert.Equal(t, "connected; sent", r.tick(open(1), Event{Kind: Sent, ID: 1, N: 11}))
	assert.Equal(t, `true 192.0.2.1:6667 TCP connection with 192.0.2.1:6667 true`, r.do(`say(c.open, c.address, c, c.own == c.own)`))
	assert.Equal(t, "line a; line ; line b c; credit 1 9", r.tick(data(1, "a\r\n\nb c\r\nre")))
	assert.Equal(t, "line rest; credit 1 5", r.tick(data(1, "st\n")))
	assert.Equal(t, `send 1 "xy"`, r.do(`c:send "x" c:send "y"`))
	assert.Equal(t, "line last; end nil; credit 1 5; close 1 false", r.tick(data(1, "last\nincomplete"), end(1, "")))
	assert.Equal(t, "false false", r.do(`say(c.open, c:send "z")`))
	r.idle()
}

func TestTCPConnectFails(t *testing.T) {
	r := newRig(t, irc)
	r.do(told + `tcpConnect("irc.example.org", 6667, lines)`)
	assert.Equal(t, "failed connection refused; close 1 false", r.tick(end(1, "connection refused")))
	r.idle()
	assert.Equal(t, "failed no permission net:irc.example.org:6668", r.do(told+`tcpConnect("irc.example.org", 6668, lines)`))
	r.idle()
	for _, host := range []string{"", "a b", "irc.example.org:6667", "irc.example.org/", "::1%lo", "x\x00y"} {
		assert.Contains(t, r.do(told+`tcpConnect(`+quote(host)+`, 6667, lines)`), "is not a host and a port", host)
		r.idle()
	}
}

// TestReplyAfterTheEnd checks that a peer that sends a question and closes its side gets the
// answer.
func TestReplyAfterTheEnd(t *testing.T) {
	r := newRig(t, irc)
	r.do(`tcpConnect("irc.example.org", 6667, { onLine = function(c, line) say(line, c.open, c:send("answer\n")) end })`)
	assert.Equal(t, `question true true; send 1 "answer\n"; credit 1 9; close 1 false`, r.tick(open(1), data(1, "question\n"), end(1, "")))
	r.idle()
	r.do(`tcpConnect("irc.example.org", 6667, { onLine = function(c, line) say(line, c.open, c:send("answer\n")) end, onDisconnect = function(c) say(c:send "x") end })`)
	assert.Equal(t, `question false false; false; credit 2 9; close 2 false`, r.tick(open(2), data(2, "question\n"), end(2, "reset")))
	r.idle()
}

// TestSendLimit checks the bound of the data that waits to be sent.
func TestSendLimit(t *testing.T) {
	r := newRig(t, irc)
	r.do(told + `c = tcpConnect("irc.example.org", 6667, lines)`)
	r.tick(open(1))
	said := r.do(fmt.Sprintf(`for i = 1, 5 do say(c:send(("x"):rep(%d))) end say(c:send "", c:send "x")`, MaxQueued/4))
	assert.True(t, strings.HasPrefix(said, "true; true; true; true; false; true false; send 1"), "%.60s", said)
	assert.Equal(t, "false", r.do(`say(c:send "x")`), "the network has not sent anything")
	assert.Equal(t, "true", r.do(`say(c:send "")`, Event{Kind: Sent, ID: 1, N: 65_535}))
	assert.Equal(t, `true false; send 1 "x"`, r.do(`say(c:send "x", c:send(("x"):rep(65536)))`, Event{Kind: Sent, ID: 1, N: 1}))
	assert.Equal(t, "sent", r.tick(Event{Kind: Sent, ID: 1, N: 1}))
}

// TestCredit checks that a mod without time takes nothing, so that its peer has to wait.
func TestCredit(t *testing.T) {
	r := newRig(t, irc)
	r.run.LimitsVar().Ticking = 20_000
	r.do(`n = 0 tcpConnect("irc.example.org", 6667, { onLine = function() n = n + 1 for i = 1, 1000 do end end })`)
	assert.Contains(t, r.tick(open(1), data(1, strings.Repeat("line\n", 100))), "credit 1 ")
	first := lines(t, r)
	assert.Greater(t, first, 0)
	assert.Less(t, first, 50)
	credit := 5 * first
	for ticks := 0; credit < 500; ticks++ {
		require.Less(t, ticks, 100)
		var n int
		_, err := fmt.Sscanf(r.tick(), "credit 1 %d", &n)
		require.NoError(t, err)
		credit += n
	}
	assert.Equal(t, 100, lines(t, r))
	assert.Equal(t, 500, credit)
	assert.Empty(t, r.tick())
	assert.Empty(t, r.log)
}

func lines(t *testing.T, r *rig) (n int) {
	require.NoError(t, r.lua(`say(n)`))
	_, err := fmt.Sscan(r.calls[0], &n)
	require.NoError(t, err)
	r.calls = nil
	return n
}

func TestLongLine(t *testing.T) {
	r := newRig(t, irc)
	r.do(told + `tcpConnect("irc.example.org", 6667, lines)`)
	assert.Equal(t, "connected; line a; end a line is longer than 8192 bytes; credit 1 2; close 1 false", r.tick(open(1), data(1, "a\n"+strings.Repeat("x", 8194))))
	assert.Empty(t, r.tick(data(1, "b\n"), end(1, "late")))
	r.idle()
}

func TestChunks(t *testing.T) {
	r := newRig(t, irc)
	r.do(told + `tcpConnect("irc.example.org", 6667, chunks) tcpConnect("irc.example.org", 6667, {})`)
	assert.Equal(t, "connected; data abc; credit 1 3; credit 2 4", r.tick(open(1), open(2), data(1, "ab"), data(1, "c"), data(2, "lost")), "pieces of one tick are one text")
	assert.Equal(t, "data \xff\x00; credit 1 2", r.tick(data(1, "\xff\x00"), data(1, "")))
}

// TestCloseByTheMod checks that nothing runs after close.
func TestCloseByTheMod(t *testing.T) {
	r := newRig(t, irc)
	r.do(told + `c = tcpConnect("irc.example.org", 6667, lines) d = tcpConnect("irc.example.org", 6667, lines)`)
	assert.Equal(t, `send 1 "bye"; close 1 false; close 2 false`, r.do(`c:send "bye" c:close() d:close() c:close() say2 = c:send "x"`, open(1), data(1, "a\n"), end(2, "no")))
	r.idle()
	assert.Empty(t, r.do(told+`tcpConnect("irc.example.org", 6667, lines):close()`), "it was closed before it began")
	r.idle()
	assert.Equal(t, `connect 4 irc.example.org 6667 []; send 4 "bye"; close 4 false`, r.do(told+`d = tcpConnect("irc.example.org", 6667, lines) d:send "bye" d:close()`), "the text is sent")
	r.idle()
	r.do(`tcpConnect("irc.example.org", 6667, { onLine = function(c, line) say(line) if line == "b" then c:close() end end })`)
	assert.Equal(t, "a; b; credit 5 4; close 5 false", r.tick(open(5), data(5, "a\nb\nc\n")))
	r.idle()
}

// TestMistakeInALine checks that an error for one line costs that line.
func TestMistakeInALine(t *testing.T) {
	r := newRig(t, irc)
	r.do(`tcpConnect("irc.example.org", 6667, { onLine = function(c, line) say(line) if line == "b" then error "mine" end end })`)
	assert.Equal(t, "a; b; c; credit 1 6", r.tick(open(1), data(1, "a\nb\nc\n")))
	assert.Len(t, r.log, 1)
}

func TestTCPListen(t *testing.T) {
	r := newRig(t, "listen:28010")
	first := FirstAccepted
	assert.Equal(t, "listen 1 127.0.0.1:28010", r.do(told+`l = tcpListen(28010, server)`))
	assert.Equal(t, "0 TCP listener on port 0", r.do(`say(l.port, l)`))
	assert.Equal(t, "listening", r.tick(Event{Kind: Listening, ID: 1, Address: "127.0.0.1:28010"}))
	assert.Equal(t, "28010 TCP listener on port 28010", r.do(`say(l.port, l)`))
	accepted := func(id ID) Event { return Event{Kind: Accepted, ID: id, Listener: 1, Address: "127.0.0.1:9"} }
	assert.Equal(t, fmt.Sprintf("connected; line hello; connected; credit %d 6", first), r.tick(accepted(first), data(first, "hello\n"), accepted(first+1)))
	assert.Equal(t, "close 1 true", r.do(`l:close()`))
	assert.Equal(t, fmt.Sprintf("close %d true; end nil; close %d false", first+2, first), r.tick(accepted(first+2), end(first, "")))
	assert.Equal(t, fmt.Sprintf("end reset; close %d false", first+1), r.tick(end(first+1, "reset")))
	r.idle()
}

func TestListenFails(t *testing.T) {
	r := newRig(t, "listen:28010")
	assert.Equal(t, "failed no permission listen:28011", r.do(told+`tcpListen(28011, server)`))
	r.idle()
	r.do(told + `l = tcpListen(28010, server)`)
	assert.Equal(t, "failed address already in use; close 2 true", r.tick(end(2, "address already in use")))
	r.idle()
}

// TestListenAddress checks that a listener is on loopback unless another address is granted.
func TestListenAddress(t *testing.T) {
	for _, c := range []struct{ granted, want string }{
		{"listen:28010", "listen 1 127.0.0.1:28010"},
		{"listen:0.0.0.0:28010", "listen 1 0.0.0.0:28010"},
		{"listen:28010 listen:[::]:28010", "listen 1 [::]:28010"},
		{"listen:28010 listen:0.0.0.0:28011", "listen 1 127.0.0.1:28010"},
		{"net:0.0.0.0:28010 listen:28010", "listen 1 127.0.0.1:28010"},
		{"listen:0.0.0.0:28011", "failed no permission listen:28010"},
	} {
		r := newRig(t, strings.Fields(c.granted)...)
		assert.Equal(t, c.want, r.do(told+`tcpListen(28010, server)`), c.granted)
	}
}

// TestAllowedAddresses checks which addresses a target may have besides public ones: those of the
// operator's list, and one that the permission itself names.
func TestAllowedAddresses(t *testing.T) {
	r := newRig(t, "net:127.0.0.1:80", "net:[::1]:80", "net:a.example:80")
	assert.Equal(t, "connect 1 a.example 80 []; connect 2 127.0.0.1 80 [127.0.0.1/32]; connect 3 ::1 80 [::1/128]",
		r.do(`tcpConnect("a.example", 80, {}) tcpConnect("127.0.0.1", 80, {}) tcpConnect("::1", 80, {})`))
	r.set.Allow([]netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")})
	assert.Equal(t, "connect 4 a.example 80 [10.0.0.0/8]; connect 5 127.0.0.1 80 [10.0.0.0/8 127.0.0.1/32]",
		r.do(`tcpConnect("a.example", 80, {}) tcpConnect("127.0.0.1", 80, {})`))
	require.NoError(t, r.lua(`tcpConnect("a.example", 80, {})`))
	r.set.Allow(nil)
	assert.Equal(t, "connect 6 a.example 80 []", r.tick(), "the list counts when the connection is made")
}

// TestNumbersOfConnections checks the limits of a mod, and that the end of one makes room.
func TestNumbersOfConnections(t *testing.T) {
	r := newRig(t, irc, "listen:0")
	r.do(`for i = 1, 16 do tcpConnect("irc.example.org", 6667, {}) end for i = 1, 4 do tcpListen(0, {}) end`)
	assert.ErrorContains(t, r.lua(`tcpConnect("irc.example.org", 6667, {})`), "tcpConnect: a mod can have at most 16 connections")
	assert.ErrorContains(t, r.lua(`tcpListen(0, {})`), "tcpListen: a mod can have at most 4 listeners")
	r.tick(end(3, "x"), closed(3))
	require.NoError(t, r.lua(`tcpConnect("irc.example.org", 6667, {})`))
	assert.Error(t, r.lua(`tcpConnect("irc.example.org", 6667, {})`))
}

func closed(id ID) Event { return Event{Kind: Closed, ID: id} }

// TestClosedConnectionsCount checks that a connection that the mod has closed counts while its
// socket is open, also for a new instance of the mod.
func TestClosedConnectionsCount(t *testing.T) {
	r := newRig(t, irc)
	connect := `c = tcpConnect("irc.example.org", 6667, {})`
	full := func() { t.Helper(); assert.ErrorContains(t, r.lua(connect), "at most 16 connections") }
	r.do(`all = {} for i = 1, 16 do all[i] = tcpConnect("irc.example.org", 6667, {}) end`)
	r.tick(Event{Kind: Connected, ID: 1}, Event{Kind: Connected, ID: 2})
	r.do(`for i = 1, 3 do all[i]:close() end`)
	r.tick()
	full()
	r.tick(Event{Kind: Received, ID: 1, Data: []byte("late")})
	full()
	r.tick(closed(1), closed(1))
	require.NoError(t, r.lua(connect))
	full()
	r.tick(end(3, "it could not be opened"), closed(3))
	require.NoError(t, r.lua(connect))
	full()

	r.set.Retire(r.mod)
	r.mod = r.run.NewMod("m", nil)
	r.tick()
	r.do(`for i = 1, 15 do tcpConnect("irc.example.org", 6667, {}) end`)
	full()
	r.tick(closed(2))
	require.NoError(t, r.lua(connect))
}

func TestRetiredConnections(t *testing.T) {
	r := newRig(t, irc, "listen:28010")
	r.do(told + `tcpConnect("irc.example.org", 6667, lines) tcpListen(28010, server)`)
	require.NoError(t, r.lua(told+`c = tcpConnect("irc.example.org", 6667, lines) c:send "x"`))
	r.tick(Event{Kind: Accepted, ID: FirstAccepted, Listener: 2})
	r.set.Retire(r.mod)
	other := r.run.NewMod("other", nil)
	fn, err := other.Compile("other.lua", `tcpListen(28010, {})`, false)
	require.NoError(t, err)
	_, err = r.run.Enter(other, fn)
	require.NoError(t, err)
	assert.Equal(t, fmt.Sprintf("close 1 true; close 2 true; close 3 true; close %d true; listen 4 127.0.0.1:28010", FirstAccepted),
		r.tick(data(1, "a\n"), end(2, "x")), "the port is free before another instance wants it")
}

func TestRevokedConnections(t *testing.T) {
	r := newRig(t, irc, "listen:28010")
	r.do(told + `tcpConnect("irc.example.org", 6667, lines) tcpListen(28010, server)`)
	r.tick(open(1), Event{Kind: Listening, ID: 2, Address: "127.0.0.1:28010"}, Event{Kind: Accepted, ID: FirstAccepted, Listener: 2})
	r.revoked = true
	r.set.Recheck()
	r.set.Recheck()
	assert.Equal(t, fmt.Sprintf("close 1 true; close 2 true; close %d true; end no permission %s; failed no permission listen:28010; end no permission listen:28010", FirstAccepted, irc),
		r.tick(data(1, "late\n")))
	r.idle()
}

func TestTCPArguments(t *testing.T) {
	for code, want := range map[string]string{
		`tcpConnect()`:                                       "tcpConnect: argument 1 (host) must be a string, not nil",
		`tcpConnect("a")`:                                    "argument 2 (port) must be a number",
		`tcpConnect("a", 0, {})`:                             "argument 2 (port) must be 1…65535, not 0",
		`tcpConnect("a", 1)`:                                 "argument 3 (handlers) must be a table",
		`tcpConnect("a", 1, { onLines = say })`:              `unknown handler "onLines", did you mean "onLine"?`,
		`tcpConnect("a", 1, { onListening = say })`:          "unknown handler \"onListening\"",
		`tcpConnect("a", 1, { onLine = 1 })`:                 "onLine must be a function, not a number",
		`tcpConnect("a", 1, { onLine = say, onData = say })`: "use either onLine or onData",
		`tcpListen(65536, {})`:                               "argument 1 (port) must be 0…65535, not 65536",
		`tcpListen(1, { onConnectFailed = say })`:            "unknown handler",
		`c:send()`:                      "TCPConnection:send: argument 1 (text) must be a string, not nil",
		`c.send "x"`:                    "call it with a colon, on a TCP connection: TCPConnection:send(…)",
		`c.close(l)`:                    "call it with a colon, on a TCP connection",
		`l.close(c)`:                    "call it with a colon, on a TCP listener",
		`say(c.adress)`:                 `TCPConnection has no "adress", did you mean "address"?`,
		`c.x = 1`:                       "its fields are read-only",
		`say(l.own)`:                    `TCPListener has no "own"`,
		`setmetatable(c, {})`:           "must be a table",
		`say(c[("x"):rep(100)])`:        "must be a name of at most 64 bytes",
		`getmetatable(c).__index = nil`: "",
	} {
		r := newRig(t, irc, "listen:1")
		require.NoError(t, r.lua(`c = tcpConnect("irc.example.org", 6667, {}) l = tcpListen(1, {})`))
		err := r.lua(code)
		require.Error(t, err, code)
		assert.ErrorContains(t, err, want, code)
	}
}

// TestConnectionsOnClients checks that a client has none of it.
func TestConnectionsOnClients(t *testing.T) {
	run := vm.New(vm.Config{Side: vm.Client})
	run.Install(Lib())
	m := run.NewMod("m", nil)
	for _, name := range []string{"http.get", "http.post", "tcpConnect", "tcpListen"} {
		fn, err := m.Compile("m.lua", name+"()", false)
		require.NoError(t, err)
		_, err = run.Enter(m, fn)
		assert.ErrorContains(t, err, name+" is available only on the server")
	}
}
