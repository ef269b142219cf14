package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/internal/order"
	"github.com/torc-engine/torc/netcore/event"
)

// Limits of binds.
const (
	MaxBinds    = 16 // of a client
	MaxBindName = 32 // bytes
	maxBindMod  = 32
	maxBindText = 128
	// maxTold is how many binds a client keeps. The lanes of two mods can arrive in another order,
	// so the end of one bind can come after the beginning of many.
	maxTold = 4 * MaxBinds
)

// A Bind is a key that a mod asks a player for. To press it is to send the command of its name.
type Bind struct {
	Mod  string
	Name string // of the command: 1 to 32 letters, digits or _
	Key  Key
	Text string // what it does, for the player
}

// A Key is a key that a mod can ask for: A to Z, 0 to 9, F1 to F12.
type Key uint8

const (
	keySigns = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	numKeys  = Key(len(keySigns) + 12)
)

func (k Key) String() string {
	if int(k) < len(keySigns) {
		return keySigns[k : k+1]
	}
	return fmt.Sprint("F", int(k)-len(keySigns)+1)
}

// ParseKey returns the key with a name such as I, i, 7 or F5.
func ParseKey(name string) (Key, error) {
	for k := range numKeys {
		if strings.EqualFold(k.String(), name) {
			return k, nil
		}
	}
	return 0, fmt.Errorf("the key must be A…Z, 0…9 or F1…F12, got %.32q", name)
}

// check returns what is wrong with a bind.
func (b *Bind) check() error {
	wrong := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_')
	}
	switch {
	case b.Name == "" || len(b.Name) > MaxBindName || strings.ContainsFunc(b.Name, wrong):
		return fmt.Errorf("the name must be 1 to %d letters, digits or _, got %.64q", MaxBindName, b.Name)
	case len(b.Text) > maxBindText:
		return fmt.Errorf("the text has %d bytes: must be at most %d", len(b.Text), maxBindText)
	}
	return nil
}

// clean makes the text harmless and readable. A bind without one has its name.
func (b *Bind) clean() {
	if b.Text = console.Readable(b.Text); b.Text == "" {
		b.Text = b.Name
	}
}

// Binds are the keys that mods ask a player for: on a server those of its client, on a client those
// that the server has told it.
type Binds struct {
	conn *Connection
	list []ownedBind // the oldest first
}

// ownedBind is a bind with the value that can end it; nil on a client.
type ownedBind struct {
	Bind
	owner any
}

// Binds returns the binds of the connection.
func (c *Connection) Binds() *Binds { return &c.Forms().binds }

// Ask asks the player for a key. The mod's bind of the same name has this key and text from now on.
// The owner can end all of its binds, and must be comparable.
func (s *Binds) Ask(owner any, b Bind) error {
	c := s.conn
	b.clean()
	switch err := b.check(); {
	case err != nil:
		return err
	case !canServe || !c.inbound || c.spectator:
		return errors.New("only a player of this server has keys")
	case c.ended || c.over():
		return errors.New("the connection has ended")
	}
	if err := c.forms.behind(b.Mod); err != nil {
		return err
	}
	i := s.find(b.Mod, b.Name)
	if i < 0 {
		if err := s.makeRoom(b.Mod); err != nil {
			return err
		}
		i, s.list = len(s.list), append(s.list, ownedBind{})
	}
	known := s.list[i].Bind == b
	if s.list[i] = (ownedBind{b, owner}); !known {
		s.send(&bindChange{Bind: b, on: true})
	}
	return nil
}

// find returns the index of a mod's bind, or -1. Commands have no case.
func (s *Binds) find(mod, name string) int {
	return slices.IndexFunc(s.list, func(b ownedBind) bool { return b.Mod == mod && strings.EqualFold(b.Name, name) })
}

// makeRoom makes room for another bind of a mod: the mod with the most binds, if it has more than
// this one would have, loses its oldest one.
func (s *Binds) makeRoom(mod string) error {
	if len(s.list) < MaxBinds {
		return nil
	}
	count := map[string]int{}
	for _, b := range s.list {
		count[b.Mod]++
	}
	oldest := 0
	for i, b := range s.list {
		if count[b.Mod] > count[s.list[oldest].Mod] {
			oldest = i
		}
	}
	if count[s.list[oldest].Mod] <= count[mod]+1 {
		return fmt.Errorf("the client has %d binds: end one with unbind first", len(s.list))
	}
	s.remove(oldest)
	return nil
}

// remove ends a bind by its index.
func (s *Binds) remove(i int) {
	b := s.list[i].Bind
	s.list = slices.Delete(s.list, i, i+1)
	s.send(&bindChange{Bind: Bind{Mod: b.Mod, Name: b.Name}})
}

// End ends a mod's bind of a name, and reports whether there was one.
func (s *Binds) End(mod, name string) bool {
	i := s.find(mod, name)
	if i >= 0 {
		s.remove(i)
	}
	return i >= 0
}

// EndOf ends the binds of an owner, or all binds if it is nil.
func (s *Binds) EndOf(owner any) {
	for i := len(s.list) - 1; i >= 0; i-- {
		if owner == nil || s.list[i].owner == owner {
			s.remove(i)
		}
	}
}

// send tells the client of a change, in the lane of the mod.
func (s *Binds) send(b *bindChange) { s.conn.forms.send(b.Mod, &formEvent{use: formBind, bind: b}) }

// Told returns the binds that this client knows, by mod and name: the order in which those of two
// mods arrive means nothing.
func (s *Binds) Told() []Bind {
	list := make([]Bind, len(s.list))
	for i, b := range s.list {
		list[i] = b.Bind
	}
	order.By(list, func(a, b Bind) int { return cmp.Or(cmp.Compare(a.Mod, b.Mod), cmp.Compare(a.Name, b.Name)) })
	return list
}

// receive takes a change that the server tells. A bind beyond the limit replaces the oldest one.
func (s *Binds) receive(b *bindChange) error {
	b.clean()
	if err := b.check(); err != nil {
		return err
	}
	i := s.find(b.Mod, b.Name)
	switch {
	case b.on && i >= 0:
		s.list[i].Bind = b.Bind
	case b.on:
		if len(s.list) == maxTold {
			s.list = slices.Delete(s.list, 0, 1)
		}
		s.list = append(s.list, ownedBind{Bind: b.Bind})
	case i >= 0:
		s.list = slices.Delete(s.list, i, i+1)
	}
	s.changed()
	return nil
}

// endAll forgets the binds, when the connection has ended.
func (s *Binds) endAll() {
	if len(s.list) == 0 {
		return
	}
	s.list = nil
	s.changed()
}

// changed tells the program of a client.
func (s *Binds) changed() {
	if f := s.conn.host.cfg.Binds; f != nil && !s.conn.inbound {
		f(s.conn, s.Told())
	}
}

// bindChange is a bind on its way to the client, or its end.
type bindChange struct {
	Bind
	on bool
}

// serialize codes a change.
//
//	text(32) mod, text(32) name, flag on: ranged 0..47 key, text(128) text
func (b *bindChange) serialize(s *event.Codec) {
	s.Text(&b.Mod, maxBindMod)
	s.Text(&b.Name, MaxBindName)
	if !s.Flag(&b.on) {
		return
	}
	key := int(b.Key)
	s.Int(&key, 0, int(numKeys)-1)
	b.Key = Key(key)
	s.Text(&b.Text, maxBindText)
}
