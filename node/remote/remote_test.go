package remote

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/console/prompt"
	"github.com/torc-engine/torc/internal/testenv"
)

// socket returns a socket path that is short enough for every system.
func socket(t *testing.T) string {
	dir, err := os.MkdirTemp("", "torc")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return filepath.Join(dir, Socket)
}

// serve starts a server whose console has a few commands. It reads Lua chunks from "do" to "end".
func serve(t *testing.T, path string) *Listener {
	s := New()
	require.NoError(t, s.Listen(path))
	c := console.New(s.Print)
	for _, command := range []console.Command{
		{Name: "say", Run: func(args []string) (string, error) { c.Print(strings.Join(args, "\n")); return "said", nil }},
		{Name: "fail", Run: func([]string) (string, error) { return "so far", errors.New("two\nthings") }},
		{Name: "hide", Secret: true, Run: func([]string) (string, error) { return "", nil }},
	} {
		require.NoError(t, c.Register(command))
	}
	c.SetEval(func(chunk string) (string, bool, error) {
		if strings.HasPrefix(chunk, "do") && !strings.HasSuffix(chunk, "end") {
			return "", true, nil
		}
		return strings.ReplaceAll(chunk, "\n", "|"), false, nil
	})
	var current *Request
	require.NoError(t, c.Register(console.Command{Name: "slow", Run: func(args []string) (string, error) {
		answer := current.Later()
		go func() {
			var err error
			if len(args) > 0 {
				err = errors.New(args[0])
			}
			answer("done", err)
			answer("again", nil)
		}()
		return "begun", nil
	}}))
	go func() {
		for {
			select {
			case r := <-s.Requests():
				if current = r; strings.HasPrefix(r.Text, "slow") {
					r.Run(c)
					continue
				}
				if r.Verb == Backup && r.Text == "" {
					r.Answer("", errors.New("no\nname"))
				} else if r.Verb == Backup {
					r.Answer("/backups/"+r.Text, nil)
				} else {
					r.Run(c)
				}
				r.Answer("again", nil)
			case <-s.closing:
				return
			}
		}
	}()
	return s
}

// attached waits until a client is attached and returns the server's end of the connection.
func (s *Listener) attached() net.Conn {
	for {
		s.mu.Lock()
		for _, at := range s.sessions {
			if at.attached {
				s.mu.Unlock()
				return at.conn
			}
		}
		s.mu.Unlock()
		testenv.Pause()
	}
}

// empty waits until all clients have left.
func (s *Listener) empty() {
	for all := 1; all > 0; testenv.Pause() {
		s.mu.Lock()
		all = len(s.sessions)
		s.mu.Unlock()
	}
}

