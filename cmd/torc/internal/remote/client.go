package remote

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
)

// Client is a connection to a running server.
type Client struct {
	conn  net.Conn
	lines *bufio.Scanner
}

// Dial connects to the server whose socket is at path. The error says nothing to people: there may just be no server.
func Dial(path string) (*Client, error) {
	conn, err := net.Dial("unix", path)
	if err != nil {
		return nil, err
	}
	c := &Client{conn: conn, lines: bufio.NewScanner(conn)}
	c.lines.Buffer(nil, 2*maxOutput)
	return c, nil
}

// Ask has the server run a console line, and waits for what it prints. The error is the line's own, or says that the
// server has gone.
func (c *Client) Ask(line string) (out string, err error) {
	if strings.Contains(line, "\n") || len(line) >= maxLine {
		return "", fmt.Errorf("it must be one line of less than %d bytes", maxLine)
	}
	if _, err := io.WriteString(c.conn, line+"\n"); err != nil {
		return "", c.gone(err)
	}
	var text []string
	for size := 0; c.lines.Scan() && size <= 2*maxOutput; {
		got := c.lines.Text()
		size += len(got) + 1
		if part, ok := strings.CutPrefix(got, " "); ok {
			text = append(text, part)
			continue
		}
		if why, failed := strings.CutPrefix(got, "error: "); failed {
			return strings.Join(text, "\n"), errors.New(why)
		}
		if got != "ok" {
			return "", fmt.Errorf("the server answers %q, which this torc does not understand", got)
		}
		return strings.Join(text, "\n"), nil
	}
	return "", c.gone(c.lines.Err())
}

func (c *Client) gone(err error) error {
	if err == nil {
		err = io.EOF
	}
	return fmt.Errorf("the server has gone before it answered: %w", err)
}

// Close ends the connection.
func (c *Client) Close() error { return c.conn.Close() }
