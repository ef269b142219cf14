package bench

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

const (
	cpuPlayers = 8  // as many as an address can have
	cpuMost    = 3. // times the CPU of a native client
	clockTicks = 100
)

// webChild is a server of ctf that serves browsers, in a process of its own.
type webChild struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	udp  netip.AddrPort
	key  string
	site string
}

func startWebChild() (*webChild, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "torc-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) // the server has opened it, and keeps nothing
	c := &webChild{cmd: exec.Command(exe, "serve", "--listen", "127.0.0.1:0", "--web", "--mod", "ctf", "--console", "line", "--data", dir)}
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	if err := c.ready(bufio.NewScanner(out)); err != nil {
		return nil, errors.Join(err, c.end())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return c, nil
}

// ready reads where the server is.
func (c *webChild) ready(lines *bufio.Scanner) (err error) {
	for lines.Scan() {
		var at string
		if n, _ := fmt.Sscanf(lines.Text(), "listening on %s key %s", &at, &c.key); n == 2 {
			if c.udp, err = netip.ParseAddrPort(at); err != nil {
				return err
			}
		}
		if link, found := strings.CutPrefix(lines.Text(), "play in a browser: "); found {
			c.site, _, _ = strings.Cut(link, "/#")
			return nil
		}
	}
	return errors.New("the server does not start: see torc serve --web")
}

// cpu returns the CPU time of the process, user and system. It is not known on all systems.
func (c *webChild) cpu() (time.Duration, bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.cmd.Process.Pid))
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 13 {
		return 0, false
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	system, failed := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * time.Second / clockTicks, errors.Join(err, failed) == nil
}

func (c *webChild) end() error {
	_, _ = fmt.Fprintln(c.in, "quit") // fails only if it has ended
	_ = c.in.Close()
	return c.cmd.Wait()
}

// measureServerCPU compares the CPU of a server for browsers with that for native clients.
func measureServerCPU(dial dialer, long time.Duration) (r webResult, err error) {
	c, err := startWebChild()
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, c.end()) }()
	if _, known := c.cpu(); !known {
		return webResult{measured: "this system does not tell the CPU of another process", untried: true}, nil
	}
	idle, err := c.during(nil, long)
	native, err2 := c.during(c.joinNative, long)
	browser, err3 := c.during(func(n int) (*webPlayer, error) { return c.joinBrowser(dial, n) }, long)
	if err := errors.Join(err, err2, err3); err != nil {
		return r, err
	}
	ratio := (browser - idle) / (native - idle)
	return webResult{
		measured: fmt.Sprintf("%.2f × a native client; %.1f against %.1f ms of CPU per second and client, %.1f without clients", ratio, (browser-idle)/cpuPlayers, (native-idle)/cpuPlayers, idle),
		pass:     ratio <= cpuMost,
	}, nil
}

// during returns the milliseconds of CPU per second of the server while players are in the game.
func (c *webChild) during(join func(n int) (*webPlayer, error), long time.Duration) (perSecond float64, err error) {
	for n := 0; join != nil && n < cpuPlayers; n++ {
		p, err := join(n)
		if err != nil {
			return 0, err
		}
		defer func() { _ = p.leave() }()
	}
	time.Sleep(2 * time.Second) // the joins have ended
	before, _ := c.cpu()
	began := time.Now()
	time.Sleep(long)
	after, _ := c.cpu()
	return milliseconds(after-before) / time.Since(began).Seconds(), nil
}

func (c *webChild) joinNative(n int) (*webPlayer, error) {
	return joinWeb(fmt.Sprint("Native ", n), fmt.Sprintf("%s#%s", c.udp, c.key), nil)
}

func (c *webChild) joinBrowser(dial dialer, n int) (*webPlayer, error) {
	path, err := openPath(dial, c.site, c.udp, nil)
	if err != nil {
		return nil, err
	}
	return joinWeb(fmt.Sprint("Browser ", n), fmt.Sprintf("%s#%s", path.near.LocalAddr(), c.key), path)
}
