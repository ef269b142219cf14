package sshd

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node/remote"
)

// server is a listener whose console has a few commands.
type server struct {
	*Listener
	console *remote.Listener
	ran     []string // USER: LINE, as the audit log has it

	mu    sync.Mutex
	notes []string
}

// newServer starts a server without a socket. keys is the path of its file of keys.
func newServer(t *testing.T, keys string) *server {
	s := &server{console: remote.New()}
	dir := t.TempDir()
	var err error
	s.Listener, err = newListener(Options{
		HostKey: filepath.Join(dir, "host"), Keys: keys, History: filepath.Join(dir, "history"), Console: s.console,
		May:  func(role, command string) bool { return role == "moderator" && (command == "say" || command == "exec") },
		Note: func(by, did string) { s.mu.Lock(); s.notes = append(s.notes, by+": "+did); s.mu.Unlock() },
		Log:  slog.New(slog.DiscardHandler), Now: time.Now,
	})
	require.NoError(t, err)
	s.listener = nothing{}
	c := console.New(s.console.Print)
	by := ""
	c.SetAudit(func(line string, err error) { s.ran = append(s.ran, by+": "+line) })
	for _, command := range []console.Command{
		{Name: "say", Run: func(args []string) (string, error) {
			c.Print("all hear " + strings.Join(args, " "))
			return "said", nil
		}},
		{Name: "fail", Run: func([]string) (string, error) { return "", errors.New("it failed") }},
	} {
		require.NoError(t, c.Register(command))
	}
	c.SetEval(func(chunk string) (string, bool, error) { return "lua " + chunk, false, nil })
	done := make(chan struct{})
	go func() {
		for {
			select {
			case r := <-s.console.Requests():
				by, _, _ = strings.Cut(r.User().Name, " (")
				r.Run(c)
			case <-done:
				return
			}
		}
	}()
	t.Cleanup(func() {
		assert.NoError(t, s.console.Close())
		assert.NoError(t, s.Close())
		close(done)
	})
	return s
}

// nothing is a socket that nobody reaches.
type nothing struct{ net.Listener }

func (nothing) Close() error { return nil }

// connect authenticates a client with a key, or with a password if there is no key.
func (s *server) connect(t *testing.T, signer ssh.Signer) (*ssh.Client, error) {
	here, there := pipe()
	if !s.begin(there) {
		return nil, errors.New("refused")
	}
	auth := ssh.Password("admin")
	if signer != nil {
		auth = ssh.PublicKeys(signer)
	}
	conn, channels, requests, err := ssh.NewClientConn(here, "torc", &ssh.ClientConfig{
		User: "anybody", Auth: []ssh.AuthMethod{auth}, HostKeyCallback: ssh.FixedHostKey(s.host.PublicKey()),
	})
	if err != nil {
		here.Close()
		return nil, err
	}
	c := ssh.NewClient(conn, channels, requests)
	t.Cleanup(func() { c.Close() })
	return c, nil
}

func (s *server) client(t *testing.T, signer ssh.Signer) *ssh.Client {
	t.Helper()
	c, err := s.connect(t, signer)
	require.NoError(t, err)
	return c
}

// run runs one line, on a connection of its own.
func (s *server) run(t *testing.T, signer ssh.Signer, line string) (out, failed string, err error) {
	t.Helper()
	session, err := s.client(t, signer).NewSession()
	require.NoError(t, err)
	var stdout, stderr bytes.Buffer
	session.Stdout, session.Stderr = &stdout, &stderr
	err = session.Run(line)
	return stdout.String(), stderr.String(), err
}

// people returns a file of keys with an admin and a moderator.
func people(t *testing.T) (path string, admin, moderator ssh.Signer) {
	admin, adminLine := newKey(t)
	moderator, moderatorLine := newKey(t)
	return keyFile(t, `role="admin" `+adminLine+" ann", `role="moderator" `+moderatorLine+" mo"), admin, moderator
}

