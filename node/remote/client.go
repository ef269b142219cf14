package remote

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// maxMessage is the largest line of a server in bytes: more than its buffer for one client.
const maxMessage = 2 << 20

// Link is a connection to a running server.
type Link struct {
	conn  net.Conn
	lines chan string // from the server; closed at the end of the connection
	sent  int         // requests
}

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
	c := &Link{conn: conn, lines: make(chan string, 64)}
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
// answer reports a lost connection.
func (c *Link) send(verb, text string) *answer {
	c.sent++
	a := &answer{number: strconv.Itoa(c.sent)}
	_, _ = fmt.Fprintf(c.conn, "%s %s %s\n", a.number, verb, strings.ReplaceAll(text, "\n", " "))
	return a
}

// Backup makes the server copy the stored values of its mods to a file of this name. It returns the
// path.
func (c *Link) Backup(name string) (path string, err error) {
	a := c.send(Backup, name)
	for line := range c.lines {
		if a.take(line) {
			return strings.Join(a.text, "\n"), a.err
		}
	}
	return "", errGone
}

// Run runs one line. It returns the output, and why the line failed; "" if it did not. err means
// that the server has ended.
func (c *Link) Run(line string) (out, failed string, err error) {
	a := c.send("run", line)
	for text := range c.lines {
		if !a.take(text) {
			continue
		}
		if a.err != nil {
			failed = a.err.Error()
		}
		return strings.Join(a.text, "\n"), failed, nil
	}
	return "", "", errGone
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
