package netcore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestUnanswered cuts one direction of a line, or both. Both ends notice within a second, or when
// nobody has anything to send, with the next ping. A line that is fine never looks dead.
func TestUnanswered(t *testing.T) {
	for _, busy := range []int{0, 1 << 30} {
		for _, dead := range []string{"to the server", "to the client", "both"} {
			server, client, n := twoHosts(t, func(c *Config) {
				c.Streams = func(*Conn) []Stream { return []Stream{&filler{n: 64, want: busy}} }
			})
			client.Connect(0, server.addr, ConnectOptions{Trust: trustAll})
			n.run(time.Second)
			require.Len(t, client.connected, 1)
			here, there := client.connected[0], server.connected[0]
			step, notice := 10*time.Millisecond, 1700*time.Millisecond
			if busy == 0 {
				step, notice = 40*time.Millisecond, quietClientKeepAlive+notice
			}
			for range 300 {
				n.step(step)
				require.Less(t, here.Unanswered(n.now), 200*time.Millisecond)
				require.Less(t, there.Silence(n.now), 700*time.Millisecond, "a client is silent only when that is expected")
			}
			n.filter = func(p testDatagram) bool {
				toServer := p.to.Remote() == server.addr
				return dead != "both" && toServer != (dead == "to the server")
			}
			n.run(notice)
			assert.Greater(t, here.Unanswered(n.now), time.Second, "%s, the client", dead)
			if dead != "to the client" {
				assert.Greater(t, there.Silence(n.now), time.Second, "%s, the server", dead)
			} else if busy > 0 {
				assert.Greater(t, there.Unanswered(n.now), time.Second, "%s, the server", dead)
			}
			n.filter = nil
			n.run(3 * time.Second)
			assert.Less(t, here.Unanswered(n.now), 200*time.Millisecond)
			assert.Empty(t, append(server.ended, client.ended...))
		}
	}
}

// TestTimeoutTellsThePeer: a server that hears nothing for 45 s tells the client, which perhaps
// hears the server.
func TestTimeoutTellsThePeer(t *testing.T) {
	server, client, n := playing(t, nil)
	n.filter = func(p testDatagram) bool { return p.to.Remote() != server.addr }
	n.run(46 * time.Second)
	want := []Reason{{TimedOut, "no packet received for 45s"}}
	assert.Equal(t, want, server.ended)
	assert.Equal(t, want, client.ended)
}
