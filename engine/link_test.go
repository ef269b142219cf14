package engine_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/netcore/seal"
)

// TestParseLink checks which addresses are links of pages, and what they name.
func TestParseLink(t *testing.T) {
	key := seal.Key{1, 2, 3}
	for address, want := range map[string]engine.Link{
		"http://192.0.2.1/":                                           {Site: "http://192.0.2.1", Host: "192.0.2.1"},
		"http://192.0.2.1":                                            {Site: "http://192.0.2.1", Host: "192.0.2.1"},
		"http://192.0.2.1:28000/#" + key.String():                     {Site: "http://192.0.2.1:28000", Host: "192.0.2.1", Key: &key},
		"http://h:5#" + key.String():                                  {Site: "http://h:5", Host: "h", Key: &key},
		"HTTPS://play.example.org:/?line=ws&name=Ann#" + key.String(): {Site: "https://play.example.org", Host: "play.example.org", Key: &key},
		"https://play.example.org/watch#" + key.String():              {Site: "https://play.example.org", Host: "play.example.org", Key: &key, Watch: true},
		"https://play.example.org/watch/":                             {Site: "https://play.example.org", Host: "play.example.org", Watch: true},
		"https://h/s/arena-1/#" + key.String():                        {Site: "https://h/s/arena-1", Host: "h", Key: &key},
		"https://h:5/s/arena-1":                                       {Site: "https://h:5/s/arena-1", Host: "h"},
		"https://h/s/watch/watch/":                                    {Site: "https://h/s/watch", Host: "h", Watch: true},
		"http://[2001:db8::1]:8080/":                                  {Site: "http://[2001:db8::1]:8080", Host: "2001:db8::1"},
		"http://[::1]/":                                               {Site: "http://[::1]", Host: "::1"},
		"http://[fe80::1%25eth0]:8080/":                               {Site: "http://[fe80::1%25eth0]:8080", Host: "fe80::1%eth0"},
	} {
		got, is, err := engine.ParseLink(address)
		assert.NoError(t, err, address)
		assert.True(t, is, address)
		assert.Equal(t, want, got, address)
	}
	for _, address := range []string{"", "play.example.org", "play.example.org:5#KEY", "via:h:5#http://x", "[::1]:5", "local", "http:h"} {
		_, is, err := engine.ParseLink(address)
		assert.NoError(t, err, address)
		assert.False(t, is, address)
	}
	for _, address := range []string{
		"ftp://h/", "http://", "http:///", "http://:80/", "http://h:0/", "http://h:65536/", "http://h:x/", "http://me:secret@h/", "http://h/net", "http://h/assets/x.js",
		"http://h/s/", "http://h/s/Arena/", "http://h/s/a_b/", "http://h/s/" + strings.Repeat("a", 33) + "/", "http://h/s/a//", "http://h/s/a/net", "http://h/s/a/s/b/", "http://h/t/a/",
		"http://h\x1b/", "http://[::1/", "://h", "http://h/../watch/x",
	} {
		_, is, err := engine.ParseLink(address + "#secret")
		assert.True(t, is, address)
		assert.ErrorContains(t, err, "is no link to a game", address)
		assert.NotContains(t, err.Error(), "#secret", address)
		assert.NotContains(t, err.Error(), "\x1b", address)
	}
	for _, pin := range []string{"", "KEY", key.String() + "a"} {
		_, _, err := engine.ParseLink("http://h/#" + pin)
		assert.ErrorContains(t, err, "a key must have 52 characters")
	}
}

// pagedRig is a client whose pages are answered by the test.
type pagedRig struct {
	*enginetest.Rig
	asked   []engine.Link
	answers []func(string, error)
	trusted []string
}

func newPagedRig(t *testing.T) *pagedRig {
	p := &pagedRig{}
	p.Rig = enginetest.New(t, enginetest.Options{Both: func(c *engine.Config) {
		if c.Server {
			return
		}
		c.Pages = func(l engine.Link, done func(string, error)) {
			p.asked, p.answers = append(p.asked, l), append(p.answers, done)
		}
		c.Trust = func(address string, _ seal.Key) error { p.trusted = append(p.trusted, address); return nil }
	}})
	return p
}

