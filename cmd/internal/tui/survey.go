package tui

import (
	"time"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game/scene"
)

// A survey turns the visible things of a world into markers.
type survey struct {
	world  *sim.World
	reader *scene.Reader
	things []scene.Thing
	centre sim.Vec3 // the last known centre
}

func newSurvey(w *sim.World) *survey { return &survey{world: w, reader: scene.NewReader(w)} }

// look fills s with the visible objects, back of a tick ago. own is the object that this client
// controls, or nil.
func (v *survey) look(s *Scene, own sim.Object, back float64, now time.Duration) {
	s.Things, s.Body = s.Things[:0], Body{Health: -1, Energy: -1, Ride: -1}
	if own != nil {
		v.body(&s.Body, own, back)
		v.centre = s.Body.At
	}
	v.things = v.reader.Read(v.things[:0], own, back, now)
	for i := range v.things {
		s.add(&v.things[i])
	}
	if own == nil && v.centre == (sim.Vec3{}) && len(s.Things) > 0 {
		v.centre = s.Things[0].At
	}
	s.Centre = v.centre
}

// body fills b with the state of the controlled object.
func (v *survey) body(b *Body, own sim.Object, back float64) {
	t, ok := v.reader.Thing(own, back)
	if !ok {
		return
	}
	b.Known, b.At, b.Yaw, b.Speed = true, t.Position, t.Rotation.Yaw, t.Velocity.Len()
	b.Team, b.Health, b.Energy = t.Team, t.Health, t.Energy
	ride := v.world.Find(t.Mount)
	if ride == nil {
		return
	}
	if t, ok := v.reader.Thing(ride, back); ok {
		b.Ride, b.Speed = t.Health, t.Velocity.Len()
	}
}

// add adds the marker of a thing. Of a vehicle and its riders, only the vehicle is drawn.
func (s *Scene) add(t *scene.Thing) {
	if t.Kind == scene.Person && t.Mount != 0 && !t.Own {
		return
	}
	if t.Fade >= scene.FadedFrom && !t.Own {
		return // a character cannot be half visible
	}
	m := Marker{
		Kind: t.Kind, At: t.Position, Size: t.Size, Yaw: t.Rotation.Yaw, Team: t.Team, Name: Plain(t.Name),
		Own: t.Own, Down: t.Down(), Look: t.Look, States: t.States, State: t.State,
	}
	if t.Kind == scene.Burst {
		m.Size.X *= t.Age
	}
	s.Things = append(s.Things, m)
}