func dial(t *testing.T, path string) *Link {
	c, err := Dial(path)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// ask sends a request and returns the output before the end of the answer.
func ask(t *testing.T, c *Link, verb, text string) *answer {
	t.Helper()
	a := c.send(verb, text)
	for line := range c.lines {
		if a.take(line) {
			return a
		}
	}
	require.FailNow(t, "no answer")
	return nil
}

// typed pipes lines into an attached prompt and returns the output.
func typed(t *testing.T, path, lines string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	term := prompt.NewLineMode(strings.NewReader(lines), &out)
	c, err := Dial(path)
	require.NoError(t, err)
	err = c.Attach(term, nil)
	require.NoError(t, c.Close())
	require.NoError(t, term.Close())
	return out.String(), err
}

func TestLinesRun(t *testing.T) {
	path := socket(t)
	s := serve(t, path)
	for _, c := range []struct{ lines, want string }{
		{"", ""},
		{"say a", "a\nsaid\n"},
		{"say a b\nsay c\n", "a\nb\nsaid\nc\nsaid\n"},
		{"fail\nsay x\n", "so far\nerror: two\nthings\nx\nsaid\n"},
		{"do\nx\n\nend\n y \n", "do|x||end\ny\n"},
		{"do\nx", "error: the input ended inside the chunk that begins \"do\"\n"},
		{"ok 1\nbye\nerror: no\n|x\n", "ok 1\nbye\nerror: no\n|x\n"},
		{"\n\n", ""},
		{strings.Repeat("x", 1<<20-100), strings.Repeat("x", 1<<20-100) + "\n"},
		{strings.Repeat("x", 1<<20-4) + "\nsay y\n", "error: a line of more than 1024 KiB was ignored\ny\nsaid\n"},
	} {
		s.empty()
		out, err := typed(t, path, c.lines)
		if fails := strings.HasPrefix(c.lines, "fail") || strings.HasPrefix(c.want, "error"); fails {
			require.ErrorIs(t, err, ErrLine, "%.50q", c.lines)
		} else {
			require.NoError(t, err, "%.50q", c.lines)
		}
		assert.Equal(t, c.want, out, "%.50q", c.lines)
	}
	require.NoError(t, s.Close())
	_, err := os.Stat(path)
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// TestConcurrentClients types from several clients at once. Each has its own chunk. All see the
// console's output, but only the sender sees the result of a line.
func TestConcurrentClients(t *testing.T) {
	path := socket(t)
	s := serve(t, path)
	ann, bob, tool := dial(t, path), dial(t, path), dial(t, path)
	ask(t, ann, "attach", "")
	ask(t, bob, "attach", "")
	assert.True(t, ask(t, ann, "type", "do").more)
	assert.Equal(t, []string{"x"}, ask(t, bob, "type", "x").text)
	assert.True(t, ask(t, bob, "type", "do b").more)
	assert.Equal(t, []string{"do|end"}, ask(t, ann, "type", "end").text)
	ask(t, bob, "cancel", "")
	assert.Equal(t, []string{"end"}, ask(t, bob, "type", "end").text)

	bob.send("type", "say a b")
	for _, want := range []string{"|a", "|b", " said", "ok 6"} {
		assert.Equal(t, want, <-bob.lines)
	}
	assert.Equal(t, "|a", <-ann.lines)
	assert.Equal(t, "|b", <-ann.lines)
	path, err := tool.Backup("x.db")
	require.NoError(t, err, "who is not attached hears nothing")
	assert.Equal(t, "/backups/x.db", path)
	_, err = tool.Backup("")
	assert.EqualError(t, err, "no name")
	assert.EqualError(t, ask(t, tool, "dance", "").err, `unknown request "dance"`)
	require.NoError(t, s.Close())
	_, err = tool.Backup("x.db")
	assert.Error(t, err)
}

// TestPromptRequests checks that the server answers requests for completions and history.
func TestPromptRequests(t *testing.T) {
	path := socket(t)
	s := serve(t, path)
	c := dial(t, path)
	at := asker{&attached{Link: c, term: prompt.NewLineMode(nil, new(bytes.Buffer))}}
	candidates, start := at.Complete("x sa", 4)
	assert.Empty(t, candidates)
	assert.Equal(t, 2, start)
	candidates, start = at.Complete("sa", 2)
	assert.Equal(t, []string{"say"}, candidates)
	assert.Zero(t, start)
	for line, secret := range map[string]bool{"hide x": true, " say": true, "say": false, "": false} {
		assert.Equal(t, secret, at.Secret(line), line)
	}
	for _, text := range []string{"", "x y", "-1 say", "4 say"} {
		assert.Error(t, ask(t, c, "complete", text).err, text)
	}
	require.NoError(t, s.Close())
	assert.True(t, at.Secret("say"), "of which nobody says that it is not")
}

// TestSocketIsForItsOwner checks that the socket is created with access for its owner only, without
// a later change of mode.
func TestSocketIsForItsOwner(t *testing.T) {
	if runtime.GOOS == "windows" {
		return
	}
	l, err := listen(socket(t))
	require.NoError(t, err)
	info, err := os.Stat(l.Addr().String())
	require.NoError(t, err)
	assert.Zero(t, info.Mode().Perm()&0o077)
	require.NoError(t, l.Close())
}

// TestTornLines checks that an unfinished line of a client that died is not run, because it can be
// incomplete.
func TestTornLines(t *testing.T) {
	path := socket(t)
	s := serve(t, path)
	watch := dial(t, path)
	ask(t, watch, "attach", "")
	conn, err := net.Dial("unix", path)
	require.NoError(t, err)
	_, err = io.WriteString(conn, "1 type say whole\n2 type say torn")
	require.NoError(t, err)
	require.NoError(t, conn.(*net.UnixConn).CloseWrite())
	answers, err := io.ReadAll(conn)
	require.NoError(t, err)
	assert.Equal(t, " said\nok 1\n", string(answers))
	require.NoError(t, conn.Close())
	assert.Equal(t, "|whole", <-watch.lines)
	require.NoError(t, s.Close())
}

// TestInvalidBytes checks that invalid UTF-8 gets an error like any unknown input and reaches no
// terminal unescaped.
func TestInvalidBytes(t *testing.T) {
	path := socket(t)
	s := serve(t, path)
	conn, err := net.Dial("unix", path)
	require.NoError(t, err)
	_, err = io.WriteString(conn, "\n\x1b[2J \x00\xff\n \n7\n8 type \x1b\xff\n")
	require.NoError(t, err)
	require.NoError(t, conn.(*net.UnixConn).CloseWrite())
	answers, err := io.ReadAll(conn)
	require.NoError(t, err)
	for _, end := range []string{"failed  unknown request \"\"\n", "failed 7 unknown", "ok 8\n"} {
		assert.Contains(t, string(answers), end)
	}
	assert.Equal(t, string(answers), console.CleanText(string(answers)))
	require.NoError(t, conn.Close())
	require.NoError(t, s.Close())
}

// TestAnswersAreInOrder checks that the result of a line comes before later output of the console.
func TestAnswersAreInOrder(t *testing.T) {
	path := socket(t)
	s := New()
	require.NoError(t, s.Listen(path))
	c := dial(t, path)
	c.send("attach", "")
	require.Equal(t, "ok 1", <-c.lines)
	for i := range 50 {
		c.send("type", "x")
		r := <-s.Requests()
		r.Answer("7", nil)
		s.Print("next\nmore")
		for _, want := range []string{" 7", fmt.Sprint("ok ", i+2), "|next", "|more"} {
			require.Equal(t, want, <-c.lines)
		}
	}
	require.NoError(t, s.Close())
}

// TestStaleSocket checks that the socket of a killed process does not block a new server.
func TestStaleSocket(t *testing.T) {
	path := socket(t)
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	require.NoError(t, l.Close())
	_, err = Dial(path)
	require.Error(t, err)
	s := serve(t, path)
	out, err := typed(t, path, "hello")
	require.NoError(t, err)
	assert.Equal(t, "hello\n", out)
	require.NoError(t, s.Close())
}

func TestSessionsAreBounded(t *testing.T) {
	path := socket(t)
	s := serve(t, path)
	var clients []*Link
	for range maxClients {
		clients = append(clients, dial(t, path))
		ask(t, clients[len(clients)-1], "attach", "")
	}
	_, err := typed(t, path, "say x")
	assert.EqualError(t, err, "this server has 8 console connections already, the maximum")
	assert.ErrorAs(t, err, new(Refused))
	require.NoError(t, clients[0].Close())
	for err != nil { // until the server has noticed
		_, err = typed(t, path, "")
	}
	require.NoError(t, s.Close())
}

// TestSlowReaders checks that a client that does not read blocks neither the server nor other
// clients. It gets a message about the missed lines.
func TestSlowReaders(t *testing.T) {
	path := socket(t)
	s := serve(t, path)
	conn, err := net.Dial("unix", path)
	require.NoError(t, err)
	_, err = fmt.Fprintln(conn, "1 attach")
	require.NoError(t, err)
	s.attached()
	for i := range 3 << 10 {
		s.Print(fmt.Sprint(i, strings.Repeat("x", 1<<10)))
	}
	out, err := typed(t, path, "say x")
	require.NoError(t, err)
	assert.Equal(t, "x\nsaid\n", out)

	c := &Link{conn: conn, lines: make(chan string)}
	go c.read()
	var missed bool
	for line := range c.lines {
		missed = missed || dropped(line)
		if line == "|x" {
			break
		}
	}
	assert.True(t, missed)
	require.NoError(t, c.Close())
	require.NoError(t, s.Close())
}

// TestAnswers checks that answers are matched by number, so a late answer is not taken for another.
// A dropped answer ends too.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		lines []string
		text  string
		err   string
	}{
		{[]string{" a", " b", "ok 2"}, "a|b", ""},
		{[]string{" old", "ok 1", " a", "ok 2"}, "a", ""},
		{[]string{" old", "failed 1 why", "more 2"}, "", ""},
		{[]string{" a", "(12 lines dropped)"}, "", ""},
		{[]string{"failed 2 two words"}, "", "two words"},
		{[]string{"error: a line is too long"}, "", "a line is too long"},
		{[]string{"what 2"}, "", `unknown answer "what 2" from the server: is it another version of torc?`},
	} {
		a := answer{number: "2"}
		for i, line := range c.lines {
			assert.Equal(t, i == len(c.lines)-1, a.take(line), "%q", c.lines)
		}
		assert.Equal(t, c.text, strings.Join(a.text, "|"), "%q", c.lines)
		if c.err != "" {
			assert.EqualError(t, a.err, c.err)
		} else {
			assert.NoError(t, a.err)
		}
	}
}

