package engine

import (
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
)

// A PlayerCamera is the camera of a connection's player. The client has it. A server can request a
// change.
type PlayerCamera struct {
	conn *Connection

	// To request from the peer at the end of this tick.
	person      bool // firstPerson has a value
	firstPerson bool
	fov         uint8 // 0: none
}

// MaxFOV is the widest field of view of a camera in degrees.
const MaxFOV = 179

// SetFirstPerson changes the player's camera to first person or third person. A client tells the
// server. A server requests it from the client's program. If a change of the world is open, both
// wait for its commit.
func (k *PlayerCamera) SetFirstPerson(on bool) {
	k.conn.host.world.OnCommit(func() {
		if k.conn.inbound {
			k.person, k.firstPerson = true, on
		} else {
			k.apply(&cameraRequest{firstPerson: on})
		}
	})
}

// SetFOV changes the field of view of the player's camera, in degrees, 1…MaxFOV. A client tells the
// server. A server requests it from the client's program. If a change of the world is open, both
// wait for its commit.
func (k *PlayerCamera) SetFOV(degrees int) {
	degrees = min(max(degrees, 1), MaxFOV)
	k.conn.host.world.OnCommit(func() {
		if k.conn.inbound {
			k.fov = uint8(degrees)
		} else {
			k.apply(&cameraRequest{fov: degrees})
		}
	})
}

// apply changes this side's camera.
func (k *PlayerCamera) apply(e *cameraRequest) {
	c := k.conn
	if c.moves == nil || c.inbound {
		return
	}
	first, fov := c.moves.OwnView()
	if e.fov != 0 {
		c.moves.SetView(first, e.fov)
	} else {
		c.moves.SetView(e.firstPerson, fov)
	}
}

// View returns the player's camera: first person or third person, and the field of view in degrees,
// 1…MaxFOV. On a server it is what the client has reported.
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
	if k.fov != 0 {
		k.conn.post(&cameraRequest{fov: int(k.fov)}, commands)
	}
	if k.person {
		k.conn.post(&cameraRequest{firstPerson: k.firstPerson}, commands)
	}
	k.fov, k.person = 0, false
}

// A cameraRequest asks the client for another field of view, or for first person or third person.
type cameraRequest struct {
	fov         int // in degrees; 0: the other field has a value
	firstPerson bool
}

func (e *cameraRequest) KindID() event.KindID { return cameraID }

func (e *cameraRequest) Serialize(s *event.Codec) {
	wide := e.fov != 0
	if s.Flag(&wide); wide {
		s.Int(&e.fov, 1, MaxFOV)
	} else {
		s.Flag(&e.firstPerson)
	}
}

func (e *cameraRequest) Process(n *netcore.Conn) error { return owner(n).inbox.add(e) }

func (e *cameraRequest) run(c *Connection) { c.Camera.apply(e) }
