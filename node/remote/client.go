package remote

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"
)

// maxMessage is the largest line of a server in bytes: more than its buffer for one client.
const maxMessage = 2 << 20

// maxSilence is how long a server says nothing at all while a request waits. A server that works on
// the request gives signs of life.
const maxSilence = 10 * time.Second

// Link is a connection to a running server.
type Link struct {
	conn    net.Conn
	lines   chan string // from the server; closed at the end of the connection
	sent    int         // requests
	silence *time.Timer // runs while a request waits
}

// errSilent means that the process of the server does not run, or cannot take the connection.
var errSilent = fmt.Errorf("the server has said nothing for %d s: it is stopped, or has no file descriptors left", maxSilence/time.Second)

// errGone means that the server ended without a goodbye.
var errGone = errors.New("the connection to the server was lost")

// Dial connects to the server whose socket is at path. It fails if no server runs there.
func Dial(path string) (*Link, error) {
	conn, err := net.Dial("unix", path)
	if err != nil {
		return nil, err
	}
	return newLink(conn), nil
}

func newLink(conn net.Conn) *Link {
	c := &Link{conn: conn, lines: make(chan string, 64), silence: time.NewTimer(0)}
	c.silence.Stop()
	go c.read()
	return c
}

func (c *Link) read() {
	defer close(c.lines)
	lines := bufio.NewScanner(c.conn)
	lines.Buffer(nil, maxMessage)
	for lines.Scan() {
		c.lines <- lines.Text()
	}
}

// Close ends the connection.
func (c *Link) Close() error {
	err := c.conn.Close()
	for range c.lines { // until the reader ends
	}
	return err
}

// send sends a request, on one line, and returns its answer, which is still empty. Reading the
// answer reports a lost connection. A server that is stopped takes no bytes any more.
func (c *Link) send(verb, text string) *answer {
	c.sent++
	a := &answer{number: strconv.Itoa(c.sent)}
	_ = c.conn.SetWriteDeadline(time.Now().Add(maxSilence))
	_, _ = fmt.Fprintf(c.conn, "%s %s %s\n", a.number, verb, strings.ReplaceAll(text, "\n", " "))
	return a
}

// wait reads lines until an answer is complete.
func (c *Link) wait(a *answer) error {
	defer c.silence.Stop()
	for {
		c.silence.Reset(maxSilence)
		select {
		case line, open := <-c.lines:
			if !open {
				return errGone
			}
			if a.take(line) {
				return nil
			}
		case <-c.silence.C:
			return errSilent
		}
	}
}

// Backup makes the server copy the stored values of its mods to a file of this name. It returns the
// path.
func (c *Link) Backup(name string) (path string, err error) {
	a := c.send(Backup, name)
	if err := c.wait(a); err != nil {
		return "", err
	}
	return strings.Join(a.text, "\n"), a.err
}

// Run runs one line. It returns the output, and why the line failed; "" if it did not. err means
// that the server has ended, or hangs.
func (c *Link) Run(line string) (out, failed string, err error) {
	a := c.send("run", line)
	if err := c.wait(a); err != nil {
		return "", "", err
	}
	if a.err != nil {
		failed = a.err.Error()
	}
	return strings.Join(a.text, "\n"), failed, nil
}

// An answer is the server's answer to a request.
type answer struct {
	number string
	text   []string
	more   bool // a chunk is unfinished
	wrong  bool // the typed line failed; text holds the error
	err    error
}

// take adds a line. It reports whether the answer is complete. An answer with dropped lines is
// complete.
func (a *answer) take(line string) (complete bool) {
	if text, ok := strings.CutPrefix(line, " "); ok {
		a.text = append(a.text, text)
		return false
	}
	if why, ok := strings.CutPrefix(line, "error: "); ok {
		a.err = errors.New(why)
		return true
	}
	if line == alive {
		return false
	}
	how, rest, _ := strings.Cut(line, " ")
	number, why, _ := strings.Cut(rest, " ")
	if number != a.number { // nobody waits for this answer any more
		a.text = nil
		return dropped(line)
	}
	a.more, a.wrong = how == "more", how == "wrong"
	switch how {
	case "failed":
		a.err = errors.New(why)
	case "ok", "more", "wrong":
	default:
		a.err = fmt.Errorf("unknown answer %q from the server: is it another version of torc?", line)
	}
	return true
}

// dropped reports whether a line announces dropped lines.
func dropped(line string) bool {
	return strings.HasPrefix(line, "(") && strings.HasSuffix(line, " lines dropped)")
}
