package remote

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// maxMessage bounds a line of the server, in bytes: more than the most that it keeps for who does not read.
const maxMessage = 2 << 20

// Client is a connection to a running server.
type Client struct {
	conn  net.Conn
	lines chan string // what the server says, to the end of the connection
	sent  int         // requests
}

// errGone is the end of a server that has said nothing.
var errGone = errors.New("the server has gone without a word")

// Dial connects to the server whose socket is at path. The error says nothing to people: there may just be no server.
func Dial(path string) (*Client, error) {
	conn, err := net.Dial("unix", path)
	if err != nil {
		return nil, err
	}
	c := &Client{conn: conn, lines: make(chan string, 64)}
	go c.read()
	return c, nil
}

func (c *Client) read() {
	defer close(c.lines)
	lines := bufio.NewScanner(c.conn)
	lines.Buffer(nil, maxMessage)
	for lines.Scan() {
		c.lines <- lines.Text()
	}
}

// Close ends the connection.
func (c *Client) Close() error {
	err := c.conn.Close()
	for range c.lines { // until its reader has noticed
	}
	return err
}

// send makes a request and returns what to hear the answer with. That the server has gone is found out by who reads.
func (c *Client) send(verb, text string) *answer {
	c.sent++
	a := &answer{number: strconv.Itoa(c.sent)}
	_, _ = fmt.Fprintf(c.conn, "%s %s %s\n", a.number, verb, text)
	return a
}

// Backup has the server copy what mods have stored to a file of this name, and waits for where that is.
func (c *Client) Backup(name string) (path string, err error) {
	a := c.send(Backup, name)
	for line := range c.lines {
		if a.take(line) {
			return strings.Join(a.text, "\n"), a.err
		}
	}
	return "", errGone
}

// An answer is what the server says to a request.
type answer struct {
	number string
	text   []string
	more   bool // a chunk is unfinished
	err    error
}

// take adds a line, and reports whether the answer is complete: so is one of which lines were thrown away.
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
	if number != a.number { // nobody waits for it any more
		a.text = nil
		return dropped(line)
	}
	switch a.more = how == "more"; how {
	case "failed":
		a.err = errors.New(why)
	case "ok", "more":
	default:
		a.err = fmt.Errorf("the server answers %q, which this torc does not understand", line)
	}
	return true
}

// dropped reports whether a line says that others were thrown away.
func dropped(line string) bool {
	return strings.HasPrefix(line, "(") && strings.HasSuffix(line, " lines dropped)")
}
