package look

import "github.com/torc-engine/torc/engine/sim"

// Plain returns the elements for a program without this package: each has its kind and all its
// attributes by name. A vector or a rotation is a list of three numbers, and a colour is a number.
func (l *Look) Plain() []any {
	all := make([]any, len(l.Elements))
	for i := range l.Elements {
		e := &l.Elements[i]
		m := map[string]any{"kind": e.Kind.String()}
		for _, n := range uses[e.Kind] {
			m[rows[n].name] = rows[n].plain(e)
		}
		all[i] = m
	}
	return all
}

func (a *attribute) plain(e *Element) any {
	switch p := a.at(e).(type) {
	case *float64:
		return *p
	case *sim.Vec3:
		return []any{p.X, p.Y, p.Z}
	case *sim.Rot:
		return []any{p.Yaw, p.Pitch, p.Roll}
	case *bool:
		return *p
	case *string:
		return *p
	}
	return int(*a.at(e).(*Color))
}