func TestLines(t *testing.T) {
	path, ann, mo := people(t)
	s := newServer(t, path)
	for _, c := range []struct {
		who         ssh.Signer
		line        string
		out, failed string
	}{
		{ann, "say hello", "said\n", ""},
		{ann, "x", "lua x\n", ""},
		{ann, "fail", "", "error: it failed\n"},
		{ann, "say a\n7 backup x", "", "error: must be one line of at most 64 KiB\n"},
		{mo, "say hello", "said\n", ""},
		{mo, "say (1)", "said\n", ""}, // never Lua
		{mo, "help", "say\n", ""},
		{mo, "fail", "", "error: you cannot run \"fail\": help lists your commands\n"},
		{mo, "x = 1", "", "error: you cannot run \"x\": help lists your commands\n"},
		{mo, "say(1)", "", "error: you cannot run \"say(1)\": help lists your commands\n"},
		{mo, "exec x.lua", "", "error: you cannot run \"exec\": help lists your commands\n"},
	} {
		out, failed, err := s.run(t, c.who, c.line)
		assert.Equal(t, c.out, out, c.line)
		assert.Equal(t, c.failed, failed, c.line)
		var exit *ssh.ExitError
		if assert.Equal(t, c.failed != "", errors.As(err, &exit), c.line); exit != nil {
			assert.Contains(t, []int{1, 2}, exit.ExitStatus(), c.line)
		}
	}
	assert.Contains(t, s.ran, "ssh ann: say hello")
	assert.Contains(t, s.ran, "ssh mo: exec x.lua", "also what is refused is in the audit log")
}

// TestOnlyKeys checks that passwords and unknown keys do not get in, and that the file counts at
// once.
func TestOnlyKeys(t *testing.T) {
	path, ann, _ := people(t)
	s := newServer(t, path)
	stranger, line := newKey(t)
	_, err := s.connect(t, nil)
	assert.ErrorContains(t, err, "attempted methods [none]", "a password is not even asked for")
	_, err = s.connect(t, stranger)
	assert.ErrorContains(t, err, "unable to authenticate")
	require.NoError(t, os.WriteFile(path, []byte(`role="admin" `+line), 0o600))
	_, _, err = s.run(t, stranger, "x")
	assert.NoError(t, err)
	_, err = s.connect(t, ann)
	assert.ErrorContains(t, err, "unable to authenticate")
	require.NoError(t, os.WriteFile(path, []byte("role=\"admin\" "+line+"\nwrong"), 0o600))
	_, err = s.connect(t, stranger)
	assert.ErrorContains(t, err, "unable to authenticate", "a wrong file lets nobody in")
}

// TestConsoleOnly asks for everything else that SSH has.
func TestConsoleOnly(t *testing.T) {
	path, ann, _ := people(t)
	s := newServer(t, path)
	c := s.client(t, ann)
	_, err := c.Dial("tcp", "127.0.0.1:1")
	assert.ErrorContains(t, err, "there is no forwarding")
	_, err = c.Dial("unix", "/run/x")
	assert.ErrorContains(t, err, "there is no forwarding")
	for _, request := range []string{"tcpip-forward", "streamlocal-forward@openssh.com"} {
		ok, _, err := c.SendRequest(request, true, ssh.Marshal(struct {
			Address string
			Port    uint32
		}{"127.0.0.1", 0}))
		assert.NoError(t, err)
		assert.False(t, ok, request)
	}
	session, err := c.NewSession()
	require.NoError(t, err)
	assert.Error(t, session.Setenv("LUA_INIT", "x"))
	assert.Error(t, session.RequestSubsystem("sftp"))
	for _, request := range []string{"auth-agent-req@openssh.com", "x11-req", "signal"} {
		ok, err := session.SendRequest(request, true, nil)
		assert.NoError(t, err)
		assert.False(t, ok, request)
	}
	_, err = c.NewSession()
	assert.ErrorContains(t, err, "a connection has one session")
	var out bytes.Buffer
	session.Stdout = &out
	require.NoError(t, session.Run("x"))
	assert.Equal(t, "lua x\n", out.String())
}

// typing is a session without a terminal.
type typing struct {
	session *ssh.Session
	in      io.WriteCloser
	out     *bufferedOutput
}

// bufferedOutput is the output of a session so far.
type bufferedOutput struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *bufferedOutput) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *bufferedOutput) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func (s *server) shell(t *testing.T, signer ssh.Signer) *typing {
	t.Helper()
	session, err := s.client(t, signer).NewSession()
	require.NoError(t, err)
	y := &typing{session: session, out: new(bufferedOutput)}
	y.in, err = session.StdinPipe()
	require.NoError(t, err)
	session.Stdout = y.out
	require.NoError(t, session.Shell())
	return y
}

func (y *typing) types(t *testing.T, line string) {
	t.Helper()
	_, err := io.WriteString(y.in, line+"\n")
	require.NoError(t, err)
	synctest.Wait()
}

