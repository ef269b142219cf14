//go:build linux

package prompt

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// sleeper is a device whose process is suspended without a stop.
type sleeper struct {
	Device
	suspended atomic.Int32
	asleep    chan struct{} // closed during the first suspension
	awake     chan struct{} // ends all suspensions when it is closed
}

func newSleeper(d Device) *sleeper {
	return &sleeper{Device: d, asleep: make(chan struct{}), awake: make(chan struct{})}
}

func (s *sleeper) suspend() error {
	if s.suspended.Add(1) == 1 {
		close(s.asleep)
	}
	<-s.awake
	return nil
}

// sitWith opens a terminal whose device is made by wrap.
func sitWith(t *testing.T, wrap func(Device) Device) *person {
	p := pseudoTerminal(t)
	device, err := openFiles(p.slave, p.slave)
	require.NoError(t, err)
	p.opens(SourceOptions{Device: wrap(device)})
	return p
}

// TestSuspendKeepsTheTypedLine presses Ctrl-Z in the middle of a line. The line is off the screen
// while the process stands still, and comes back with its output. A pasted Ctrl-Z has no effect.
func TestSuspendKeepsTheTypedLine(t *testing.T) {
	var s *sleeper
	p := sitWith(t, func(d Device) Device { s = newSleeper(d); return s })
	p.types("half\x1a")
	<-s.asleep
	p.sees("half\x1b[J\x1b[2K\r" + pasteOff) // erased, and no marks of pasted text for the shell
	p.src.Print("meanwhile")
	close(s.awake)
	p.sees(pasteOn)
	p.sees("meanwhile\r\ntorc> half")
	p.types(" done\r")
	assert.Equal(t, Input{Text: "half done"}, p.gets())
	p.types("\x1b[200~pasted\x1a\x1b[201~\r")
	assert.Equal(t, "pasted", p.gets().Text)
	assert.EqualValues(t, 1, s.suspended.Load())
}

// TestSuspendUnderALease: the process is suspended when the lease is returned, and the next lease
// starts after that.
func TestSuspendUnderALease(t *testing.T) {
	var s *sleeper
	p := sitWith(t, func(d Device) Device { s = newSleeper(d); return s })
	close(s.awake)
	leases := make(chan *TerminalLease)
	p.src.Lease(func(l *TerminalLease) { leases <- l })
	first := <-leases
	require.True(t, p.src.Suspend())
	p.src.Lease(func(l *TerminalLease) { leases <- l })
	assert.Zero(t, s.suspended.Load())
	first.Return()
	second := <-leases
	assert.EqualValues(t, 1, s.suspended.Load())
	second.Return()
	p.types("on\r")
	assert.Equal(t, "on", p.gets().Text)
}

// TestTheShellGetsWhatIsTypedForIt: the program reads nothing that is typed while it is suspended,
// even if a script around it has stopped earlier than the program itself.
func TestTheShellGetsWhatIsTypedForIt(t *testing.T) {
	p := pseudoTerminal(t)
	device, err := openFiles(p.slave, p.slave)
	require.NoError(t, err)
	program := make(chan string, 1)
	b := make([]byte, 64)
	go func() {
		n, _ := device.Read(b)
		program <- string(b[:n])
	}()
	device.reading.Lock() // as suspend does
	p.types("for the shell")
	for range 50 { // a fault is found unless it takes longer
		require.Empty(t, program)
		testenv.Pause()
	}
	shell := make([]byte, 64)
	n, err := p.slave.Read(shell)
	require.NoError(t, err)
	assert.Equal(t, "for the shell", string(shell[:n]))
	device.reading.Unlock()
	limit := testenv.Limit(t)
	for range 50 { // it waits for input without the lock, so it can be suspended again
		for !device.reading.TryLock() {
			require.False(t, testenv.Expired(limit), "the program cannot be suspended again")
			testenv.Pause()
		}
		device.reading.Unlock()
		testenv.Pause()
	}
	p.types("for the program")
	assert.Equal(t, "for the program", <-program)
	p.master.Close()
	p.slave.Close()
}

// TestRemoteTerminalsCannotSuspend: Ctrl-Z has no effect at the end of a connection.
func TestRemoteTerminalsCannotSuspend(t *testing.T) {
	p := sitWith(t, func(d Device) Device { return struct{ Device }{d} })
	assert.False(t, p.src.Suspend())
	p.types("\x1arest\r")
	assert.Equal(t, "rest", p.gets().Text)
}
