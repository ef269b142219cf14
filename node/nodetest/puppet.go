package nodetest

import (
	"fmt"

	"github.com/torc-engine/torc/engine/sim"
)

// A puppet is a control object that notes the numbers of its moves. A move has its number as its
// yaw, so that the server can see which moves arrive and in which order.
type puppet struct {
	sim.NetObject
	At     sim.Vec3
	Newest uint16 // the number of the newest move
	heard  int16  // the newest move on the server: not part of the state
	done   int    // moves on the server
	fault  string // a broken rule; "" for none
}

const (
	puppetGroup  = 1
	puppetExtent = 1024
)

func (p *puppet) Place() sim.Place        { return sim.Place{Position: p.At, Radius: 1} }
func (p *puppet) Received(sim.Place)      {}
func (p *puppet) Interpolate(uint64)      {}
func (p *puppet) Driven()                 {}
func (p *puppet) Tick(uint64)             { p.Control(sim.Move{}) }
func (p *puppet) EyePoint() sim.Vec3      { return p.At }
func (p *puppet) Shown(float64) sim.Place { return p.Place() }

// Control moves the puppet by one move.
func (p *puppet) Control(m sim.Move) {
	if m.Yaw == 0 {
		return
	}
	if !p.IsGhost() {
		if m.Yaw <= p.heard && p.fault == "" {
			p.fault = fmt.Sprintf("move %d was applied after move %d", m.Yaw, p.heard)
		}
		p.heard = m.Yaw
		p.done++
	}
	p.Newest = uint16(m.Yaw)
	p.At.X = sim.Snap(p.At.X + float64(m.Forward()/16))
	if p.At.X > 500 {
		p.At.X = -500
	}
	p.Mark(1 << puppetGroup)
}

// CodeControl codes the state.
func (p *puppet) CodeControl(c sim.Coder) {
	at, newest := p.At, p.Newest
	c.FineVec(&at, puppetExtent)
	c.Turn(&newest)
	if c.Err() == nil {
		p.At, p.Newest = at, newest
	}
}

// registerPuppet adds the class to those of a node.
func registerPuppet(classes *sim.Classes) error {
	return classes.Register(sim.Class{
		Name: "Puppet", Parent: "NetObject", New: func() sim.Object { return new(puppet) }, Control: 1 << puppetGroup,
		Fields: []sim.Field{
			sim.VecField("at", puppetGroup, puppetExtent, func(p *puppet) *sim.Vec3 { return &p.At }).WithStep(sim.FineStep),
		},
	})
}