// TestDroppedLinesAreReported checks that an attached client gets a message about dropped lines,
// whatever request it waits for.
func TestDroppedLinesAreReported(t *testing.T) {
	var out bytes.Buffer
	a := &attached{Link: &Link{}, term: prompt.NewLineMode(nil, &out)}
	for _, line := range []string{"(3 lines dropped)", " (4 lines dropped)", "|(5 lines dropped)"} {
		complete, err := a.hear(line, true, nil)
		require.NoError(t, err)
		assert.False(t, complete)
	}
	require.NoError(t, a.term.Close())
	assert.Equal(t, "(3 lines dropped)\n(5 lines dropped)\n", out.String())
}

// TestServerEnds checks that a closing server tells its attached clients. A server that dies
// cannot.
func TestServerEnds(t *testing.T) {
	path := socket(t)
	s := serve(t, path)
	for _, orderly := range []bool{false, true} {
		lines := make(chan prompt.Input)
		ended := make(chan error, 1)
		c := dial(t, path)
		go func() { ended <- c.Attach(keyboard{lines, prompt.NewLineMode(nil, new(bytes.Buffer))}, nil) }()
		lines <- prompt.Input{Text: "say x"}
		end := s.attached()
		if orderly {
			require.NoError(t, s.Close())
			assert.ErrorIs(t, <-ended, ErrEnded)
			continue
		}
		require.NoError(t, end.Close())
		assert.ErrorIs(t, <-ended, errGone)
		s.empty()
	}
}

