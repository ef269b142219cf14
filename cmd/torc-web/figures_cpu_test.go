//go:build !js

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// asServerEnv is set in the process of a server.
const asServerEnv = "TORC_FIGURE_SERVER"

// webChild is a server of ctf that serves browsers, in a process of its own.
type webChild struct {
	cmd  *exec.Cmd
	udp  netip.AddrPort
	key  string
	site string
}

// TestAsServer is the process of a webChild, and skipped otherwise. It ends with its standard
// input.
func TestAsServer(t *testing.T) {
	if os.Getenv(asServerEnv) == "" {
		t.Skip("only TestFiguresOfTheServersCPU runs it")
	}
	s := plainServer(t)
	fmt.Printf("server %s %s http://%s\n", s.Addr(), s.Key(), s.Addresses().Web)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func startWebChild(t *testing.T) *webChild {
	t.Helper()
	c := &webChild{cmd: exec.Command(os.Args[0], "-test.run=^TestAsServer$")}
	c.cmd.Env = append(os.Environ(), asServerEnv+"=1")
	in, err := c.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := c.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, testenv.Start(t, c.cmd))
	t.Cleanup(func() { assert.NoError(t, errors.Join(in.Close(), c.cmd.Wait())) })
	var at string
	for lines := bufio.NewScanner(out); c.site == "" && lines.Scan(); {
		if n, _ := fmt.Sscanf(lines.Text(), "server %s %s %s", &at, &c.key, &c.site); n == 3 {
			c.udp, err = netip.ParseAddrPort(at)
			require.NoError(t, err)
		}
	}
	require.NotEmpty(t, c.site, "the server does not start")
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return c
}

// cpu returns the CPU time of the process. It is not known on all systems.
func (c *webChild) cpu() (time.Duration, bool) { return testenv.CPUTime(c.cmd.Process.Pid) }

// TestFiguresOfTheServersCPU compares the CPU of a server for browsers with that for native
// clients.
func TestFiguresOfTheServersCPU(t *testing.T) {
	figures(t)
	const long = figureTime
	for name, dial := range map[string]dialer{"rtc": dialRTC, "ws": dialSocket} {
		c := startWebChild(t)
		if _, known := c.cpu(); !known {
			t.Skip("this system does not tell the CPU of another process")
		}
		idle := c.during(t, nil, long)
		native := c.during(t, c.joinNative, long)
		browser := c.during(t, func(n int) (*webPlayer, error) { return c.joinBrowser(dial, n) }, long)
		ratio := (browser - idle) / (native - idle)
		t.Logf("%s: %.2f × a native client; %.1f against %.1f ms of CPU per second and client, %.1f without clients",
			name, ratio, (browser-idle)/cpuPlayers, (native-idle)/cpuPlayers, idle)
		assert.LessOrEqual(t, ratio, cpuMost, name)
	}
}

// during returns the milliseconds of CPU per second of the server while players are in the game.
func (c *webChild) during(t *testing.T, join func(n int) (*webPlayer, error), long time.Duration) (perSecond float64) {
	t.Helper()
	var players []*webPlayer
	for n := 0; join != nil && n < cpuPlayers; n++ {
		p, err := join(n)
		require.NoError(t, err)
		defer func() { assert.NoError(t, p.leave()) }()
		players = append(players, p)
	}
	for _, p := range players {
		p.moves(t, settleTime) // after the joins
	}
	before, _ := c.cpu()
	began := time.Now()
	time.Sleep(long)
	after, _ := c.cpu()
	return 1000 * (after - before).Seconds() / time.Since(began).Seconds()
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
