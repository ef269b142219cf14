package fakebus

import (
	"fmt"
	"reflect"
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

// changed tells all servers who lives.
func (w *World) changed() {
	for _, m := range w.members {
		m.later(m.others())
	}
}

// others returns the other servers that live.
func (m *Member) others() bus.News {
	s := &bus.Servers{}
	for _, name := range m.world.names() {
		if name != m.self.Name {
			s.List = append(s.List, m.world.lives[name].Server)
		}
	}
	return bus.News{Servers: s}
}
