package netcore

import "fmt"

// The log levels of net.log.
const (
	LogOff         = iota
	LogConnections // start and end of connections
	LogPackets     // a line per packet, with its sections and their bits
	LogItems       // every event and ghost
)

// Log receives the log lines of the network code. A nil *Log is silent. Only the owner's goroutine
// calls Print. Lines that connections log while they pack in parallel are printed afterwards, in id
// order.
type Log struct {
	Level int // LogOff..LogItems; can be changed at any time
	Print func(line string)
}

// On reports whether lines of a level are logged. Ask before you build an expensive line.
func (l *Log) On(level int) bool { return l != nil && l.Level >= level && l.Print != nil }

// Printf logs a line if its level is on.
func (l *Log) Printf(level int, format string, args ...any) {
	if l.On(level) {
		l.Print(fmt.Sprintf(format, args...))
	}
}

// Logs reports whether lines of a level are logged. For a nil Conn it returns false.
func (c *Conn) Logs(level int) bool { return c != nil && c.cfg.Log.On(level) }

// Logf logs a line about this connection if its level is on. A stream can call it while it packs.
func (c *Conn) Logf(level int, format string, args ...any) {
	if c.Logs(level) {
		c.print(fmt.Sprintf(format, args...))
	}
}

// print logs a line. While the connection packs, print keeps the line until the owner calls pass.
func (c *Conn) print(line string) {
	if c.packing {
		c.lines = append(c.lines, line)
		return
	}
	c.cfg.Log.Print(line)
}

// printLines logs the lines kept while packing.
func (c *Conn) printLines() {
	for _, line := range c.lines {
		c.cfg.Log.Print(line)
	}
	clear(c.lines)
	c.lines = c.lines[:0]
}

// logPacket logs a data packet with its header and the size of its sections in bits. header is the
// bit position at which the first section begins.
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
