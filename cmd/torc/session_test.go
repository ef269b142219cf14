package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A session is the program on a goroutine of the test's process: the same lines come, for a third
// of the CPU time of a child process. Tests of the real exit, of real signals and of a killed
// program need a child.

// startSession runs the program as a session. It ends with the test.
func startSession(t *testing.T, args []string) *process {
	t.Helper()
	path, err := torc()
	require.NoError(t, err, path)
	in, stdin, err := os.Pipe()
	require.NoError(t, err)
	stdout, out, err := os.Pipe()
	require.NoError(t, err)
	p := &process{t: t, args: args, signals: new(ownSignals), in: stdin, out: make(chan string, 10_000), err: new(complaints)}
	sys := ownSystem(path, p.signals)
	sys.args, sys.in, sys.out, sys.err = args, in, out, p.err
	status := make(chan int, 1)
	go func() {
		defer in.Close()
		defer out.Close()
		status <- sys.run()
	}()
	p.wait = sync.OnceValue(func() int { return <-status })
	go p.read(stdout)
	t.Cleanup(func() {
		p.giveUp()
		p.leaves()
		_ = stdin.Close()
	})
	return p
}

// leaves waits until a session has ended.
func (p *process) leaves() {
	gone := make(chan struct{})
	go func() { p.wait(); close(gone) }()
	go func() {
		for range p.out { // a full pipe would stop it
		}
	}()
	select {
	case <-gone:
	case <-time.After(time.Minute):
		p.t.Errorf("a session does not end: %v", p.args)
	}
}

// ownSystem returns a system that has the environment of a child process. It can neither start
// again nor end at once, as a process does.
func ownSystem(path string, signals *ownSignals) *system {
	environ := environmentAt(filepath.Dir(path), path) // nobody leaves anything there
	return &system{
		environ: environ, notify: signals.notify,
		lookup: func(name string) (string, bool) {
			for _, v := range environ {
				if value, ok := strings.CutPrefix(v, name+"="); ok {
					return value, true
				}
			}
			return "", false
		},
		again: func([]string) error { return errors.New("a session of a test does not start again") },
		exit:  func(int) {}, // a session cannot end at once: it waits for its node
	}
}

// run runs the program with the environment of the test's process, and returns the status.
func run(args []string, stdout, stderr io.Writer) int {
	sys := ofProcess()
	sys.args, sys.in, sys.out, sys.err = args, strings.NewReader(""), stdout, stderr
	return sys.run()
}

// ownSignals are signals that reach one session.
type ownSignals struct {
	mu    sync.Mutex
	takes []taker
	sent  []os.Signal
}

// taker is a channel that gets some signals.
type taker struct {
	to      chan<- os.Signal
	signals []os.Signal
}

// notify stands for signal.Notify. A signal that was sent before is not lost.
func (o *ownSignals) notify(c chan<- os.Signal, signals ...os.Signal) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := taker{c, signals}
	o.takes = append(o.takes, n)
	for _, s := range o.sent {
		n.take(s)
	}
}

// send sends a signal.
func (o *ownSignals) send(s os.Signal) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent = append(o.sent, s)
	for _, n := range o.takes {
		n.take(s)
	}
}

// take puts a signal into the channel, if it has room, as the package os/signal does.
func (n taker) take(s os.Signal) {
	if !slices.Contains(n.signals, s) {
		return
	}
	select {
	case n.to <- s:
	default:
	}
}

// complaints is what a program writes to stderr. Any goroutine may write.
type complaints struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (c *complaints) Write(text []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.Write(text)
}

func (c *complaints) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}
