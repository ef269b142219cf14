package engine

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/ghost"
)

// ghostLinesMost is the most ghosts that the console lists; a table can have 65,536.
const ghostLinesMost = 200

// An Inspector shows people what the peers of a host see and get: as lines of text, and as views.
type Inspector struct{ host *Host }

// bind registers the commands that inspect connections.
func (i *Inspector) bind(c *console.Console) error {
	for _, cmd := range []struct {
		name, help string
		lines      func(*Connection) []string
	}{
		{"ghosts", "lists the ghosts of a connection and their state", i.GhostLines},
		{"scope", "shows the camera of a connection and the objects in its scope", i.ScopeLines},
		{"net", "shows rate, bytes, round-trip time, loss and queues of a connection, and the cost of each ghost class", i.NetLines},
		{"moves", "shows the control object of a connection and statistics of its moves", i.MoveLines},
		{"radar", "draws what a connection sees", func(c *Connection) []string { return i.Radar(c, RadarWidth, RadarHeight) }},
	} {
		err := c.Register(console.Command{
			Name: cmd.name, Params: "[ID|NAME]", Help: cmd.help, Complete: i.completePeer,
			Run: func(args []string) (string, error) {
				peer, err := i.peer(cmd.name, args)
				if err != nil {
					return "", err
				}
				return strings.Join(cmd.lines(peer), "\n"), nil
			},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// peer returns the connection that a command names, by id or by name. The name can also be as
// players prints it. Without a name, it returns the only connection.
func (i *Inspector) peer(command string, args []string) (*Connection, error) {
	h := i.host
	if len(args) > 1 {
		return nil, fmt.Errorf("usage: %s [ID|NAME]", command)
	}
	if len(args) == 0 {
		switch len(h.conns) {
		case 0:
			return nil, errors.New("no connection")
		case 1:
			return h.conns[0], nil
		}
		return nil, fmt.Errorf("ambiguous connection: use one of %s", strings.Join(i.completePeer([]string{""}), ", "))
	}
	id, err := strconv.ParseUint(args[0], 10, 32)
	for _, c := range h.conns {
		if err == nil && c.ID() == sim.ID(id) {
			return c, nil
		}
	}
	for _, c := range h.conns {
		if strings.EqualFold(peerName(c), args[0]) || strings.EqualFold(c.PlayerName, args[0]) {
			return c, nil
		}
	}
	return nil, fmt.Errorf("no connection has the id or name %s", console.Quote(args[0]))
}

// peerName returns a one-word name of a connection: the player's name, or "server".
func peerName(c *Connection) string {
	if !c.inbound {
		return "server"
	}
	return playerName(c.PlayerName)
}

func (i *Inspector) completePeer(args []string) (names []string) {
	if len(args) != 1 {
		return nil
	}
	for _, c := range i.host.conns {
		if name := peerName(c); strings.HasPrefix(strings.ToLower(name), strings.ToLower(args[0])) {
			names = append(names, name)
		}
	}
	return names
}

// GhostLines lists a connection's ghosts. First come the ghosts sent to the peer, as ID STATE
// PRIORITY OBJECT, then the ghosts received from it, as ID OBJECT.
func (i *Inspector) GhostLines(c *Connection) []string {
	if c.ghosts == nil {
		return []string{"no ghosts yet"}
	}
	states := map[ghost.Status]int{}
	var shown, here []string
	c.ghosts.Each(func(id int, n uint32, state ghost.Status) {
		states[state]++
		if len(shown) < ghostLinesMost {
			shown = append(shown, i.ghostLine(c, id, n, state))
		}
	})
	c.PeerGhosts.Each(func(o sim.Object) bool {
		id, _ := c.PeerGhosts.IDOf(o)
		here = append(here, fmt.Sprintf("%d %s", id, objectName(o)))
		return len(here) < ghostLinesMost
	})
	lines := []string{fmt.Sprintf("sent to the peer: %d (%d new, %d being created, %d live, %d being killed), %d with changes to send",
		c.ghosts.Len(), states[ghost.Unsent], states[ghost.Creating], states[ghost.Live],
		states[ghost.Dying]+states[ghost.Dead], c.ghosts.Pending())}
	lines = append(lines, cutList(shown, c.ghosts.Len())...)
	lines = append(lines, fmt.Sprintf("received from the peer: %d", c.PeerGhosts.Count()))
	return append(lines, cutList(here, c.PeerGhosts.Count())...)
}

func (i *Inspector) ghostLine(c *Connection, id int, n uint32, state ghost.Status) string {
	o := i.host.ObjectOf(n)
	if n == 0 || o == nil {
		return fmt.Sprintf("%d %s", id, state)
	}
	return fmt.Sprintf("%d %s %d %s", id, state, c.Visible.weight(n), objectName(o))
}

// cutList adds a line with the number of omitted lines.
func cutList(lines []string, all int) []string {
	if left := all - len(lines); left > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", left))
	}
	return lines
}

// objectName returns a printable name of an object. Names can come from a peer.
func objectName(o sim.Object) string { return console.Clean(o.Ident().String()) }

// ScopeLines describes a connection's camera and view, and the objects in its scope by class.
func (i *Inspector) ScopeLines(c *Connection) []string {
	v := &c.Visible
	switch v.stage {
	case stageOff:
		return []string{"nothing: this side sends the peer no objects"}
	case stageAlways:
		return append([]string{"only objects that are always in scope: the peer is still joining"}, v.countLines()...)
	}
	return append(v.cameraLines(), v.countLines()...)
}

func (v *VisibleSet) cameraLines() []string {
	from := "no scope object: everything is in range"
	if k := &v.camera; k.on {
		what := "the last position of its scope object"
		if o := living(k.object); o != nil {
			what = objectName(o)
		} else if o := living(k.control); o != nil && k.object == nil {
			what = objectName(o)
		}
		at, look := k.at.vec(), k.look.vec()
		from = fmt.Sprintf("from %s, at %.1f %.1f %.1f, looking %.2f %.2f %.2f", what, at.X, at.Y, at.Z, look.X, look.Y, look.Z)
	}
	view := fmt.Sprintf("view %g m, %g degrees", v.view.Distance, v.view.FOV)
	if v.view.ViewOnly {
		view += ", nothing outside of it"
	}
	return []string{from, fmt.Sprintf("%s, groups %#x", view, v.groups)}
}

// countLines returns the counts of the entries, and of those in scope by class.
func (v *VisibleSet) countLines() []string {
	hidden, unasked, outside := 0, 0, 0
	for at := range v.entries {
		switch e := &v.entries[at]; {
		case v.in.has(e.number):
		case v.hides(e):
			hidden++
		case v.unasked(e):
			unasked++
		case v.waiting(at):
			outside++
		}
	}
	lines := []string{fmt.Sprintf("in scope %d, hidden by scripts %d, not evaluated yet %d, without room %d", v.in.len(), hidden, unasked, outside)}
	count := map[string]int{}
	var names []string
	for n := range v.in.all() {
		name := v.scope.sources[n].object.Ident().Class().Name
		if count[name]++; count[name] == 1 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		lines = append(lines, fmt.Sprintf("%s %d", name, count[name]))
	}
	return lines
}

// NetLines returns a connection's statistics, and the cost of each class of ghosts.
func (i *Inspector) NetLines(c *Connection) []string {
	if c.net == nil || c.ghosts == nil {
		return []string{"not connected yet"}
	}
	n, g := c.net.Stats(), c.ghosts.Stats()
	send, receive := c.net.SendRate(), c.net.ReceiveRate()
	lines := []string{
		fmt.Sprintf("rate: sends at most %v, receives %v", send, receive),
		fmt.Sprintf("line: carries %.0f kbit/s in packets of %d bytes; round trip %d ms, least %d, variation %d",
			c.net.LineRate()/1000, c.net.PacketSize(), c.Line.Ping(), c.net.LeastRTT().Milliseconds(), c.net.RTTVariation().Milliseconds()),
		fmt.Sprintf("sent %d packets, %d bytes; received %d packets, %d bytes", n.Sent, n.SentBytes, n.Received, n.ReceivedBytes),
		fmt.Sprintf("loss %.1f%%, %d packets in flight, %d events queued", 100*c.Line.Loss(), c.net.InFlight(), c.events.Queued()),
		fmt.Sprintf("ghosts: %d creates, %d updates (%d relative), %d kills, %d bytes; lost state sent again %d times, table full %d times",
			g.Creates, g.Updates, g.Relative, g.Kills, (g.Bits+7)/8, g.Requeued, g.Full),
	}
	return append(lines, i.classLines(c)...)
}

// classLines returns a line for each class with ghosts in either direction: the number of ghosts,
// and the mean cost of a create and an update.
func (i *Inspector) classLines(c *Connection) (lines []string) {
	ghosts := map[*sim.Class]int{}
	c.ghosts.Each(func(_ int, n uint32, _ ghost.Status) {
		if o := i.host.ObjectOf(n); n != 0 && o != nil {
			ghosts[o.Ident().Class()]++
		}
	})
	here := map[*sim.Class]int{}
	c.PeerGhosts.Each(func(o sim.Object) bool { here[o.Ident().Class()]++; return true })
	for id := range maxClasses {
		class := i.host.world.Classes().ByWire(id)
		if class == nil {
			break
		}
		counts := c.ghosts.ClassStats(uint16(id))
		if counts.Sent != (ghost.ClassCount{}) || ghosts[class] > 0 {
			lines = append(lines, classLine("shows", class, ghosts[class], counts.Sent))
		}
		if counts.Received != (ghost.ClassCount{}) || here[class] > 0 {
			lines = append(lines, classLine("sees", class, here[class], counts.Received))
		}
	}
	return lines
}

// maxClasses is the number of class ids on the wire.
const maxClasses = 1 << 10

func classLine(verb string, class *sim.Class, ghosts int, n ghost.ClassCount) string {
	return fmt.Sprintf("%s %s: %d ghosts, %s, %s", verb, class.Name, ghosts,
		countOf("creates", n.Creates, n.CreateBits), countOf("updates", n.Updates, n.UpdateBits))
}

// countOf formats a count with the mean number of bits.
func countOf(things string, n, bits uint64) string {
	if n == 0 {
		return "0 " + things
	}
	return fmt.Sprintf("%d %s of %.1f bits", n, things, float64(bits)/float64(n))
}
