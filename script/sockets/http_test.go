package sockets

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/script/vm"
)

const api = "net:api.example.org:443"

// answer is the callback of most tests.
const answer = `local function answer(r, err) say("got", r and r.status, r and r.body, r and r.headers.server, err) end `

func ok(id ID, body string) Event {
	return Event{Kind: Responded, ID: id, Status: 200, Header: []Field{{"server", "test"}}, Data: []byte(body)}
}

func TestHTTPGet(t *testing.T) {
	r := newRig(t, api)
	assert.Equal(t, "http 1 GET https://api.example.org/x?y=1  []", r.do(answer+`http.get("https://api.example.org/x?y=1", answer)`))
	assert.Empty(t, r.tick())
	assert.Equal(t, "got 200 hello test nil", r.tick(ok(1, "hello")))
	r.idle()
}

func TestHTTPPost(t *testing.T) {
	r := newRig(t, api)
	assert.Equal(t, "http 1 POST https://API.example.org/ {} [{Authorization Bearer x} {Content-Type application/json} {X-N 3}]",
		r.do(answer+`http.post("https://API.example.org/", "{}", answer, { ["X-N"] = 3, ["Content-Type"] = "application/json", Authorization = "Bearer x" })`))
	assert.Equal(t, "got nil nil nil it broke", r.tick(Event{Kind: Ended, ID: 1, Reason: "it broke"}))
	r.idle()
}

// TestRefusedURLs checks that a URL that cannot be requested reaches the callback and no network.
func TestRefusedURLs(t *testing.T) {
	for url, want := range map[string]string{
		"https://other.example.org/":                             "no permission net:other.example.org:443",
		"https://api.example.org:444/":                           "no permission net:api.example.org:444",
		"http://api.example.org/":                                "no permission net:api.example.org:80",
		"https://api.example.org.evil.example/":                  "no permission net:api.example.org.evil.example:443",
		"https://api.example.org@evil.example/":                  "a URL cannot hold a user",
		"https://evil.example\\@api.example.org/":                "the URL is not valid",
		"https://api.example.org:443@1.2.3.4/":                   "a URL cannot hold a user",
		"https://api.example.org./":                              `"api.example.org.:443" is not a host and a port`,
		"https://api.example.org:65979/":                         "is not a host and a port", // 443 + 65,536
		"https://api.example.org:0443x/":                         "the URL is not valid",
		"https://[::ffff:127.0.0.1]/":                            "no permission net:[::ffff:127.0.0.1]:443",
		"https://[fe80::1%25lo]/":                                "is not a host and a port",
		"https://a b/":                                           "the URL is not valid",
		"https://api.example.org/\x00?token=x":                   "the URL is not valid",
		"file:///etc/passwd":                                     "a URL must begin with http:// or https:// and a host",
		"https:api.example.org":                                  "a URL must begin with",
		"//api.example.org/":                                     "a URL must begin with",
		"https://":                                               "a URL must begin with",
		"":                                                       "a URL must begin with",
		"https://api.example.org/" + strings.Repeat("x", maxURL): "at most 4096 bytes",
	} {
		r := newRig(t, api)
		require.NoError(t, r.lua(answer+`http.get(`+quote(url)+`, answer)`), url)
		assert.Empty(t, r.calls, url)
		said := r.tick()
		assert.Contains(t, said, "got nil nil nil ", url)
		assert.Contains(t, said, want, url)
		assert.NotContains(t, said, "token", url)
		r.idle()
	}
}