// keyboard is a prompt whose lines a test types.
type keyboard struct {
	lines chan prompt.Input
	*prompt.LineMode
}

func (k keyboard) Lines() <-chan prompt.Input { return k.lines }

// TestClientLeaves checks that Ctrl-C and signals end the client and not the server, even while the
// server does not answer.
func TestClientLeaves(t *testing.T) {
	path := socket(t)
	s := New()
	require.NoError(t, s.Listen(path))
	for _, signal := range []bool{false, true} {
		lines, signals := make(chan prompt.Input, 2), make(chan os.Signal, 1)
		lines <- prompt.Input{Text: "never answered"}
		if signal {
			signals <- os.Interrupt
		} else {
			lines <- prompt.Input{Event: prompt.InputInterrupt}
		}
		assert.NoError(t, dial(t, path).Attach(keyboard{lines, prompt.NewLineMode(nil, new(bytes.Buffer))}, signals))
	}
	require.NoError(t, s.Close())
}

// TestCloseEndsWaitingClients checks that a closing server ends all waiting clients, whether or not
// it has accepted their line.
func TestCloseEndsWaitingClients(t *testing.T) {
	path := socket(t)
	for range 10 {
		s := New()
		require.NoError(t, s.Listen(path))
		asked := make(chan error, maxClients)
		for range maxClients {
			c := dial(t, path)
			go func() {
				_, err := c.Backup("x")
				asked <- err
			}()
		}
		(<-s.Requests()).Answer("x", nil)
		r := <-s.Requests()
		require.NoError(t, s.Close())
		r.Answer("late", nil)
		answered := 0
		for range maxClients {
			if err := <-asked; err == nil {
				answered++
			}
		}
		require.Equal(t, 1, answered)
	}
}

