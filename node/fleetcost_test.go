package node_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/node/nodetest"
)

// A quietBus is a line to a fleet without other servers. It has the news that a benchmark gives it.
type quietBus struct{ news []bus.News }

func (b *quietBus) Do(o bus.Order) {
	if f, is := o.(bus.Follow); is {
		b.news = append(b.news, bus.News{Loaded: &bus.Loaded{Group: f.Group, Epoch: bus.Epoch{Count: 1, ID: 1}}})
	}
}

func (b *quietBus) Take() []bus.News {
	news := b.news
	b.news = nil
	return news
}

func (b *quietBus) Close(time.Duration) error { return nil }

// BenchmarkTickOfAFleet runs ticks of a server without players: without a fleet, in one that is
// idle, and with one value, and a hundred, of another server in each tick.
func BenchmarkTickOfAFleet(b *testing.B) {
	for _, c := range []struct {
		name   string
		fleet  bool
		values int
	}{{"none", false, 0}, {"idle", true, 0}, {"one", true, 1}, {"hundred", true, 100}} {
		b.Run(c.name, func(b *testing.B) {
			line := &quietBus{news: []bus.News{{Line: &bus.Line{Up: true, Sync: "always"}}}}
			cfg := node.Config{Server: node.ServerConfig{Load: []string{"ctf"}}}
			if c.fleet {
				cfg.Server.Fleet = &node.Fleet{Name: "arena-1", Advertise: "127.0.0.1:1", Open: func(bus.Server) (bus.Bus, error) { return line, nil }}
			}
			v := nodetest.NewVirtual(b, cfg, 0)
			rev := bus.Revision(0)
			tick := func() {
				v.Now += engine.TickTime
				for i := range c.values {
					rev++
					line.news = append(line.news, bus.News{Changed: &bus.Changed{
						Group: bus.Group{Bucket: bus.Shared, Name: "ctf"}, Epoch: bus.Epoch{Count: 1, ID: 1},
						Value: bus.Value{Key: keys[i], Data: []byte{1, 'i', 20}, Rev: rev, Owner: "arena-2"},
					}})
				}
				require.NoError(b, v.Server.Step())
			}
			for range 100 {
				tick()
			}
			b.ReportAllocs()
			for b.Loop() {
				tick()
			}
		})
	}
}

// keys are those of the values.
var keys = func() (list [100]string) {
	for i := range list {
		list[i] = "k" + string(rune('0'+i/10)) + string(rune('0'+i%10))
	}
	return list
}()