func quote(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\x00", `\0`).Replace(text) + `"`
}

// TestRequestsWait checks that four requests are under way at a time, and that a mod that asks in a
// loop gets an error without harm to another mod.
func TestRequestsWait(t *testing.T) {
	r := newRig(t, api)
	const get = `http.get("https://api.example.org/", function() say "done" end)`
	assert.ErrorContains(t, r.lua(`for i = 1, 1000 do `+get+` end`), "http.get: a mod can have at most 64 unfinished requests")
	other := r.run.NewMod("other", nil)
	fn, err := other.Compile("other.lua", get, false)
	require.NoError(t, err)
	_, err = r.run.Enter(other, fn)
	require.NoError(t, err)
	assert.Equal(t, 4+1, strings.Count(r.tick(), "GET"))
	assert.Empty(t, r.tick(), "nothing has ended")
	r.log = nil
	for id := ID(1); id <= 65; id++ {
		said := r.tick(ok(id, ""))
		assert.Equal(t, 1, strings.Count(said, "done"), "%d: %s", id, said)
		assert.LessOrEqual(t, strings.Count(said, "GET"), 1)
	}
	r.idle()
}

// TestAskingAgainInTheCallback checks that a mod that asks again whenever it is refused gets one
// refusal per tick.
func TestAskingAgainInTheCallback(t *testing.T) {
	r := newRig(t)
	require.NoError(t, r.lua(`function again() say "again" http.get("https://api.example.org/", again) end again()`))
	r.calls = nil
	for range 10 {
		r.run.BeginTick()
		r.set.Begin()
		assert.Len(t, r.calls, 1)
		r.calls = nil
	}
}

func TestHTTPArguments(t *testing.T) {
	for code, want := range map[string]string{
		`http.get()`:                     "http.get: argument 1 (url) must be a string, not nil",
		`http.get("x")`:                  "http.get: argument 2 (callback) must be a function, not nil",
		`http.get("x", {})`:              "argument 2 (callback) must be a function",
		`http.post("x", function() end)`: "argument 2 (body) must be a string",
		`http.post("x", ("x"):rep(600000) .. ("x"):rep(600000), say)`: "", // no string is that long
		`http.get("x", say, 1)`:                                                   "argument 3 (headers) must be a table",
		`http.get("x", say, { "a" })`:                                             "a header must be a table of strings by name",
		`http.get("x", say, { a = {} })`:                                          "a header must be a table of strings by name",
		`http.get("x", say, { a = "1\r\nX: y" })`:                                 `a header cannot have this field: "a"`,
		`http.get("x", say, { ["a: b\r\nc"] = "1" })`:                             "a header cannot have this field",
		`http.get("x", say, { [""] = "1" })`:                                      "a header cannot have this field",
		`http.get("x", say, { ["ä"] = "1" })`:                                     "a header cannot have this field",
		`http.get("x", say, { a = ("x"):rep(4096) })`:                             "a header cannot have this field",
		`http.get("x", say, { Host = "other" })`:                                  "a mod cannot set the field Host",
		`http.get("x", say, { ["Transfer-Encoding"] = "chunked" })`:               "a mod cannot set the field Transfer-Encoding",
		`http.get("x", say, { ["PROXY-Authorization"] = "x" })`:                   "a mod cannot set the field PROXY-Authorization",
		`local t = {} for i = 1, 33 do t["a" .. i] = i end http.get("x", say, t)`: "a header can have at most 32 fields, got 33",
	} {
		r := newRig(t)
		err := r.lua(code)
		require.Error(t, err, code)
		assert.ErrorContains(t, err, want, code)
		r.idle()
	}
}

// TestMistakeInACallback checks that an error in a callback costs only that callback.
func TestMistakeInACallback(t *testing.T) {
	r := newRig(t, api)
	r.do(`for i = 1, 3 do http.get("https://api.example.org/" .. i, function(res) say(res.body) if i == 2 then error "mine" end end) end`)
	assert.Equal(t, "a; b; c", r.tick(ok(1, "a"), ok(2, "b"), ok(3, "c")))
	require.Len(t, r.log, 1)
	assert.Contains(t, r.log[0], "mine")
	r.log = nil
	r.idle()
}

// TestResponsesAfterTheEnd checks that events of requests that nobody waits for change nothing.
func TestResponsesAfterTheEnd(t *testing.T) {
	r := newRig(t, api)
	r.do(answer + `http.get("https://api.example.org/", answer)`)
	assert.Equal(t, "got 200 a test nil", r.tick(ok(1, "a"), ok(1, "b"), ok(7, "c"), Event{Kind: Ended, ID: 1}, Event{Kind: Received, ID: 1}))
	r.idle()
}

// TestRequestsOfAPeer checks that the client that caused a request pays for its callback.
func TestRequestsOfAPeer(t *testing.T) {
	r := newRig(t, api)
	var seen []vm.Peer
	r.set.cfg.Connected = func(p vm.Peer) vm.Peer { seen = append(seen, p); return p }
	before := r.run.SetPeer(7)
	require.NoError(t, r.lua(`http.get("https://api.example.org/", function() error "x" end)`))
	r.run.SetPeer(before)
	r.tick()
	r.tick(ok(1, ""))
	assert.Equal(t, []vm.Peer{7}, seen)
	assert.Equal(t, vm.Peer(0), r.run.Peer())
	assert.Empty(t, r.mod.SuspendedHandlers())
}

// TestRetiredMod checks that nothing of a retired mod goes out or comes back.
func TestRetiredMod(t *testing.T) {
	r := newRig(t, api)
	r.do(answer + `http.get("https://api.example.org/a", answer)`)
	require.NoError(t, r.lua(answer+`http.get("https://api.example.org/b", answer) http.get("https://no.example/", answer)`))
	r.set.Retire(r.mod)
	assert.Equal(t, "close 1 true; close 2 true", r.tick(ok(1, "late")))
	r.idle()
	r.set.Retire(r.mod)
	r.idle()
}

// TestRevokedPermission checks that a revoked permission ends requests under way and those that
// wait.
func TestRevokedPermission(t *testing.T) {
	r := newRig(t, api)
	r.do(answer + `for i = 1, 6 do http.get("https://api.example.org/", answer) end`)
	r.set.Recheck()
	assert.Empty(t, r.tick())
	r.revoked = true
	r.set.Recheck()
	said := r.tick(ok(1, "late"))
	assert.Equal(t, 4, strings.Count(said, "close"))
	assert.Equal(t, 6, strings.Count(said, "got nil nil nil no permission "+api))
	assert.NotContains(t, said, "GET")
	r.idle()
}

func TestNoNetwork(t *testing.T) {
	r := newRig(t, api, "listen:28010")
	r.set.cfg.Network = nil
	require.NoError(t, r.lua(answer+`http.get("https://api.example.org/", answer)
		tcpConnect("api.example.org", 443, { onConnectFailed = function(c, why) say(c, why) end })
		tcpListen(28010, { onListenFailed = function(l, why) say(l, why) end })`))
	assert.Equal(t, "got nil nil nil this server has no network; TCP connection with api.example.org:443 this server has no network; "+
		"TCP listener on port 0 this server has no network", r.tick())
	r.set.Retire(r.mod)
	r.idle()
}

// FuzzSplitURL checks that the host of a request is the one of the permission, whatever the URL is.
func FuzzSplitURL(f *testing.F) {
	f.Add("https://api.example.org/")
	f.Add("https://a@b\\c#d?e://[::1%25x]:1")
	f.Fuzz(func(t *testing.T, text string) {
		host, port, err := SplitURL(text)
		if err != nil {
			assert.NotContains(t, err.Error(), "\n")
			return
		}
		assert.LessOrEqual(t, len(text), maxURL)
		assert.NotContains(t, host, "@")
		assert.True(t, port > 0 || strings.Contains(text, ":"), text)
	})
}

// TestCallbacksWait checks that a mod that has used up its share of a tick gets the rest of its
// responses in later ticks.
func TestCallbacksWait(t *testing.T) {
	r := newRig(t, api)
	r.run.LimitsVar().Ticking = 20_000
	r.do(`for i = 1, 4 do http.get("https://api.example.org/", function(res) say(res.body) for i = 1, 12000 do end end) end`)
	assert.Equal(t, "a", r.tick(ok(1, "a"), ok(2, "b"), ok(3, "c"), ok(4, "d")))
	assert.Equal(t, "b", r.tick())
	assert.Equal(t, "c", r.tick())
	assert.Equal(t, "d", r.tick())
	r.idle()
}