// TestBusyServer checks a prompt whose server does not answer. The number of waiting lines is
// limited.
func TestBusyServer(t *testing.T) {
	path := socket(t)
	s := New()
	require.NoError(t, s.Listen(path))
	lines, signals, ended := make(chan prompt.Input, 4*ahead), make(chan os.Signal, 1), make(chan error, 1)
	for range cap(lines) {
		lines <- prompt.Input{Text: "x"}
	}
	c := dial(t, path)
	go func() { ended <- c.Attach(keyboard{lines, prompt.NewLineMode(nil, new(bytes.Buffer))}, signals) }()
	for len(lines) > cap(lines)-1-ahead {
		testenv.Pause()
	}
	signals <- os.Interrupt
	require.NoError(t, <-ended)
	assert.Len(t, lines, cap(lines)-1-ahead)
	require.NoError(t, s.Close())
}

// TestLater runs a command that takes time: the answer to its line waits for its end.
func TestLater(t *testing.T) {
	s := serve(t, socket(t))
	l := s.Dial(User{Name: "ann"})
	for line, want := range map[string][]string{
		"slow":       {"begun\ndone", ""},
		"slow wrong": {"begun\ndone", "wrong"},
	} {
		out, failed, err := l.Run(line)
		require.NoError(t, err)
		assert.Equal(t, want, []string{out, failed}, line)
	}
	a := ask(t, l, "type", "slow wrong")
	assert.NoError(t, a.err)
	assert.Equal(t, []string{"begun", "done", "error: wrong"}, a.text)
	require.NoError(t, l.Close())
	require.NoError(t, s.Close())
}

// TestUsers connects users in the process. A limited one runs only commands, sees only its own
// results, and gets no backup.
func TestUsers(t *testing.T) {
	path := socket(t)
	s := serve(t, path)
	operator, limited := s.Dial(User{Name: "ann"}), s.Dial(User{Name: "mo", May: func(command string) bool { return command == "say" }})
	ask(t, operator, "attach", "")
	ask(t, limited, "attach", "")
	out, failed, err := limited.Run("say a")
	require.NoError(t, err)
	assert.Equal(t, []string{"said", ""}, []string{out, failed})
	assert.Equal(t, "|a", <-operator.lines)
	own := limited.send("type", "say b")
	for done := false; !done; {
		line := <-limited.lines
		assert.NotContains(t, line, "|", "a limited user does not hear the console")
		done = own.take(line)
	}
	assert.Equal(t, "|b", <-operator.lines)
	assert.Equal(t, []string{`error: you cannot run "fail": help lists your commands`}, ask(t, limited, "type", "fail").text)
	assert.Equal(t, []string{`error: you cannot run "x": help lists your commands`}, ask(t, limited, "type", "x").text)
	assert.Equal(t, []string{"0", "say"}, ask(t, limited, "complete", "1 s").text)
	_, err = limited.Backup("x.db")
	assert.EqualError(t, err, "only the operator can do that")
	for _, verb := range []string{Debug, Message, Beat} {
		assert.EqualError(t, ask(t, limited, verb, "x").err, "only the operator can do that")
	}
	_, failed, err = operator.Run("x\n9 backup y")
	require.NoError(t, err)
	assert.Empty(t, failed, "a line end begins no other request")
	_, failed, err = operator.Run("do")
	require.NoError(t, err)
	assert.Contains(t, failed, "unfinished")
	require.NoError(t, s.Close())
	_, _, err = operator.Run("x")
	assert.Error(t, err)
	_, _, err = s.Dial(User{Name: "late"}).Run("x")
	assert.Error(t, err)
	for _, l := range []*Link{operator, limited} {
		assert.NoError(t, l.Close())
	}
}