// inGame runs until the client is in a game.
func (p *pagedRig) inGame() {
	p.Until(time.Minute, func() bool {
		c := p.Clients[0].Server()
		return c != nil && c.Join.Phase() == engine.PhaseGame
	})
}

// TestLinkJoins: the page of a link says where the server is. From then on, its HOST:PORT#KEY is
// the address: for known keys, reconnect and messages.
func TestLinkJoins(t *testing.T) {
	r := newPagedRig(t)
	c, key := r.Clients[0], r.Server.Identity().Public
	link := "http://page/#" + key.String()
	require.NoError(t, c.Dialer.Connect(link, engine.ConnectArgs{}))
	assert.Equal(t, link, c.Dialer.LastAddress())
	assert.EqualError(t, c.Dialer.Unconnected(), "not connected: connecting to http://page/")
	require.Equal(t, []engine.Link{{Site: "http://page", Host: "page", Key: &key}}, r.asked)
	r.Run(time.Second)
	assert.Nil(t, c.Server(), "the page has not answered")
	r.answers[0]("host 1", nil)
	assert.Equal(t, "host 1#"+key.String(), c.Dialer.LastAddress())
	r.inGame()
	assert.Empty(t, r.trusted, "the link names the key")
	require.NoError(t, c.Dialer.Reconnect())
	assert.Len(t, r.asked, 1, "the page is asked once")

	require.NoError(t, c.Dialer.Connect("http://page/", engine.ConnectArgs{}))
	r.answers[1]("host 1", nil)
	r.Run(time.Second)
	r.inGame()
	assert.Equal(t, []string{"host 1"}, r.trusted, "known keys belong to the address of the server, not to its page")
	assert.Equal(t, "host 1", c.Dialer.LastAddress())
}

// TestLinkOfSpectators: a link for spectators joins as one, also when it reconnects, and says
// nothing about the next address.
func TestLinkOfSpectators(t *testing.T) {
	r := newPagedRig(t)
	c := r.Clients[0]
	watches := func() bool {
		t.Helper()
		r.Run(time.Second)
		return c.Server() != nil && c.Server().Spectator()
	}
	r.Server.Settings.MaxWatchers = 1
	require.NoError(t, c.Dialer.Connect("http://page/watch", engine.ConnectArgs{}))
	r.answers[0]("host 1", nil)
	assert.True(t, watches())
	require.NoError(t, c.Dialer.Reconnect())
	assert.True(t, watches())
	require.NoError(t, c.Dialer.Connect("host 1", engine.ConnectArgs{}))
	assert.False(t, watches())
	require.NoError(t, c.Dialer.Reconnect())
	assert.False(t, watches())
}

// TestLinkFails: a link fails in time, with one sentence. An answer to a link that was given up
// changes nothing.
func TestLinkFails(t *testing.T) {
	r := newPagedRig(t)
	c, key := r.Clients[0], r.Server.Identity().Public
	last := func() string { return c.Story.Lines[len(c.Story.Lines)-1] }
	require.NoError(t, c.Dialer.Connect("http://page/", engine.ConnectArgs{}))
	r.answers[0]("", errors.New("the page does not answer"))
	r.Run(time.Second)
	assert.Equal(t, "http://page: the page does not answer", last())

	require.NoError(t, c.Dialer.Connect("http://page/", engine.ConnectArgs{}))
	r.Run(16 * time.Second)
	assert.Equal(t, "http://page: the page did not answer in time", last())
	r.answers[1]("host 1", nil)
	r.Run(time.Second)
	assert.Nil(t, c.Server(), "the answer came too late")
	assert.Equal(t, "http://page/", c.Dialer.LastAddress())

	assert.ErrorContains(t, c.Dialer.Connect("http://page/net#x", engine.ConnectArgs{}), "is no link to a game")
	assert.Len(t, r.asked, 2)
	assert.EqualError(t, r.Server.Dialer.Connect("https://play.example.org/watch#"+key.String(), engine.ConnectArgs{}),
		"https://play.example.org is a link: open it in a browser, or use HOST:PORT#KEY with the UDP port of the server, for example play.example.org:28000#"+key.String())
}
