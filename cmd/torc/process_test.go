package main

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/seal"
)

// atEase sets long time limits for processes whose test is not about those limits. On a busy
// machine a script can seem too slow without a fault. The limits on memory are high: those of a
// session count what other tests use meanwhile. The limits on instructions stay as usual. No
// process serves browsers unless its test says so.
const atEase = `
web = "off"

[vars]
mod.callbackTime = "1s"
mod.tickTime = "1s"
mod.lineTime = "5m"
mod.loadTime = "5m"
mod.reloadTime = "5m"
mod.cpuSuspend = 0
mod.callbackHeap = 4000
mod.loadHeap = 4000
mod.lineHeap = 4000
`

// torc links the test binary under the name torc and returns the path. Under that name the test
// binary behaves as the program: see TestMain.
var torc = sync.OnceValues(func() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "torc-test-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, program)
	if err := os.Link(exe, path); err != nil { // another file system
		text, err := os.ReadFile(exe)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(path, text, 0o700); err != nil {
			return "", err
		}
	}
	return path, os.WriteFile(filepath.Join(dir, "ease.toml"), []byte(atEase), 0o600)
})

// program is the name of the program's file.
var program = map[bool]string{true: "torc.exe", false: "torc"}[runtime.GOOS == "windows"]

// environment is the environment of a process of the program at path.
func environment(t *testing.T, path string) []string { return environmentAt(t.TempDir(), path) }

// environmentAt is environment with a home folder.
func environmentAt(home, path string) []string {
	return []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TORC_CONFIG=" + filepath.Join(filepath.Dir(path), "ease.toml")}
}

// noData are the subcommands without a data folder.
var noData = []string{"version", "find", "fleet", "query", "relay", "rendezvous"}

func TestMain(m *testing.M) {
	if testenv.EndWithParent() && filepath.Base(os.Args[0]) == program {
		main()
	}
	testenv.HideSeeds() // TORC_SEED is a setting of torc
	for _, name := range []string{"USER", "LC_ALL", "LC_MESSAGES", "LANG", "NOTIFY_SOCKET", "WATCHDOG_USEC", "AGONES_SDK_HTTP_PORT"} {
		os.Unsetenv(name) // sessions read these from the process
	}
	testenv.Parallel(12)
	status := m.Run()
	if path, err := torc(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(status)
}

// process is a running program with input lines, output lines and an exit status. It is a child
// process or a session: the program on a goroutine of the test's process.
type process struct {
	t       *testing.T
	args    []string
	cmd     *exec.Cmd   // nil of a session
	signals *ownSignals // of a session
	in      io.WriteCloser
	out     chan string
	err     *complaints // complete after wait
	wait    func() int  // waits for the end, and returns the status

	seen []string // the lines read so far
}

// start runs the program as a session, with a new data folder unless args name one. A server with a
// page needs its own environment, and is a child process.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	if slices.Contains(args, "--web") {
		return child(t, args...)
	}
	return startSession(t, withData(t, args))
}

// withData adds a new data folder unless args name one.
func withData(t *testing.T, args []string) []string {
	t.Helper()
	if !strings.Contains(strings.Join(args, " "), "--data") && len(args) > 0 && !slices.Contains(noData, args[0]) {
		args = append(args, "--data", t.TempDir())
	}
	return args
}

// child runs the program as a child process.
func child(t *testing.T, args ...string) *process {
	t.Helper()
	return startWith(t, "", nil, args...)
}

// startWith runs the program as a child process in a folder, by another command, which gets the
// command line as its last arguments. A server with a page finds no Go, so it builds no client for
// browsers.
func startWith(t *testing.T, dir string, with []string, args ...string) *process {
	t.Helper()
	path, err := torc()
	require.NoError(t, err, path)
	args = withData(t, args)
	if slices.Contains(args, "--web") {
		with = slices.Concat(with, []string{"env", "PATH="})
	}
	args = slices.Concat(with, []string{path}, args)
	p := &process{t: t, args: args, cmd: exec.Command(args[0], args[1:]...), out: make(chan string, 10_000), err: new(complaints)}
	p.cmd.Dir, p.cmd.Env = dir, environment(t, path)
	p.cmd.Stderr = p.err
	p.in, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, testenv.Start(t, p.cmd))
	p.wait = sync.OnceValue(func() int {
		_ = p.cmd.Wait()
		return p.cmd.ProcessState.ExitCode()
	})
	go p.read(stdout)
	return p
}

// read reads the output to its end.
func (p *process) read(stdout io.Reader) {
	defer close(p.out)
	for scan := bufio.NewScanner(stdout); scan.Scan(); {
		p.out <- scan.Text()
	}
}

// signal sends a signal.
func (p *process) signal(s os.Signal) {
	p.t.Helper()
	if p.cmd == nil {
		p.signals.send(s)
		return
	}
	require.NoError(p.t, p.cmd.Process.Signal(s))
}

// kill ends a child process without its help. A session cannot be killed.
func (p *process) kill() {
	p.t.Helper()
	require.NotNil(p.t, p.cmd, "a session cannot be killed: use child")
	_ = p.cmd.Process.Kill()
}

// giveUp ends a program in which the test has failed, and waits for a child process. A session that
// hangs does not end.
func (p *process) giveUp() {
	if p.cmd == nil {
		p.signals.send(os.Interrupt)
		return
	}
	_ = p.cmd.Process.Kill()
	p.wait()
}