// TestShell types lines. Output of the console goes to the admin alone. A key that is removed ends
// its session with the next line. Without a terminal, the exit status tells whether a line has
// failed.
func TestShell(t *testing.T) {
	path, ann, mo := people(t)
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, path)
		admin := s.shell(t, ann)
		synctest.Wait()
		moderator := s.shell(t, mo)
		synctest.Wait()
		moderator.types(t, "say hello")
		admin.types(t, "1")
		moderator.types(t, "1")
		assert.Equal(t, "all hear hello\nlua 1\n", admin.out.String())
		assert.Equal(t, "said\nerror: you cannot run \"1\": help lists your commands\n", moderator.out.String())

		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, bytes.ReplaceAll(text, []byte(`role="moderator"`), []byte(`role="other"`)), 0o600))
		moderator.types(t, "say more")
		assert.Contains(t, moderator.out.String(), "error: your key or its role has changed; connect again\n")
		assert.NotContains(t, s.ran, "ssh mo: say more")
		var exit *ssh.ExitError
		if assert.ErrorAs(t, moderator.session.Wait(), &exit) {
			assert.Equal(t, 1, exit.ExitStatus())
		}
		assert.NotContains(t, moderator.out.String(), remote.ErrLine.Error())
		require.NoError(t, admin.in.Close())
		assert.NoError(t, admin.session.Wait())
		s.mu.Lock()
		defer s.mu.Unlock()
		require.Len(t, s.notes, 4)
		assert.Regexp(t, `^ssh ann \(SHA256:.*, admin\): connected from 192\.0\.2\.1:5$`, s.notes[0])
	})
}

// revoke removes all keys from a file.
func revoke(t *testing.T, path string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, nil, 0o600))
}

// TestRemovedKeyRunsNothing removes a key between the begin of a session and its request.
func TestRemovedKeyRunsNothing(t *testing.T) {
	for name, start := range map[string]func(*ssh.Session) error{
		"exec":  func(session *ssh.Session) error { return session.Start("say still here") },
		"shell": (*ssh.Session).Shell,
	} {
		t.Run(name, func(t *testing.T) {
			path, ann, _ := people(t)
			s := newServer(t, path)
			session, err := s.client(t, ann).NewSession()
			require.NoError(t, err)
			var stdout, stderr bytes.Buffer
			session.Stdin, session.Stdout, session.Stderr = strings.NewReader("say still here\n"), &stdout, &stderr
			revoke(t, path)
			require.NoError(t, start(session))
			var exit *ssh.ExitError
			require.ErrorAs(t, session.Wait(), &exit)
			assert.Equal(t, 1, exit.ExitStatus())
			assert.Empty(t, stdout.String())
			assert.Equal(t, "error: your key or its role has changed; connect again\n", stderr.String())
			assert.Empty(t, s.ran)
			assert.Empty(t, s.notes)
		})
	}
}

// TestRemovedKeyReadsNothing checks that the session of a removed key ends although nobody types.
func TestRemovedKeyReadsNothing(t *testing.T) {
	path, ann, _ := people(t)
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, path)
		admin := s.shell(t, ann)
		time.Sleep(2*aliveTime + time.Second)
		admin.types(t, "1")
		assert.Equal(t, "lua 1\n", admin.out.String(), "the key is valid")
		revoke(t, path)
		time.Sleep(aliveTime)
		synctest.Wait()
		s.Listener.mu.Lock()
		defer s.Listener.mu.Unlock()
		assert.Empty(t, s.open)
	})
}

// TestStrangersLeaveTheAuditLogAlone checks that connections without a session neither write to the
// audit log nor wait for the goroutine that does.
func TestStrangersLeaveTheAuditLogAlone(t *testing.T) {
	path, ann, _ := people(t)
	s := newServer(t, path)
	var log bufferedOutput
	s.options.Log = slog.New(slog.NewTextHandler(&log, nil))
	s.options.Note = func(string, string) { panic("a stranger is in the audit log") }
	began := time.Now()
	s.options.Now = func() time.Time { return began } // the address gets no try back
	stranger, _ := newKey(t)
	for range addressBurst {
		_, err := s.connect(t, stranger)
		assert.ErrorContains(t, err, "unable to authenticate")
	}
	_, err := s.connect(t, ann)
	assert.ErrorContains(t, err, "refused")
	assert.Equal(t, 1, strings.Count(log.String(), `level=WARN msg="too many SSH connections without a session`), log.String())
	assert.Contains(t, log.String(), "address=192.0.2.1/32")
}

