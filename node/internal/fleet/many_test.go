package fleet

import (
	"fmt"
	"testing"

	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// BenchmarkPresence takes a list of 250 servers of which one has changed.
func BenchmarkPresence(b *testing.B) {
	s, err := New(nil, Options{Joins: &Joins{Name: "hub"}})
	if err != nil {
		b.Fatal(err)
	}
	var list []bus.Server
	for i := range 250 {
		list = append(list, bus.Server{
			Name: fmt.Sprint("arena-", i), Key: seal.Key{byte(i), 1}, Address: "10.0.0.1:28000", Title: "A server", Mission: "valley", Mods: []string{"base", "ctf"},
			Own: map[string][]byte{"ctf": make([]byte, 100)},
		})
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		list[0].Players = i % 100
		s.presence.list, s.presence.byKey = s.presence.clean(list), map[seal.Key]*bus.Server{}
		for i := range s.presence.list {
			s.presence.byKey[s.presence.list[i].Key] = &s.presence.list[i]
		}
		s.merge()
		s.due = nil
	}
}
