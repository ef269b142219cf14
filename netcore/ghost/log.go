package ghost

import (
	"fmt"

	"github.com/torc-engine/torc/netcore"
)

// logGhosts logs the ghosts of the packet that was just written.
func (g *Stream) logGhosts() {
	if !g.conn.Logs(netcore.LogItems) {
		return
	}
	for kind := range g.packet.lists {
		for _, it := range g.packet.lists[kind].items {
			id := int(it.id)
			logGhost(g.conn, "<-", itemKind(kind), uint32(id), g.snapshots.Layout(g.table.obj[id]), it.mask, int(it.size))
		}
	}
}

// logGhost logs one ghost of a packet. l is nil if the class is no longer known. A kill has neither
// groups nor bits.
func logGhost(c *netcore.Conn, arrow string, kind itemKind, id uint32, l *Layout, mask uint32, bits int) {
	if !c.Logs(netcore.LogItems) {
		return
	}
	line := fmt.Sprintf("%v %s %s ghost %d", c.Addr(), arrow, kind, id)
	if l != nil {
		line += fmt.Sprintf(" (%s)", l.Name)
	}
	if kind != kindKill {
		line += fmt.Sprintf(", groups %#x: %d bits", mask, bits)
	}
	c.Logf(netcore.LogItems, "%s", line)
}
