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

// Logs reports whether lines of a level are wanted. A nil Conn wants none.
func (c *Conn) Logs(level int) bool { return c != nil && c.cfg.Log.On(level) }

// Logf prints a line of a level about this connection, if lines of the level are wanted. A stream
// may call it while it packs.
func (c *Conn) Logf(level int, format string, args ...any) {
	if c.Logs(level) {
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

// logPacket prints a data packet: where it begins, and its sections' bits.
// header is the position at which the first section begins.
func (c *Conn) logPacket(arrow string, n, ack Seq, header, size int) {
	if !c.Logs(LogPackets) {
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
