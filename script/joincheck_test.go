package script_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore/seal"
)

// deferring is a mod that answers each connect request later, by answer(name).
const deferring = `
	waiting, clients = {}, {}
	function GameConnection.onConnectRequest(client)
		if client.name == "Ann" then return end
		waiting[client.name] = client:defer("checking " .. client.name)
		clients[client.name] = client
	end
	export("answer", function(name, reason) return waiting[name](reason) end)
	export("tell", function(name, text) return clients[name]:defer(text) == waiting[name] end)
	export("ends", function(name, reason) clients[name]:disconnect(reason) end)
	export("deletes", function(name) clients[name]:delete() end)`

// deferredJoin makes a server with the mod m, whose client waits for an answer.
func deferredJoin(t *testing.T, more map[string]string, mods ...string) *pair {
	list := map[string]string{"m/server/init.lua": deferring}
	for name, text := range more {
		list[name] = text
	}
	p := apart(t, list, append([]string{"m"}, mods...)...)
	p.client.line(`function GameConnection.onConnectFailed(address, reason) echo(reason) end`)
	require.Empty(t, p.client.line(`connect "x:1"`))
	p.run(time.Second)
	require.Nil(t, p.client.host.Server())
	require.True(t, p.client.host.Dialer.Busy(), "%v", p.server.log)
	return p
}

// isIn reports whether the client has joined.
func (p *pair) isIn() bool { return p.client.host.Server() != nil }

// TestConnectRequestsAreAnsweredLater: a mod answers after some seconds. ok is true once. Meanwhile
// another client joins, and the one that waits takes no place.
func TestConnectRequestsAreAnsweredLater(t *testing.T) {
	p := deferredJoin(t, nil)
	p.addNamed(newHalf(t, 3, false).load(), 3, "Ann")
	p.run(7 * time.Second)
	require.False(t, p.isIn())
	assert.Len(t, p.server.host.Connections(), 1)
	assert.Equal(t, "true", p.server.line(`import("m").answer("Dood")`))
	assert.Equal(t, "false", p.server.line(`import("m").answer("Dood", "changed my mind")`), "a second time")
	p.run(time.Second)
	assert.True(t, p.isIn())
	assert.Equal(t, "false", p.server.line(`import("m").answer("Dood", "too late")`))
	p.run(time.Second)
	assert.True(t, p.isIn())
	assert.Empty(t, p.server.scripts.Runtime.FaultsOf("m"))
}

// TestDeferredRequestsAreRefused lists what refuses a request that waits, each with a sentence. The
// answer then does nothing.
func TestDeferredRequestsAreRefused(t *testing.T) {
	const cannot = "the mod m cannot check connect requests at the moment: try again later"
	for name, c := range map[string]struct {
		do   func(p *pair)
		want string
	}{
		"a reason":          {func(p *pair) { p.server.line(`import("m").answer("Dood", "members only")`) }, "members only"},
		"no answer":         {func(p *pair) { p.run(engine.DeferTime - time.Second) }, "the request was not checked in time by the mod m: try again"},
		"a suspension":      {func(p *pair) { p.server.scripts.Runtime.Mod("m").Suspend("a test") }, cannot},
		"a reload":          {func(p *pair) { require.NoError(p.server.t, p.server.scripts.ReloadNow("m")) }, "the mod m was loaded anew: try again"},
		"a disabled mod":    {func(p *pair) { p.server.line(`mod disable m`) }, "the mod m was loaded anew: try again"},
		"another mission":   {func(p *pair) { p.server.line(`mission one`) }, "the mission changes: try again"},
		"a pause":           {func(p *pair) { p.server.line(`pause on`) }, "the server is paused: try again"},
		"the mod ends it":   {func(p *pair) { p.server.line(`import("m").ends("Dood", "not today")`) }, "not today"},
		"a deleted client":  {func(p *pair) { p.server.line(`import("m").deletes("Dood")`) }, "the server has ended the request"},
		"the server closes": {func(p *pair) { p.server.host.Shutdown("for today") }, "shutting down: for today"},
		"no place":          {func(p *pair) { p.server.host.Admission.MaxClients = 0; p.server.line(`import("m").answer("Dood")`) }, "server is full (0)"},
		"no new players":    {func(p *pair) { p.server.host.Admission.Accepting = false; p.server.line(`import("m").answer("Dood")`) }, "the server accepts no new players"},
	} {
		t.Run(name, func(t *testing.T) {
			p := deferredJoin(t, map[string]string{"m/missions/one.lua": ""})
			c.do(p)
			p.client.out = nil
			p.net.Run(p.net.Now()+500*time.Millisecond, 32*time.Millisecond)
			assert.Equal(t, c.want, strings.Join(p.client.out, "\n"))
			assert.False(t, p.isIn())
			assert.NotEqual(t, "true", p.server.line(`import("m").answer("Dood")`))
			p.run(time.Second)
			assert.False(t, p.isIn())
			assert.Empty(t, p.server.host.Connections())
		})
	}
}

// TestTheLastMomentOfADeferral: the ten seconds are counted in ticks, at the pace of the game.
func TestTheLastMomentOfADeferral(t *testing.T) {
	p := deferredJoin(t, nil)
	p.net.Run(p.net.Now()+8500*time.Millisecond, 32*time.Millisecond)
	assert.Equal(t, "true", p.server.line(`import("m").answer("Dood")`))
	p.run(500 * time.Millisecond)
	assert.True(t, p.isIn())
}

