package remote

import (
	"errors"
	"strings"
	"time"
)

// BeatTime is the time between two signs of life of a debugger.
const BeatTime = 5 * time.Second

// A Debugger is the client that debugs a mod. The owner reads its messages until they end.
type Debugger struct {
	link     *Link
	messages chan []byte
	printed  func(line string)
	err      error
}

// Debug makes the link the debugger of a mod. printed gets the console's output, on another
// goroutine. The error says why the server refuses.
func (c *Link) Debug(mod string, printed func(line string)) (*Debugger, error) {
	d := &Debugger{link: c, messages: make(chan []byte), printed: printed}
	a := c.send(Debug, mod)
	if err := c.wait(a); err != nil {
		return nil, err
	}
	if a.err != nil {
		return nil, a.err
	}
	c.send("attach", "")
	go d.read()
	return d, nil
}

// Close ends the connection. The server goes on.
func (d *Debugger) Close() error {
	err := d.link.conn.Close()
	for range d.messages { // until the reader ends
	}
	return err
}

// Messages returns the messages of the server. The channel is closed at the end of the connection.
func (d *Debugger) Messages() <-chan []byte { return d.messages }

// Err returns why Messages was closed.
func (d *Debugger) Err() error { return d.err }

// Send sends a message, which has no line breaks.
func (d *Debugger) Send(message []byte) { d.link.send(Message, string(message)) }

// Beat tells the server that the debugger lives.
func (d *Debugger) Beat() { d.link.send(Beat, "") }

// read passes on what comes from the server, and drops the answers to requests.
func (d *Debugger) read() {
	defer close(d.messages)
	d.err = errGone
	for line := range d.link.lines {
		switch {
		case strings.HasPrefix(line, "!"):
			d.messages <- []byte(line[1:])
		case strings.HasPrefix(line, "|"):
			d.printed(line[1:])
		case line == "bye":
			d.err = ErrEnded
		case strings.HasPrefix(line, "failed "):
			d.err = errors.New(line)
		case dropped(line):
			d.err = errors.New("the debugger was too slow for the server: " + line)
			return
		}
	}
}
