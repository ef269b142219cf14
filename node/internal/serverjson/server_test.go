package serverjson

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

var testKey = seal.Key{7}

// TestFile: what a page says is what a client reads.
func TestFile(t *testing.T) {
	for _, s := range []Server{
		{Key: testKey},
		{Key: testKey, Port: 65535},
		{Key: testKey, Port: 28000, Address: netip.MustParseAddr("203.0.113.7")},
		{Key: testKey, Port: 28000, Address: netip.MustParseAddr("2001:db8::1")},
	} {
		got, err := parse(s.JSON())
		assert.NoError(t, err)
		assert.Equal(t, s, got)
	}
	assert.Equal(t, `{"key":"`+testKey.String()+`","protocol":`+fmt.Sprint(netcore.ProtocolVersion)+`,"port":5}`+"\n", string(Server{Key: testKey, Port: 5}.JSON()))
}

// hostile are files that are refused.
func hostile() []string {
	key := `"key":"` + testKey.String() + `"`
	return []string{
		"", "null", "{}", "[]", "5", `"x"`, "{" + key, "{" + key + "}}", `{"key":"","port":5}`, `{"key":"x","port":5}`, `{"key":5,"port":5}`,
		"{" + key + `,"port":65536}`, "{" + key + `,"port":-1}`, "{" + key + `,"port":1e99}`, "{" + key + `,"port":5.5}`, "{" + key + `,"port":"5"}`,
		"{" + key + `,"port":5,"address":"example.org"}`, "{" + key + `,"port":5,"address":"\u001b[2J"}`, "{" + key + `,"port":5,"address":5}`,
		"{" + key + `,"port":5,"address":"127.0.0.1"}`, "{" + key + `,"port":5,"address":"::1"}`, "{" + key + `,"port":5,"address":"::ffff:127.0.0.1"}`,
		"{" + key + `,"port":5,"address":"0.0.0.0"}`, "{" + key + `,"port":5,"address":"224.0.0.1"}`, "{" + key + `,"port":5,"address":"255.255.255.255"}`,
		"{" + key + `,"port":5,"address":"169.254.169.254"}`, "{" + key + `,"port":5,"address":"fe80::1"}`, "{" + key + `,"port":5,"address":"2001:db8::1%eth0"}`,
		"{" + key + `,"port":5,"x":` + strings.Repeat("[", MaxSize) + "}", strings.Repeat("[", MaxSize), "{" + key + `,"port":5}` + strings.Repeat(" ", MaxSize),
	}
}

// TestHostileFiles: a malformed or hostile file is one error.
func TestHostileFiles(t *testing.T) {
	for _, text := range hostile() {
		_, err := parse([]byte(text))
		assert.ErrorIs(t, err, errMalformed, "%.200q", text)
	}
	_, err := parse([]byte(`{"key":"` + testKey.String() + `","port":5,"later":{"x":[1]}}`))
	assert.NoError(t, err, "a later version can say more")
}

// TestHostPort: the key of the link must be that of the page. The server is at the host of the
// link, unless the page names an address.
func TestHostPort(t *testing.T) {
	other := seal.Key{8}
	for _, c := range []struct {
		server Server
		link   engine.Link
		want   string
		err    error
	}{
		{Server{testKey, 5, netip.Addr{}}, engine.Link{Host: "h"}, "h:5", nil},
		{Server{testKey, 5, netip.Addr{}}, engine.Link{Host: "::1", Key: &testKey}, "[::1]:5", nil},
		{Server{testKey, 5, netip.MustParseAddr("2001:db8::1")}, engine.Link{Host: "h"}, "[2001:db8::1]:5", nil},
		{Server{testKey, 5, netip.MustParseAddr("::ffff:203.0.113.7")}, engine.Link{Host: "h"}, "203.0.113.7:5", nil},
		{Server{testKey, 5, netip.Addr{}}, engine.Link{Host: "h", Key: &other}, "", errOtherKey},
		{Server{testKey, 0, netip.Addr{}}, engine.Link{Host: "h"}, "", errNoPort},
	} {
		at, err := c.server.hostPort(c.link)
		assert.Equal(t, c.want, at)
		assert.ErrorIs(t, err, c.err)
	}
}

// FuzzServerJSON: what a client reads is within the bounds, and reads the same again.
func FuzzServerJSON(f *testing.F) {
	for _, text := range append(hostile(), string(Server{testKey, 5, netip.MustParseAddr("203.0.113.7")}.JSON())) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := parse(b)
		if err != nil {
			return
		}
		assert.True(t, !s.Address.IsValid() || Reachable(s.Address))
		again, err := parse(s.JSON())
		assert.NoError(t, err)
		assert.Equal(t, s, again)
	})
}
