//go:build linux

package prompt

import (
	"io"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// lend returns a lease of the terminal as soon as it is granted.
func (p *person) lend() *TerminalLease {
	p.t.Helper()
	loans := make(chan *TerminalLease, 1)
	p.src.Lease(func(l *TerminalLease) { loans <- l })
	select {
	case l := <-loans:
		return l
	case <-testenv.Limit(p.t):
		require.FailNow(p.t, "the terminal was not lent")
		return nil
	}
}

// reads returns the next input of the lease.
func (p *person) reads(l *TerminalLease) string {
	p.t.Helper()
	b := make([]byte, 64)
	n, err := l.Read(b)
	require.NoError(p.t, err)
	return string(b[:n])
}

// silence returns the output that no call of sees has consumed yet.
func (p *person) silence() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.String()
}

func TestLeasedTerminalTakesInput(t *testing.T) {
	p := sit(t, SourceOptions{})
	p.sees("torc> ")
	p.types("half a line")
	p.sees("half a line")
	l := p.lend()
	_, err := io.WriteString(l, "<picture>")
	require.NoError(t, err)
	p.sees("<picture>")

	p.src.Print("printed meanwhile")
	p.src.SetPrompt("new> ")
	p.types("wasd")
	assert.Equal(t, "wasd", p.reads(l))
	p.types("\x1b[A")
	assert.Equal(t, "\x1b[A", p.reads(l))
	width, height := l.Size()
	assert.Equal(t, [2]int{80, 24}, [2]int{width, height})
	assert.Empty(t, p.silence(), "nothing of the prompt is drawn while it is lent")

	l.Return()
	p.sees(pasteOn)
	p.sees("printed meanwhile")
	p.sees("new> half a line")
	_, err = l.Read(make([]byte, 1))
	assert.ErrorIs(t, err, io.EOF)
	p.types("!\r")
	assert.Equal(t, Input{Text: "half a line!"}, p.gets())
}

func TestTerminalIsLeasedAgain(t *testing.T) {
	p := sit(t, SourceOptions{})
	for range 3 {
		p.types("view\r")
		assert.Equal(t, "view", p.gets().Text)
		l := p.lend()
		p.types("x")
		assert.Equal(t, "x", p.reads(l))
		l.Return()
		l.Return()
		p.sees("torc> ")
	}
	p.types("1 + 1\r")
	assert.Equal(t, "1 + 1", p.gets().Text)
}

func TestTerminalClosesDuringLease(t *testing.T) {
	p := sit(t, SourceOptions{})
	l := p.lend()
	p.src.Print("last words")
	require.NoError(t, p.src.Close())
	p.sees("last words")
	_, err := l.Read(make([]byte, 1))
	assert.ErrorIs(t, err, io.EOF)
	l.Return()
}

// TestKeysAfterDrainGoToPrompt checks that keys typed after Drain go to the prompt.
func TestKeysAfterDrainGoToPrompt(t *testing.T) {
	p := sit(t, SourceOptions{})
	l := p.lend()
	l.Drain()
	p.types("late\r")
	l.Return()
	assert.Equal(t, "late", p.gets().Text)
}

// TestUnreadKeyGoesToPrompt checks that a key already in flight at Drain goes to the prompt.
func TestUnreadKeyGoesToPrompt(t *testing.T) {
	in, typist := io.Pipe()
	defer typist.Close()
	k := newKeyboard(in)
	defer k.Close()
	l := &TerminalLease{keys: make(chan []byte), drained: make(chan struct{})}
	k.redirect(l)
	_, err := typist.Write([]byte("late"))
	require.NoError(t, err)
	l.Drain()
	assert.Equal(t, "late", string(<-k.typed))
}

func TestLeaseReportsResize(t *testing.T) {
	p := sit(t, SourceOptions{})
	l := p.lend()
	defer l.Return()
	changed := make(chan struct{}, 8)
	stop := l.Watch(func() { changed <- struct{}{} })
	p.resize(50)
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGWINCH)) // the kernel sends this for a real terminal
	<-changed
	width, _ := l.Size()
	assert.Equal(t, 50, width)
	stop()
	stop()
}
