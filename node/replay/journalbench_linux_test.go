package replay_test

import (
	"hash/crc32"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/nodetest"
)

// An arrival is a datagram that reaches a server.
type arrival struct {
	at   time.Duration
	from netcore.Addr
	data []byte
}

// crowdConfig returns the Config of a server for BenchmarkJournalOfServer. It has a key, so that
// its Entropy is that of the sessions alone.
func crowdConfig(b *testing.B, j *node.Journal) node.Config {
	seed := uint64(7)
	key, err := seal.NewIdentity(rand.NewChaCha8([32]byte{99}))
	require.NoError(b, err)
	return node.Config{
		Common: node.Common{Identity: &key, Seed: &seed, Vars: []node.Var{{Name: "sv.bots", Value: "0"}}},
		Server: node.ServerConfig{Load: []string{"ctf"}, Journal: j},
	}
}

// arrivals returns the datagrams that 64 clients send to a server with a journal in a time.
func arrivals(b *testing.B, d time.Duration) (list []arrival) {
	b.Helper()
	v := nodetest.NewVirtual(b, crowdConfig(b, &node.Journal{Writer: io.Discard}), 64)
	v.Heard = func(from netcore.Addr, data []byte) { list = append(list, arrival{v.Now, from, data}) }
	v.Run(b, d)
	require.NoError(b, v.Server.Close())
	return list
}

// sessionEntropy gives a server without a journal the random bytes of sessions. Its second read is
// for the cookies of queries.
type sessionEntropy struct {
	io.Reader
	reads int
}

func (e *sessionEntropy) Read(b []byte) (int, error) {
	if e.reads++; e.reads == 2 {
		return len(b), nil
	}
	return e.Reader.Read(b)
}

// A listener is a server that gets the datagrams of arrivals.
type listener struct {
	nodetest.Virtual
	rest []arrival
	sum  uint32 // of all datagrams of the server
}

// newListener makes a listener with a journal in a folder, or, with "", without one.
func newListener(b *testing.B, list []arrival, folder string) *listener {
	b.Helper()
	l, table := &listener{rest: list}, crc32.MakeTable(crc32.Castagnoli)
	edge := l.Edge(1, func(_ netcore.Addr, data []byte) { l.sum = crc32.Update(l.sum, table, data) })
	var j *node.Journal
	if folder != "" {
		j = &node.Journal{Folder: folder}
	} else { // the same sessions as with a journal, which has their random bytes from a key
		var key [32]byte
		_, err := io.ReadFull(edge.Entropy, key[:])
		require.NoError(b, err)
		edge.Entropy = &sessionEntropy{Reader: rand.NewChaCha8(key)}
	}
	var err error
	l.Server, err = node.NewServerOn(crowdConfig(b, j), edge)
	require.NoError(b, err)
	return l
}

// play runs the server until a time. It returns the CPU time of the process.
func (l *listener) play(b *testing.B, until time.Duration) time.Duration {
	began := processTime(b)
	for ; l.Now < until; l.Now += time.Millisecond {
		for ; len(l.rest) > 0 && l.rest[0].at == l.Now; l.rest = l.rest[1:] {
			l.Server.Receive(l.rest[0].from, l.rest[0].data)
		}
		require.NoError(b, l.Server.Step())
	}
	return processTime(b) - began
}

// BenchmarkJournalOfServer runs two servers that get the same datagrams of 64 clients and send the
// same: one with a journal in a folder. They take turns after each quarter of a second, so that
// other load of the machine meets both. It reports the CPU times of the process after the joins,
// which include the goroutine of the file.
func BenchmarkJournalOfServer(b *testing.B) {
	const slice, warm, length = 250 * time.Millisecond, 4 * time.Second, 30 * time.Second
	list := arrivals(b, warm+length)
	var spent [2]time.Duration
	turn := 0
	for b.Loop() {
		pair := [2]*listener{newListener(b, list, ""), newListener(b, list, b.TempDir())}
		for until := slice; until <= warm+length; until += slice {
			for _, i := range [][]int{{0, 1}, {1, 0}}[turn%2] {
				if took := pair[i].play(b, until); until > warm {
					spent[i] += took
				}
			}
			turn++
		}
		require.Equal(b, pair[0].sum, pair[1].sum)
		for _, l := range pair {
			require.NoError(b, l.Server.Close())
		}
	}
	seconds := float64(b.N) * length.Seconds()
	b.ReportMetric(1000*spent[0].Seconds()/seconds, "ms/s-without")
	b.ReportMetric(1000*spent[1].Seconds()/seconds, "ms/s-with")
	b.ReportMetric(100*(spent[1].Seconds()/spent[0].Seconds()-1), "%journal")
	b.ReportMetric(0, "ns/op")
}
