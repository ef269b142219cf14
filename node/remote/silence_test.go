package remote

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console/prompt"
)

// TestSilentServers: a server that is stopped takes the connection, and perhaps the bytes of a
// request, and says nothing. Every request ends after ten seconds with a reason.
func TestSilentServers(t *testing.T) {
	attach := func(c *Link) error { return c.Attach(newFakeTerm(), nil) }
	for name, request := range map[string]func(c *Link) error{
		"backup": func(c *Link) error { _, err := c.Backup("name"); return err },
		"run":    func(c *Link) error { _, _, err := c.Run("players"); return err },
		"debug":  func(c *Link) error { _, err := c.Debug("mod", nil); return err },
		"attach": attach,
	} {
		for reads, most := range map[bool]time.Duration{true: maxSilence, false: 2 * maxSilence} {
			t.Run(fmt.Sprintf("%s, reads %v", name, reads), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					here, there := net.Pipe()
					if reads {
						go func() {
							for in := bufio.NewScanner(there); in.Scan(); {
							}
						}()
					}
					c, start := newLink(here), time.Now()
					assert.Same(t, errSilent, request(c))
					assert.LessOrEqual(t, time.Since(start), most)
					require.NoError(t, there.Close())
					require.NoError(t, c.Close())
				})
			})
		}
	}
}

// TestLongAnswers: a server that works on a request for an hour is not silent, and neither is a
// prompt at which nobody types.
func TestLongAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New()
		c := s.Dial(User{})
		go func() {
			r := <-s.Requests()
			time.Sleep(time.Hour)
			r.Answer("done", nil)
		}()
		out, failed, err := c.Run("long")
		require.NoError(t, err)
		assert.Empty(t, failed)
		assert.Equal(t, "done", out)

		term := newFakeTerm()
		left := make(chan error)
		go func() { left <- c.Attach(term, nil) }()
		time.Sleep(time.Hour)
		term.in <- prompt.Input{Event: prompt.InputInterrupt}
		require.NoError(t, <-left)
		require.NoError(t, c.Close())
		require.NoError(t, s.Close())
	})
}

// fakeTerm is a prompt at which the test types.
type fakeTerm struct{ in chan prompt.Input }

func newFakeTerm() fakeTerm                   { return fakeTerm{make(chan prompt.Input)} }
func (f fakeTerm) Lines() <-chan prompt.Input { return f.in }
func (fakeTerm) Asks() <-chan prompt.Query    { return nil }
func (fakeTerm) Print(string)                 {}
func (fakeTerm) SetPrompt(string)             {}
func (fakeTerm) Close() error                 { return nil }

// TestLateAnswers: completions and the verdict about a line of the history count, however late the
// server gives them. A line without a verdict stays out of the history.
func TestLateAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New()
		at := asker{&attached{Link: s.Dial(User{}), term: newFakeTerm()}}
		go func() {
			for _, text := range []string{"0\nplayers\nplay", "no", "yes"} {
				r := <-s.Requests()
				time.Sleep(time.Hour)
				r.Answer(text, nil)
			}
			(<-s.Requests()).Answer("", io.ErrUnexpectedEOF)
		}()
		candidates, start := at.Complete("pl", 2)
		assert.Equal(t, []string{"players", "play"}, candidates)
		assert.Zero(t, start)
		assert.False(t, at.Secret("players"))
		assert.True(t, at.Secret("password x"))
		assert.True(t, at.Secret("players"), "an error is no verdict")
		require.NoError(t, s.Close())
		assert.True(t, at.Secret("players"), "the server is gone")
		require.NoError(t, at.Close())
	})
}
