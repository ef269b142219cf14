package engine

import (
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/event"
)

// A ModInfo identifies a mod of a server.
type ModInfo struct {
	Name    string // 1 to 32 bytes
	Version string // semantic version
}

// ServerInfo is what a client knows of the server of a connection.
type ServerInfo struct {
	Name string // from its hello
	Mods []ModInfo
	pace int // in percent; see Pace.TimeScale
}

const maxMods = 256 // a bound for the reader, above any real server

// hello is the first event from the server side of a connection: server name, tick number and mods.
type hello struct {
	server string
	tick   uint64
	mods   []ModInfo
}

func (e *hello) KindID() event.KindID { return helloID }

func (e *hello) Serialize(s *event.Codec) {
	s.Text(&e.server, 256)
	s.Var(&e.tick)
	n := len(e.mods)
	s.Int(&n, 0, maxMods)
	for i := 0; i < n && s.Err() == nil; i++ {
		if s.Reading() {
			e.mods = append(e.mods, ModInfo{})
		}
		s.Text(&e.mods[i].Name, 32)
		s.Text(&e.mods[i].Version, 64)
	}
}

func (e *hello) Process(n *netcore.Conn) error {
	return owner(n).inbox.add(e)
}

// run starts the connection on the client side.
func (e *hello) run(c *Connection) {
	c.Server.Name, c.Server.Mods = e.server, e.mods
	c.host.scripts.Accepted(c)
}
