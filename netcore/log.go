package netcore

import "fmt"

// Log levels: what net.log counts.
const (
	LogNothing = iota
	LogLife    // beginnings and ends of connections
	LogPackets // a line per packet, with its sections and their bits
	LogItems   // every event and ghost
)

// Log is where the net's own lines go. A nil *Log is silent. Print is called by
// the owner alone: what connections log while several pack at once is kept and
// printed afterwards, in id order.
type Log struct {
	Level int // LogNothing..LogItems; may be changed at any time
	Print func(line string)
}

// On reports whether lines of a level are wanted; ask before building one.
func (l *Log) On(level int) bool { return l != nil && l.Level >= level && l.Print != nil }

// Printf prints a line of a level, if wanted.
func (l *Log) Printf(level int, format string, args ...any) {
	if l.On(level) {
		l.Print(fmt.Sprintf(format, args...))
	}
}

func (c *Conn) logf(level int, format string, args ...any) {
	if c.cfg.Log.On(level) {
		c.print(fmt.Sprintf(format, args...))
	}
}

// print prints a line that is wanted, while packing not before the owner passes the packets on.
func (c *Conn) print(line string) {
	if c.packing {
		c.lines = append(c.lines, line)
		return
	}
	c.cfg.Log.Print(line)
}

// printLines prints what was kept while packing.
func (c *Conn) printLines() {
	for _, line := range c.lines {
		c.cfg.Log.Print(line)
	}
	clear(c.lines)
	c.lines = c.lines[:0]
}

// logItem prints an event that was written or read.
func (e *Events) logItem(arrow string, id EventID, bits int) {
	if e.conn == nil || !e.conn.cfg.Log.On(LogItems) {
		return
	}
	e.conn.print(fmt.Sprintf("%v %s event %s: %d bits", e.conn.cfg.Addr, arrow, e.cfg.Kinds.Name(id), bits))
}

// logGhost prints what a packet tells of a ghost. l is nil where the class is
// not known any more; a kill has neither groups nor bits.
func (c *Conn) logGhost(arrow string, kind ghostKind, id uint32, l *Layout, mask uint32, bits int) {
	if c == nil || !c.cfg.Log.On(LogItems) {
		return
	}
	line := fmt.Sprintf("%v %s %s ghost %d", c.cfg.Addr, arrow, kind, id)
	if l != nil {
		line += fmt.Sprintf(" (%s)", l.Name)
	}
	if kind != ghostKill {
		line += fmt.Sprintf(", groups %#x: %d bits", mask, bits)
	}
	c.print(line)
}

// logPacket prints a data packet: where it begins, and its sections' bits.
// header is the position at which the first section begins.
func (c *Conn) logPacket(arrow string, n, ack Seq, header, size int) {
	if !c.cfg.Log.On(LogPackets) {
		return
	}
	line := fmt.Sprintf("%v %s data %d ack %d: header %d", c.cfg.Addr, arrow, n, ack, header+8*clearBytes)
	from := header
	for i, to := range c.marks {
		line += fmt.Sprintf(", %s %d", c.sectionName(i), to-from)
		from = to
	}
	c.print(fmt.Sprintf("%s bits, %d bytes", line, size))
}

func (c *Conn) sectionName(i int) string { return streamName(c.section(i)) }
