package engine

import "github.com/torc-engine/torc/netcore"

// A ModInfo names a mod that a server runs.
type ModInfo struct {
	Name    string // a mod's name: 1 to 32 bytes
	Version string // SemVer
}

const maxMods = 256 // more than anybody runs, and a bound for the reader

// hello is the first event from the side that was called: who it is, where its
// clock stands, and which mods it runs.
type hello struct {
	server string
	tick   uint64
	mods   []ModInfo
}

func (e *hello) KindID() netcore.EventID { return helloID }

func (e *hello) Serialize(s *netcore.EventCodec) {
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
	return owner(n).arrived(e)
}

// run begins the connection on the calling side.
func (e *hello) run(c *Connection) {
	c.ServerName, c.ServerMods = e.server, e.mods
	c.host.scripts.Accepted(c)
}