// TestNoRoom checks that a connection without room for a session ends soon, and counts as failed.
func TestNoRoom(t *testing.T) {
	path, ann, _ := people(t)
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, path)
		for range sessionsPerKey {
			s.shell(t, ann)
		}
		for range addressBurst {
			c := s.client(t, ann)
			_, err := c.NewSession()
			assert.ErrorContains(t, err, "this key has as many sessions as the server allows")
			time.Sleep(endTime)
			synctest.Wait()
			s.Listener.mu.Lock()
			assert.Len(t, s.open, sessionsPerKey)
			s.Listener.mu.Unlock()
		}
		s.client(t, ann) // endTime times addressBurst is enough for one more
		_, err := s.connect(t, ann)
		assert.ErrorContains(t, err, "refused")
	})
}

// TestTimeouts checks that a connection ends: without an authentication, without a session, without
// a typed byte, and on a broken line.
func TestTimeouts(t *testing.T) {
	path, ann, _ := people(t)
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, path)
		open := func() int {
			synctest.Wait()
			s.Listener.mu.Lock()
			defer s.Listener.mu.Unlock()
			return len(s.open)
		}
		silent, there := pipe()
		go func() { _, _ = io.Copy(io.Discard, silent) }()
		require.True(t, s.begin(there))
		time.Sleep(handshakeTime - time.Second)
		assert.Equal(t, 1, open())
		time.Sleep(time.Second)
		assert.Equal(t, 0, open(), "no authentication")

		s.client(t, ann)
		time.Sleep(sessionTime - time.Second)
		assert.Equal(t, 1, open())
		time.Sleep(time.Second)
		assert.Equal(t, 0, open(), "no session")

		admin := s.shell(t, ann)
		time.Sleep(idleTime - time.Minute)
		admin.types(t, "say awake")
		time.Sleep(idleTime - time.Second)
		assert.Equal(t, 1, open())
		time.Sleep(time.Second)
		assert.Equal(t, 0, open(), "nobody types")

		here, there := pipe()
		require.True(t, s.begin(there))
		conn, channels, requests, err := ssh.NewClientConn(here, "torc", &ssh.ClientConfig{
			Auth: []ssh.AuthMethod{ssh.PublicKeys(ann)}, HostKeyCallback: ssh.FixedHostKey(s.host.PublicKey()),
		})
		require.NoError(t, err)
		client := ssh.NewClient(conn, channels, requests)
		session, err := client.NewSession()
		require.NoError(t, err)
		_, err = session.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, session.Shell())
		time.Sleep(10 * aliveTime)
		assert.Equal(t, 1, open(), "the client answers")
		here.breaks()
		time.Sleep(2*aliveTime + time.Second)
		assert.Equal(t, 0, open(), "a broken line")
		here.Close()
	})
}

// TestLongLines checks that a line without an end cannot fill the memory.
func TestLongLines(t *testing.T) {
	path, ann, _ := people(t)
	s := newServer(t, path)
	session, err := s.client(t, ann).NewSession()
	require.NoError(t, err)
	var out bytes.Buffer
	session.Stdout = &out
	session.Stdin = io.MultiReader(strings.NewReader("x\n"), endless{})
	require.NoError(t, session.Shell())
	_ = session.Wait() // the connection ends while the client writes
	assert.Contains(t, out.String(), "lua x\n")
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, "xxxxxxxx"), nil }

// TestPipedLinesAreBounded checks the longest line of input without a terminal. Short lines can
// have any total size.
func TestPipedLinesAreBounded(t *testing.T) {
	short := strings.Repeat("x\n", 2*maxPiped)
	all, err := io.ReadAll(&shortLines{Reader: strings.NewReader(short)})
	require.NoError(t, err)
	assert.Len(t, all, len(short))
	for extra := range 2 {
		all, err = io.ReadAll(&shortLines{Reader: io.MultiReader(strings.NewReader("x\n"), strings.NewReader(strings.Repeat("x", maxPiped+extra)))})
		require.NoError(t, err)
		assert.LessOrEqual(t, len(all), maxPiped+2)
		assert.Equal(t, extra == 0, len(all) == maxPiped+2)
	}
}

