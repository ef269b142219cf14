package engine

import "fmt"

// A PlayerCamera is the camera of a connection's player. The client has it. A server can request a change.
type PlayerCamera struct {
	conn   *Connection
	fov    uint16 // the field of view to request from the peer, 0 for none
	person uint16 // personThird or personFirst to request from the peer, 0 for none
}

// The counts of stepView. A field of view is its degrees.
const (
	personThird uint16 = 256 + iota
	personFirst
)

// MaxFOV is the widest field of view of a camera in degrees.
const MaxFOV = 179

// SetFirstPerson changes the player's camera to first person or third person. A client tells the server. A
// server requests it from the client's program.
func (k *PlayerCamera) SetFirstPerson(on bool) {
	person := personThird
	if on {
		person = personFirst
	}
	if k.conn.inbound {
		k.person = person
	} else {
		k.apply(person)
	}
}

// SetFOV changes the field of view of the player's camera, in degrees, 1…MaxFOV. A client tells the server. A
// server requests it from the client's program.
func (k *PlayerCamera) SetFOV(degrees int) {
	degrees = min(max(degrees, 1), MaxFOV)
	if k.conn.inbound {
		k.fov = uint16(degrees)
	} else {
		k.apply(uint16(degrees))
	}
}

// apply changes this side's camera by the count of a stepView.
func (k *PlayerCamera) apply(count uint16) {
	c := k.conn
	if c.moves == nil || c.inbound {
		return
	}
	first, fov := c.moves.OwnView()
	switch {
	case count == personThird || count == personFirst:
		first = count == personFirst
	case 0 < count && count <= MaxFOV:
		fov = int(count)
	default:
		c.fail(fmt.Sprintf("unknown view %d", count))
	}
	c.moves.SetView(first, fov)
}

// View returns the player's camera: first person or third person, and the field of view in degrees, 1…MaxFOV.
// On a server it is what the client has reported.
func (k *PlayerCamera) View() (firstPerson bool, fov int) {
	c := k.conn
	switch {
	case c.moves == nil:
		return true, int(DefaultScopeView.FOV)
	case c.inbound:
		return c.moves.View()
	}
	return c.moves.OwnView()
}

// request sends the peer what scripts have requested since the last tick.
func (k *PlayerCamera) request() {
	for _, count := range [...]uint16{k.fov, k.person} {
		if count != 0 {
			k.conn.post(&phaseStep{stepView, 0, uint64(count)}, commands)
		}
	}
	k.fov, k.person = 0, 0
}