// TestClientsThatStopWaiting: a client that has gone needs no answer.
func TestClientsThatStopWaiting(t *testing.T) {
	p := deferredJoin(t, nil)
	p.client.host.Dialer.Cancel()
	p.run(5 * time.Second)
	assert.Equal(t, "false", p.server.line(`import("m").answer("Dood")`))
	p.run(time.Second)
	assert.Empty(t, p.server.host.Connections())
	assert.Equal(t, "error", p.server.line(`import("m").tell("Dood", "still checking")`)[:5])
}

// TestTextsOfADeferral: the client shows the text, and a later one.
func TestTextsOfADeferral(t *testing.T) {
	p := deferredJoin(t, nil)
	var w joinWatch
	assert.Equal(t, "checking Dood", w.Checking(p.client.host))
	assert.Positive(t, w.Waiting(p.client.host))
	assert.Equal(t, "true", p.server.line(`import("m").tell("Dood", "still checking")`))
	p.run(500 * time.Millisecond)
	assert.Equal(t, "still checking", w.Checking(p.client.host))
	for _, bad := range []string{`""`, `"  "`, `("x"):rep(256)`} {
		assert.Contains(t, p.server.line(`import("m").tell("Dood", `+bad+`)`), "the text for the client must have 1 to 255 bytes")
	}
	assert.Equal(t, "still checking", w.Checking(p.client.host))
	assert.Contains(t, p.server.line(`import("m").answer("Dood", "")`), "a reason must not be empty")
	assert.Equal(t, "true", p.server.line(`import("m").answer("Dood")`))
}

// TestAllModsMustAgree: two mods defer a request. It waits for both, and one that refuses decides.
// A mod that refuses at once decides, too.
func TestAllModsMustAgree(t *testing.T) {
	second := map[string]string{"n/server/init.lua": strings.ReplaceAll(deferring, `"checking "`, `"n checks "`)}
	var w joinWatch
	p := deferredJoin(t, second, "n")
	assert.Equal(t, "checking Dood", w.Checking(p.client.host))
	assert.Equal(t, "true", p.server.line(`import("m").answer("Dood")`))
	p.run(time.Second)
	assert.False(t, p.isIn())
	assert.Equal(t, "n checks Dood", w.Checking(p.client.host))
	assert.Equal(t, "true", p.server.line(`import("n").answer("Dood")`))
	p.run(time.Second)
	assert.True(t, p.isIn())

	p = deferredJoin(t, second, "n")
	assert.Equal(t, "true", p.server.line(`import("n").answer("Dood", "not n")`))
	assert.Equal(t, "false", p.server.line(`import("m").answer("Dood")`))
	p.run(time.Second)
	assert.Equal(t, []string{"not n"}, p.client.out)

	p = deferredJoin(t, second, "n")
	p.run(10 * time.Second)
	assert.Equal(t, []string{"the request was not checked in time by the mods m, n: try again"}, p.client.out)
}

// TestDeferInsideTheGate: a gate that answers at once needs no wait. One that fails after it has
// deferred, or returns a reason, refuses.
func TestDeferInsideTheGate(t *testing.T) {
	for name, c := range map[string]struct{ gate, want string }{
		"agrees":        {`local ok = client:defer("x") echo(ok(), ok())`, "in"},
		"refuses":       {`local ok = client:defer("x") echo(ok("members only"), ok())`, "members only"},
		"returns":       {`client:defer("x") return "no"`, "no"},
		"fails":         {`client:defer("x") error "no list"`, "the mod m cannot check connect requests at the moment: try again later"},
		"has no text":   {`client:defer("")`, "the mod m cannot check connect requests at the moment: try again later"},
		"defers others": {`client:defer("x") schedule(0, function() client:defer("y") end)`, "the request was not checked in time by the mod m: try again"},
	} {
		t.Run(name, func(t *testing.T) {
			p := apart(t, map[string]string{"m/server/init.lua": `function GameConnection.onConnectRequest(client) ` + c.gate + ` end`}, "m")
			got := p.knock()
			if got == "" {
				p.run(10 * time.Second)
				got = strings.Join(p.client.out, "\n")
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// TestOnlyGatesDefer: a client that is in the game, or whose request does not wait, cannot be
// deferred.
func TestOnlyGatesDefer(t *testing.T) {
	p := join(t, map[string]string{"m/server/init.lua": `export("defer", function() clientGroup:at(1):defer("x") end)`}, nil, "m")
	assert.Contains(t, p.server.line(`import("m").defer()`), "only onConnectRequest can defer a request")
}

// TestRefusedAtTheAnswer: who is banned while a request waits does not get in.
func TestRefusedAtTheAnswer(t *testing.T) {
	p := deferredJoin(t, nil)
	banned := &banning{Scripts: p.server.scripts.Hooks(), key: p.client.host.Identity().Public}
	p.server.host.SetScripts(banned)
	assert.Equal(t, "true", p.server.line(`import("m").answer("Dood")`))
	p.run(time.Second)
	assert.Equal(t, []string{"banned"}, p.client.out)
	assert.False(t, p.isIn())
	assert.NotEqual(t, seal.Key{}, banned.key)
}

type joinWatch = engine.JoinWatch

// banning scripts refuse a key at the answer.
type banning struct {
	engine.Scripts
	key seal.Key
}

func (b *banning) StillRefuses(c *engine.Connection) string {
	if c.Key() == b.key {
		return "banned"
	}
	return b.Scripts.StillRefuses(c)
}
