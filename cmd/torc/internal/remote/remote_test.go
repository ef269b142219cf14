package remote

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// socket is a path short enough for every system.
func socket(t *testing.T) string {
	dir, err := os.MkdirTemp("", "torc")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, Socket)
}

// echo answers lines with themselves, those that begin with fail with an error.
func echo(t *testing.T, path string) *Server {
	s, err := Listen(path)
	require.NoError(t, err)
	go func() {
		for {
			select {
			case r := <-s.Requests():
				if why, fails := strings.CutPrefix(r.Line, "fail "); fails {
					r.Answer("so far", errors.New(why))
				} else {
					r.Answer(strings.ReplaceAll(r.Line, "|", "\n"), nil)
				}
				r.Answer("again", nil)
			case <-s.closing:
				return
			}
		}
	}()
	return s
}

func dial(t *testing.T, path string) *Client {
	c, err := Dial(path)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

func TestLinesAreAnswered(t *testing.T) {
	path := socket(t)
	s := echo(t, path)
	c, other := dial(t, path), dial(t, path)
	for _, c := range []*Client{c, other, c} {
		for _, line := range []string{"players", "", " ok", "a|b", "|", "ok|error: no| x", strings.Repeat("x", maxLine-1)} {
			out, err := c.Ask(line)
			require.NoError(t, err, line)
			assert.Equal(t, strings.ReplaceAll(line, "|", "\n"), out)
		}
		out, err := c.Ask("fail two\tthings")
		assert.EqualError(t, err, "two\tthings")
		assert.Equal(t, "so far", out)
		_, err = c.Ask("two\nlines")
		assert.ErrorContains(t, err, "must be one line")
		_, err = c.Ask(strings.Repeat("x", maxLine))
		assert.ErrorContains(t, err, "less than 4096 bytes")
	}
	require.NoError(t, s.Close())
	_, err := c.Ask("x")
	assert.ErrorContains(t, err, "the server has gone before it answered")
	_, err = os.Stat(path)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestSocketIsForItsOwner(t *testing.T) {
	path := socket(t)
	s := echo(t, path)
	if runtime.GOOS != "windows" {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	require.NoError(t, s.Close())
}

// What a process that was killed has left is in nobody's way.
func TestStaleSocket(t *testing.T) {
	path := socket(t)
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, l.Close())
	_, err = Dial(path)
	require.Error(t, err)
	s := echo(t, path)
	out, err := dial(t, path).Ask("hello")
	require.NoError(t, err)
	assert.Equal(t, "hello", out)
	require.NoError(t, s.Close())
}

func TestWhatIsBounded(t *testing.T) {
	path := socket(t)
	s := echo(t, path)
	conn, err := net.Dial("unix", path)
	require.NoError(t, err)
	_, err = fmt.Fprintln(conn, strings.Repeat("x", maxLine+1))
	require.NoError(t, err)
	answer, err := bufio.NewReader(conn).ReadString('\n')
	require.NoError(t, err)
	assert.Equal(t, "error: a line has at most 4096 bytes\n", answer)
	conn.Close()

	var clients []*Client
	for range maxClients {
		c := dial(t, path)
		for _, err = c.Ask("x"); err != nil; _, err = c.Ask("x") { // the one before may still be leaving
			c = dial(t, path)
		}
		clients = append(clients, c)
	}
	_, err = dial(t, path).Ask("x")
	assert.Error(t, err)
	require.NoError(t, clients[0].Close())
	require.NoError(t, s.Close())
}

func TestLongOutputIsCut(t *testing.T) {
	path := socket(t)
	s, err := Listen(path)
	require.NoError(t, err)
	go func() { (<-s.Requests()).Answer(strings.Repeat("0123456789\n", 1<<17), nil) }()
	out, err := dial(t, path).Ask("x")
	require.NoError(t, err)
	assert.Less(t, len(out), maxOutput+100)
	assert.True(t, strings.HasSuffix(out, "\n(the rest is left out)"))
	require.NoError(t, s.Close())
}

// A server that closes lets go of who waits, whether its line was taken or not.
func TestCloseLeavesNobodyWaiting(t *testing.T) {
	path := socket(t)
	s, err := Listen(path)
	require.NoError(t, err)
	asked := make(chan error, 2)
	for range 2 {
		c := dial(t, path)
		go func() {
			_, err := c.Ask("x")
			asked <- err
		}()
	}
	r := <-s.Requests()
	require.NoError(t, s.Close())
	r.Answer("late", nil)
	assert.Error(t, <-asked)
	assert.Error(t, <-asked)
}
