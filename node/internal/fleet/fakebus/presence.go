package fakebus

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// A life is the presence of a server.
type life struct {
	bus.Server
	until time.Duration
}

// claim takes the name of a server for its key.
func (w *World) claim(m *Member) error {
	if l := w.lives[m.self.Name]; l != nil && l.Key != m.self.Key {
		return fmt.Errorf("the fleet has a server %s already: it must have another name, or end first", m.self.Name)
	}
	w.present(m)
	return nil
}

// present notes the presence of a server.
func (w *World) present(m *Member) {
	name := m.self.Name
	before := w.lives[name]
	if before != nil && before.Key != m.self.Key {
		m.later(bus.News{Line: &bus.Line{Up: true, Warn: "another server of the fleet has the name " + name}})
		return
	}
	w.lives[name] = &life{m.self, w.now + bus.GoneAfter}
	w.after(bus.GoneAfter, func() {
		if l := w.lives[name]; l != nil && l.until <= w.now {
			delete(w.lives, name)
			w.changed()
		}
	})
	if before == nil || !reflect.DeepEqual(before.Server, m.self) {
		w.changed()
	}
}

// leave ends the presence of a server.
func (w *World) leave(m *Member) {
	if l := w.lives[m.self.Name]; l != nil && l.Key == m.self.Key {
		delete(w.lives, m.self.Name)
		w.changed()
	}
}

// changed tells all servers who lives, once for all that changes now.
func (w *World) changed() {
	if w.stale {
		return
	}
	w.stale = true
	w.after(0, func() {
		w.stale = false
		living := w.living()
		for _, m := range w.members {
			m.later(m.others(living))
		}
	})
}

// living returns the servers that live, by name.
func (w *World) living() []bus.Server {
	list := make([]bus.Server, 0, len(w.lives))
	for _, name := range slices.Sorted(maps.Keys(w.lives)) {
		list = append(list, w.lives[name].Server)
	}
	return list
}

// others returns the servers of a list but this one.
func (m *Member) others(list []bus.Server) bus.News {
	s := &bus.Servers{List: make([]bus.Server, 0, len(list))}
	for _, other := range list {
		if other.Name != m.self.Name {
			s.List = append(s.List, other)
		}
	}
	return bus.News{Servers: s}
}
