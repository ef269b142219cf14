package netcore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkEndpointSend measures a server's share of a tick with 128 clients: Receive, Tick and
// Send. The clients answer every packet. In the case silent no stream has data; in the case empty a
// stream wants a packet but writes no data.
func BenchmarkEndpointSend(b *testing.B) {
	const clients = 128
	for _, tt := range []struct {
		name    string
		n, want int
	}{{"silent", 0, 0}, {"empty", 0, 1 << 30}, {"full", 1096, 1 << 30}} {
		b.Run(tt.name, func(b *testing.B) {
			streams := func(want int) func(*Config) {
				return func(c *Config) {
					c.Streams = func(*Conn) []Stream { return []Stream{&filler{n: tt.n, want: want}} }
					c.Limits = Limits{HalfOpen: clients}
				}
			}
			server := newHost(b, SimAddr(1), streams(tt.want))
			hosts := []*host{server}
			for i := range clients {
				hosts = append(hosts, newHost(b, SimAddr(uint16(2+i)), streams(0)))
				hosts[i+1].Connect(0, server.addr, ConnectOptions{Trust: trustAll})
			}
			n := newTestNetwork(hosts...)
			n.run(5 * time.Second)
			require.Len(b, server.Conns(), clients)
			now, sent := n.now, 0
			var received, ticked, packed time.Duration
			var from Addr
			toClient := func(to Addr, d []byte) {
				sent++
				hosts[to.Port-1].Receive(now, server.addr, d)
			}
			toServer := func(_ Addr, d []byte) {
				start := time.Now()
				server.Receive(now, from, d)
				received += time.Since(start)
			}
			round := func() {
				now += 32 * time.Millisecond
				start := time.Now()
				server.Tick(now)
				ticked += time.Since(start)
				start = time.Now()
				server.fork(now, server.ordered)
				packed += time.Since(start)
				server.Send(now, toClient)
				for _, h := range hosts[1:] {
					from = h.addr
					h.Tick(now)
					h.Send(now, toServer)
				}
			}
			for range 500 {
				round()
			}
			sent, received, ticked, packed = 0, 0, 0, 0
			b.ReportAllocs()
			for b.Loop() {
				round()
			}
			each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(b.N) / clients }
			b.ReportMetric(each(packed), "ns-pack/conn")
			b.ReportMetric(each(ticked), "ns-tick/conn")
			b.ReportMetric(each(received), "ns-receive/conn")
			b.ReportMetric(float64(sent)/float64(b.N)/clients, "packets/conn")
		})
	}
}