// line returns the next line of output. What a client says of its connection while a busy machine
// stands still is skipped.
func (p *process) line() string {
	p.t.Helper()
	for limit := testenv.Limit(p.t); ; {
		select {
		case line, open := <-p.out:
			if !open {
				p.wait()
				require.FailNow(p.t, "the output ended", "%v\n%s", p.args, p.err)
			}
			p.seen = append(p.seen, line)
			if !strings.HasPrefix(line, "connection interrupted (") && !strings.HasPrefix(line, "connection restored after ") {
				return line
			}
		case <-limit:
			p.giveUp()
			require.FailNow(p.t, "nothing came", "%v\n%s\n%s", p.args, strings.Join(p.seen, "\n"), p.err)
		}
	}
}

// expect reads lines up to the one that begins with prefix and returns it.
func (p *process) expect(prefix string) string {
	p.t.Helper()
	for {
		if line := p.line(); strings.HasPrefix(line, prefix) {
			return line
		}
	}
}

// lines expects exactly these lines next.
func (p *process) lines(want ...string) {
	p.t.Helper()
	for _, line := range want {
		require.Equal(p.t, line, p.line())
	}
}

// until repeats a line until the answer is want.
func (p *process) until(line, want string) {
	p.t.Helper()
	for limit := testenv.Limit(p.t); ; {
		p.say(line)
		got := p.line()
		if got == want {
			return
		}
		require.False(p.t, testenv.Expired(limit), "%s is %s, and never %s", line, got, want)
		testenv.Pause()
	}
}

// complains waits until the log has text.
func (p *process) complains(text string) {
	p.t.Helper()
	for limit := testenv.Limit(p.t); !strings.Contains(p.err.String(), text); testenv.Pause() {
		require.False(p.t, testenv.Expired(limit), "%q is not in the log:\n%s", text, p.err)
	}
}

// say types lines.
func (p *process) say(lines ...string) {
	p.t.Helper()
	for _, line := range lines {
		_, err := io.WriteString(p.in, line+"\n")
		require.NoError(p.t, err)
	}
}

// ends waits for the end of the process and expects its status.
func (p *process) ends(status int) {
	p.t.Helper()
	for limit := testenv.Limit(p.t); ; {
		select {
		case _, open := <-p.out: // to its end, so that Wait may close the pipe
			if open {
				continue
			}
		case <-limit:
			p.giveUp()
			require.FailNow(p.t, "the program has not ended", "%v\n%s", p.args, p.err)
		}
		break
	}
	require.Equal(p.t, status, p.wait(), "%v\n%s", p.args, p.err)
	require.NotContains(p.t, p.err.String(), "DATA RACE")
}

// quits types quit, and waits for the end.
func (p *process) quits() {
	p.t.Helper()
	p.say("quit")
	p.ends(ended)
}

// refused joins a server that refuses the client, and expects why.
func refused(t *testing.T, why, address string, args ...string) {
	t.Helper()
	p := start(t, append([]string{"join", address}, args...)...)
	p.ends(unconnected)
	assert.Contains(t, p.err.String(), why)
}

// mod writes a mod into a folder of mods and returns the folder.
func mod(t *testing.T, name string, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for file, text := range files {
		path := filepath.Join(folder, name, filepath.FromSlash(file))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return folder
}

// serveOn starts a server on a free port of this machine and returns its address and key.
func serveOn(t *testing.T, args ...string) (p *process, address, key string) {
	t.Helper()
	return listens(start(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...))
}

// serveIn is serveOn as a child process, in a folder.
func serveIn(t *testing.T, dir string, args ...string) (p *process, address, key string) {
	t.Helper()
	return listens(startWith(t, dir, nil, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...))
}

// listens waits until a server listens.
func listens(p *process) (same *process, address, key string) {
	p.t.Helper()
	words := strings.Fields(p.expect("listening on "))
	require.Len(p.t, words, 5)
	return p, words[2], words[4]
}

// newKey gives a data folder an identity, as a first start would, and returns its key.
func newKey(t *testing.T, data string) string {
	t.Helper()
	id, err := seal.NewIdentity(rand.Reader)
	require.NoError(t, err)
	text, err := id.MarshalText()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(data, "identity"), append(text, '\n'), 0o600))
	return id.Public.String()
}

// given are the addresses of freeAddress.
var given sync.Map

// freeAddress returns an address of this machine that no process has. Its port is below those that
// the system gives to sockets without one. So no such socket takes it before the test does, or
// between two servers of the test.
func freeAddress(t *testing.T) string {
	t.Helper()
	for limit := testenv.Limit(t); ; {
		require.False(t, testenv.Expired(limit), "no port is free")
		address := fmt.Sprint("127.0.0.1:", 10_000+mathrand.IntN(20_000))
		if _, had := given.LoadOrStore(address, true); had {
			continue
		}
		if c, err := net.ListenPacket("udp4", address); err == nil {
			require.NoError(t, c.Close())
			return address
		}
	}
}

// joinTo starts a client and waits until it is in the game.
func joinTo(t *testing.T, address string, args ...string) *process {
	t.Helper()
	p := start(t, append([]string{"join", address}, args...)...)
	p.expect("connected to 127.0.0.1:")
	return p
}

// joinIn is joinTo as a child process, in a folder.
func joinIn(t *testing.T, dir, address string, args ...string) *process {
	t.Helper()
	p := startWith(t, dir, nil, append([]string{"join", address}, args...)...)
	p.expect("connected to 127.0.0.1:")
	return p
}
