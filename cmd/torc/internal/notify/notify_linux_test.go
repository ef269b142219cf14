package notify

import (
	"bytes"
	"errors"
	"log/slog"
	"net"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// systemd is the end of the manager.
type systemd struct {
	t *testing.T
	*net.UnixConn
}

func listen(t *testing.T) systemd {
	at := &net.UnixAddr{Name: filepath.Join(t.TempDir(), "n"), Net: "unixgram"}
	c, err := net.ListenUnixgram("unixgram", at)
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	t.Setenv("NOTIFY_SOCKET", at.Name)
	return systemd{t, c}
}

// heard returns the messages so far: the end mark comes after them.
func (s systemd) heard(m *Manager) (all []string) {
	const end = "END=1"
	m.send(end)
	b := make([]byte, 4096)
	for {
		n, err := s.Read(b)
		require.NoError(s.t, err)
		if string(b[:n]) == end {
			return all
		}
		all = append(all, regexp.MustCompile(`MONOTONIC_USEC=\d+`).ReplaceAllString(string(b[:n]), "MONOTONIC_USEC=N"))
	}
}

func TestManager(t *testing.T) {
	s := listen(t)
	m := New(slog.New(slog.DiscardHandler))
	m.Ready("0 of 32 players")
	m.Round(0, func() string { return "0 of 32 players" })
	m.Round(statusTime-1, func() string { return "1 of 32 players" })
	m.Round(statusTime, func() string { return "2 of 32 players" })
	assert.Equal(t, []string{"READY=1\nSTATUS=0 of 32 players", "STATUS=2 of 32 players"}, s.heard(m))

	assert.NoError(t, m.Reload(func() error {
		assert.Equal(t, []string{"RELOADING=1\nMONOTONIC_USEC=N"}, s.heard(m), "before the reload")
		return nil
	}))
	wrong := errors.New("nothing is reloaded:\ntorc.toml:3")
	assert.Equal(t, wrong, m.Reload(func() error { return wrong }))
	assert.Equal(t, []string{
		"READY=1\nSTATUS=2 of 32 players", "RELOADING=1\nMONOTONIC_USEC=N", "READY=1\nSTATUS=nothing is reloaded: torc.toml:3",
	}, s.heard(m))

	m.Restarting()
	m.Stopping()
	assert.Equal(t, []string{"RELOADING=1\nMONOTONIC_USEC=N\nSTATUS=restarting", "STOPPING=1\nSTATUS=ending"}, s.heard(m))
}

// TestWatchdog checks that signs of life come from rounds alone, four in the time of the watchdog.
func TestWatchdog(t *testing.T) {
	s := listen(t)
	t.Setenv("WATCHDOG_USEC", "20000000")
	m := New(slog.New(slog.DiscardHandler))
	none := func() string { return "" }
	for now := range 20 * time.Second / time.Millisecond {
		m.Round(now*time.Millisecond, none)
	}
	sign := "WATCHDOG=1"
	assert.Equal(t, []string{sign, sign, sign, sign}, s.heard(m))

	t.Setenv("WATCHDOG_PID", "1") // it watches another process
	m = New(slog.New(slog.DiscardHandler))
	m.Round(0, none)
	assert.Empty(t, s.heard(m))
}

// TestNoManager checks that a process without systemd works, and that a lost message is logged
// once.
func TestNoManager(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	m := New(slog.New(slog.DiscardHandler))
	m.Ready("")
	m.Round(0, nil)
	m.Restarting()
	m.Stopping()
	wrong := errors.New("wrong")
	assert.Equal(t, wrong, m.Reload(func() error { return wrong }))

	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "none"))
	var log bytes.Buffer
	m = New(slog.New(slog.NewTextHandler(&log, nil)))
	m.Ready("")
	m.Stopping()
	assert.Equal(t, 1, bytes.Count(log.Bytes(), []byte("systemd is not told")))
}

// TestDraining checks that a server which drains asks for more time in time, and not for more than
// it has.
func TestDraining(t *testing.T) {
	s := listen(t)
	m := New(slog.New(slog.DiscardHandler))
	m.Draining(time.Second, 0)
	assert.Empty(t, s.heard(m), "it does not drain")
	for now := time.Second; now < 20*time.Second; now += time.Millisecond {
		m.Draining(now, 14*time.Second)
	}
	more := "EXTEND_TIMEOUT_USEC=20000000"
	assert.Equal(t, []string{"STOPPING=1", more, more, more}, s.heard(m), "after 1, 6 and 11 s")
	m = nil
	m.Draining(time.Second, time.Minute)
}
