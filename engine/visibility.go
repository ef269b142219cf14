package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/torc-engine/torc/engine/hidden"
	"github.com/torc-engine/torc/engine/sim"
)

// The rules of visibility, in order. The first rule that applies decides:
//
//	never   a ghost goes back to the connection it came from
//	always  the scope object and its mount
//	never   objects hidden by scripts (their answer is cached)
//	always  scopeToClient
//	never   an object with scope groups, none of them the connection's
//	always  setScopeAlways
//	        distance, and the view under ViewOnly; an object without a place,
//	        or a connection without a camera, has neither

// A rule is the script settings of an object.
type rule struct {
	groups uint64
	weight float32
	always bool
}

// usualRule returns the default rule of an object.
func usualRule(o sim.Object) rule { return rule{weight: 0.5, always: o.Ident().Class().Always} }

// rule returns the settings of an object. It has no number until its fields are set and it is added
// to the world, and while its class changes: its settings then wait in pendingRules.
func (s *scope) rule(o sim.Object) rule {
	if n := o.Ident().Number(); n != 0 {
		b := &s.bodies[n]
		return rule{groups: b.groups, weight: b.weight, always: b.flags&bodyAlways != 0}
	}
	if r, ok := s.pendingRules[o.Ident().ID()]; ok {
		return r
	}
	return usualRule(o)
}

func (s *scope) setRule(o sim.Object, r rule) {
	was := s.rule(o)
	s.host.world.OnRollback(func() { s.setRule(o, was) })
	n := o.Ident().Number()
	if n == 0 {
		s.remember(o.Ident().ID(), r)
		return
	}
	b := &s.bodies[n]
	b.groups, b.weight = r.groups, r.weight
	b.flags &^= bodyAlways
	s.always.remove(n)
	if r.always {
		b.flags |= bodyAlways
		s.always.add(n)
	}
	s.updateBase(n)
	s.change(n)
}

func (s *scope) remember(id sim.ID, r rule) {
	if s.pendingRules == nil {
		s.pendingRules = map[sim.ID]rule{}
	}
	s.pendingRules[id] = r
}

// Rules say which connections see an object of the host, and which of its fields.
type Rules struct {
	host   *Host
	hidden hidden.Fields
	shown  []shownFields
}

// shownFields are fields of an object that are shown to a peer from the end of the tick on.
type shownFields struct {
	to     *VisibleSet
	object uint32
}

// SetAlways keeps a net object in scope at any distance, for every connection that its scope
// groups and scripts allow. A joining peer receives it before it plays. Playing peers receive it
// too.
func (r *Rules) SetAlways(o sim.Object) { r.setAlways(o, true) }

// ClearAlways reverts SetAlways.
func (r *Rules) ClearAlways(o sim.Object) { r.setAlways(o, false) }

func (r *Rules) setAlways(o sim.Object, on bool) {
	if of := r.host.scope.rule(o); of.always != on {
		of.always = on
		r.host.scope.setRule(o, of)
	}
}

// SetGroups sets the scope groups of a net object, as a mask of 64 groups. Only connections
// with a common group can see it. 0 makes it visible to all.
func (r *Rules) SetGroups(o sim.Object, groups uint64) {
	if of := r.host.scope.rule(o); of.groups != groups {
		of.groups = groups
		r.host.scope.setRule(o, of)
		r.review(o)
	}
}

// SetWeight sets the script part of a net object's update priority: 0…1, default 0.5.
func (r *Rules) SetWeight(o sim.Object, w float64) error {
	if !(w >= 0 && w <= 1) {
		return fmt.Errorf("a scope weight must be 0…1, got %v", w)
	}
	of := r.host.scope.rule(o)
	of.weight = float32(w)
	r.host.scope.setRule(o, of)
	return nil
}

// HideField hides a field of a net object from a connection, or shows it to this one only. nil
// stands for all connections without an own rule.
func (r *Rules) HideField(o sim.Object, c *Connection, field string, hide bool) error {
	of := hidden.Everybody
	if c != nil {
		of = c.ID()
	}
	undo, err := r.hidden.Set(o, of, field, hide)
	return r.hid(o, undo, err)
}

// ShowFieldTo hides a field of a net object from all connections but those with one of these scope
// groups. HideField with a connection takes precedence.
func (r *Rules) ShowFieldTo(o sim.Object, groups uint64, field string) error {
	undo, err := r.hidden.ShowTo(o, groups, field)
	return r.hid(o, undo, err)
}

// hid completes a change of a rule for a field.
func (r *Rules) hid(o sim.Object, undo func(), err error) error {
	if err != nil {
		return err
	}
	r.host.world.OnRollback(func() { undo(); r.updateHidden(o) })
	r.updateHidden(o)
	r.review(o)
	return nil
}

// review makes the recordings follow a changed rule.
func (r *Rules) review(o sim.Object) {
	for _, recorder := range r.host.Demos.recorders {
		recorder.Review(o.Ident().Number())
	}
}

func (r *Rules) updateHidden(o sim.Object) {
	for _, c := range r.host.conns {
		if c.ghosts != nil {
			c.Visible.follow(o)
		}
	}
}