// TestTypedLinesAreBounded makes a line that is too long at the prompt. The rest is cut.
func TestTypedLinesAreBounded(t *testing.T) {
	signer, _ := newKey(t)
	u := &user{Listener: &Listener{options: Options{History: t.TempDir()}}, key: key{public: signer.PublicKey()}}
	// Each key takes longer than the one before, so a part is cut out and put back again and again.
	typed := strings.Repeat("x", 64) + "\x01\x0b" + strings.Repeat("\x19", maxTyped/64+1) + "\r"
	source, err := u.source(&device{in: strings.NewReader(typed), out: io.Discard, width: 80, height: 24}, true)
	require.NoError(t, err)
	defer source.Close()
	line := <-source.Lines()
	assert.Len(t, line.Text, maxTyped)
}

// TestTheEndOfTheServer checks that users learn of it.
func TestTheEndOfTheServer(t *testing.T) {
	path, ann, _ := people(t)
	synctest.Test(t, func(t *testing.T) {
		s := newServer(t, path)
		admin := s.shell(t, ann)
		admin.types(t, "1")
		go s.console.Close()
		assert.NoError(t, admin.session.Wait())
		assert.Equal(t, "lua 1\ndisconnected: the server has ended\n", admin.out.String())
		s.console = remote.New() // for the cleanup
	})
}

// A pipeEnd is one end of a connection in memory, with a buffer in each direction.
type pipeEnd struct {
	net.Conn // for the methods that nobody calls
	in, out  *queue
}

type queue struct {
	mu     sync.Mutex
	ready  *sync.Cond
	bytes  []byte
	closed bool
	broken bool // bytes are lost
}

func pipe() (*pipeEnd, *pipeEnd) {
	a, b := new(queue), new(queue)
	a.ready, b.ready = sync.NewCond(&a.mu), sync.NewCond(&b.mu)
	return &pipeEnd{in: a, out: b}, &pipeEnd{in: b, out: a}
}

func (e *pipeEnd) Read(p []byte) (int, error) {
	e.in.mu.Lock()
	defer e.in.mu.Unlock()
	for len(e.in.bytes) == 0 {
		if e.in.closed {
			return 0, io.EOF
		}
		e.in.ready.Wait()
	}
	n := copy(p, e.in.bytes)
	e.in.bytes = e.in.bytes[n:]
	return n, nil
}

func (e *pipeEnd) Write(p []byte) (int, error) {
	e.out.mu.Lock()
	defer e.out.mu.Unlock()
	if e.out.closed {
		return 0, io.ErrClosedPipe
	}
	if !e.out.broken {
		e.out.bytes = append(e.out.bytes, p...)
		e.out.ready.Broadcast()
	}
	return len(p), nil
}

func (e *pipeEnd) Close() error {
	for _, q := range []*queue{e.in, e.out} {
		q.mu.Lock()
		q.closed = q.closed || q == e.in || !q.broken // the peer does not hear of it on a broken line
		q.ready.Broadcast()
		q.mu.Unlock()
	}
	return nil
}

// breaks loses everything from now on, in both directions, without an end.
func (e *pipeEnd) breaks() {
	for _, q := range []*queue{e.in, e.out} {
		q.mu.Lock()
		q.broken = true
		q.mu.Unlock()
	}
}

func (e *pipeEnd) RemoteAddr() net.Addr { return addr("192.0.2.1:5") }
func (e *pipeEnd) LocalAddr() net.Addr  { return addr("192.0.2.2:22") }

// TestDevice checks the line ends and the size of the terminal at the other end.
func TestDevice(t *testing.T) {
	var out bytes.Buffer
	d := &device{out: &out}
	n, err := d.Write([]byte("a\nb\n"))
	require.NoError(t, err)
	assert.Equal(t, 4, n)
	assert.Equal(t, "a\r\nb\r\n", out.String())
	changes := 0
	stop := d.Watch(func() { changes++ })
	d.resize(80, 1<<31)
	width, height := d.Size()
	assert.Equal(t, []int{80, maxSize, 1}, []int{width, height, changes})
	stop()
	d.resize(40, 10)
	assert.Equal(t, 1, changes)
}

// TestIPv4Wildcard checks that an operator who names 0.0.0.0 opens no port of IPv6.
func TestIPv4Wildcard(t *testing.T) {
	path, _, _ := people(t)
	console := remote.New()
	dir := t.TempDir()
	s, err := Listen(Options{Address: "0.0.0.0:0", HostKey: filepath.Join(dir, "host"), Keys: path, History: dir, Console: console, Log: slog.New(slog.DiscardHandler), Now: time.Now})
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(s.Addr().String(), "0.0.0.0:"), "and not [::]")
	require.NoError(t, console.Close())
	require.NoError(t, s.Close())
}
