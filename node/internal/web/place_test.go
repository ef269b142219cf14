package web

import (
	"net/http"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPlaces: a page and all that it asks for can stand at /s/NAME/, whether a proxy passes that on
// or cuts it off. The rules of requests are the same there.
func TestPlaces(t *testing.T) {
	t.Parallel()
	l := open(t, Options{})
	require.NoError(t, l.Publish(folder(site)))
	own := "http://" + l.Addr().String()
	at := paths(t, l.state.Load().pages)["/assets/main.js"]
	long := "0123456789abcdef0123456789abcde-"
	for _, row := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/s/arena-1/", 200}, {"GET", "/s/" + long + "/", 200}, {"GET", "/s/a/watch", 200}, {"GET", "/s/a/server.json", 200}, {"GET", "/s/a" + at, 200},
		{"GET", "/s/a", 308}, {"GET", "/s/a?line=ws", 308}, {"POST", "/s/a/", 405}, {"GET", "/s/a/rtc", 403}, {"GET", "/s/a/ws", 403},
		{"GET", "/s/Arena/", 404}, {"GET", "/s/a_b/", 404}, {"GET", "/s/" + long + "x/", 404}, {"GET", "/s/a%2fb/", 404}, {"GET", "/s//", 404}, {"GET", "/s/", 404},
		{"GET", "/s/a/s/a/", 404}, {"GET", "/s/a//", 404}, {"GET", "/s/a%0a/", 404}, {"GET", "/x/s/a/", 404}, {"GET", "/s/a/assets/../", 404},
	} {
		r, _ := get(t, row.method, own+row.path, http.Header{})
		assert.Equal(t, row.want, r.StatusCode, "%+v", row)
		assert.Equal(t, policy, r.Header.Get(policyName), "%+v", row)
	}
	r, _ := get(t, "GET", own+"/s/a?line=ws", http.Header{})
	assert.Equal(t, "/s/a/?line=ws", r.Header.Get("Location"))
	r, _ = get(t, "POST", own+"/s/a/rtc", http.Header{"Origin": {"https://evil.example"}})
	assert.Equal(t, http.StatusForbidden, r.StatusCode)
	r, _ = get(t, "POST", own+"/s/a/rtc", http.Header{"Origin": {own}})
	assert.Equal(t, http.StatusNoContent, r.StatusCode, "this server has no WebRTC")
	c, _, err := websocket.Dial(t.Context(), own+"/s/a/ws", &websocket.DialOptions{Subprotocols: []string{subprotocol}, HTTPHeader: http.Header{"Origin": {own}}})
	require.NoError(t, err)
	assert.NoError(t, c.CloseNow())
}

// TestPlaceOfTheLink: the operator names the place of the server with its origin, for the links
// that are printed. Requests name only the origin.
func TestPlaceOfTheLink(t *testing.T) {
	t.Parallel()
	for origin, want := range map[string]string{
		"https://fleet.example.org/s/arena-1/": "https://fleet.example.org/s/arena-1", "https://fleet.example.org:443/s/arena-1": "https://fleet.example.org/s/arena-1",
		"https://fleet.example.org": "https://fleet.example.org",
	} {
		l := open(t, Options{Origins: []string{origin, "http://other.example.org"}})
		assert.Equal(t, want, l.Site())
		assert.Equal(t, []string{"https://fleet.example.org", "http://other.example.org"}, l.Origins())
		r, _ := get(t, "POST", "http://"+l.Addr().String()+"/rtc", http.Header{"Host": {"fleet.example.org"}, "Origin": {"https://fleet.example.org"}})
		assert.Equal(t, http.StatusNoContent, r.StatusCode)
		l.SetOrigins(nil)
		assert.Equal(t, want, l.Site())
	}
	for _, origin := range []string{"https://h/s/", "https://h/s/A/", "https://h/s/a/b", "https://h/t/a/", "https://h/s/a/?x", "https:///s/a/", "https://h/s/a/#x"} {
		_, err := Listen(Options{Address: "127.0.0.1:0", Origins: []string{origin}})
		assert.ErrorContains(t, err, "must be http://HOST[:PORT]", origin)
	}
}