// hideFields tells the ghost stream which groups of an object are hidden from the peer.
func (v *VisibleSet) hideFields(o sim.Object) {
	c := v.conn
	c.ghosts.Hide(o.Ident().Number(), c.host.Rules.hidden.Groups(o, c.ID(), v.groups))
}

// follow makes the ghost stream follow a changed rule. It hides fields at once, and it shows fields
// at the end of the tick: until then the snapshots have the values from before. The peer must never
// see those.
func (v *VisibleSet) follow(o sim.Object) {
	c, n := v.conn, o.Ident().Number()
	groups, was := c.host.Rules.hidden.Groups(o, c.ID(), v.groups), c.ghosts.Hidden(n)
	c.ghosts.Hide(n, groups|was)
	if was&^groups != 0 {
		c.host.Rules.shown = append(c.host.Rules.shown, shownFields{v, n})
	}
}

// showFields ends the secrecy of what follow has left hidden. The snapshots of the tick are taken.
func (r *Rules) showFields() {
	for _, s := range r.shown {
		if o := r.host.ObjectOf(s.object); o != nil {
			s.to.hideFields(o)
		}
	}
	clear(r.shown)
	r.shown = r.shown[:0]
}

// SetGroups sets the scope groups of this connection. The default is 0: it only sees objects
// without groups.
func (v *VisibleSet) SetGroups(groups uint64) {
	c := v.conn
	if was := v.groups; was != groups {
		c.host.world.OnRollback(func() { v.SetGroups(was) })
		v.groups, v.fresh = groups, true
		for id := range c.host.Rules.hidden.ByGroups {
			if o := c.host.world.Find(id); o != nil && c.ghosts != nil {
				v.follow(o)
			}
		}
	}
}

// Groups returns the scope groups of this connection.
func (v *VisibleSet) Groups() uint64 { return v.groups }

// ToClient keeps a net object in this connection's scope as long as it exists, regardless of
// distance and scope groups.
func (v *VisibleSet) ToClient(o sim.Object) {
	if !v.bound(o) {
		v.conn.host.world.OnRollback(func() { v.ClearToClient(o) })
	}
	if n := o.Ident().Number(); n != 0 {
		v.bind(n)
		return
	}
	v.bindEarly(o.Ident().ID())
}

// ClearToClient reverts ToClient.
func (v *VisibleSet) ClearToClient(o sim.Object) {
	if v.bound(o) {
		v.conn.host.world.OnRollback(func() { v.ToClient(o) })
	}
	delete(v.early, o.Ident().ID())
	if v.toClient.remove(o.Ident().Number()) {
		v.fresh = true
	}
}

// bound reports whether ToClient keeps an object in scope.
func (v *VisibleSet) bound(o sim.Object) bool {
	_, early := v.early[o.Ident().ID()]
	return early || v.toClient.has(o.Ident().Number())
}

// bindEarly binds an object as soon as it has a number.
func (v *VisibleSet) bindEarly(id sim.ID) {
	if v.early == nil {
		v.early = map[sim.ID]struct{}{}
	}
	v.early[id] = struct{}{}
}

func (v *VisibleSet) bind(n uint32) {
	if v.toClient.add(n) {
		v.fresh = true
	}
}

// adopt binds the objects that now have a number. Objects without a number can never become ghosts,
// so adopt drops them.
func (v *VisibleSet) adopt() {
	if len(v.early) == 0 {
		return
	}
	for _, id := range slices.Sorted(maps.Keys(v.early)) {
		if o := v.scope.host.world.Find(id); o != nil && o.Ident().Number() != 0 {
			v.bind(o.Ident().Number())
		}
	}
	clear(v.early)
}

// isCamera reports whether n is the camera's own object or its mount.
func (v *VisibleSet) isCamera(n uint32) bool { return n == v.camera.self || n == v.camera.mount }

// allows reports whether the connection may see an object, before scripts are asked.
func (v *VisibleSet) allows(n uint32, bound bool) bool {
	s := v.scope
	b := &s.bodies[n]
	if b.flags&bodyForeign != 0 && v.ghosted(s.sources[n].object) {
		return false
	}
	return bound || b.groups == 0 || b.groups&v.groups != 0 || v.isCamera(n)
}

// reaches reports whether an object is near enough. The limits are wider for an object already in
// scope.
func (v *VisibleSet) reaches(n uint32, known bool) bool {
	b := &v.scope.bodies[n]
	switch {
	case b.flags&bodyAlways != 0 || v.isCamera(n):
		return true
	case v.stage != stageOpen:
		return false
	case !v.camera.on || b.flags&bodyPlaced == 0:
		return true
	}
	reach := float32(v.view.Distance)
	if known {
		reach *= scopeSlack
	}
	reach += b.radius
	if b.at.sub(v.camera.at).square() > float32(reach*reach) {
		return false
	}
	return !v.view.ViewOnly || v.camera.holds(b.at, b.radius, known)
}

// ghosted reports whether an object is one of this connection's own ghosts.
func (v *VisibleSet) ghosted(o sim.Object) bool { return o.Ident().Group() == &v.conn.Group }
