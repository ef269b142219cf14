//go:build linux

package prompt

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"github.com/chzyer/readline"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// person is a user at a pseudo-terminal: it types and sees the output.
type person struct {
	t      *testing.T
	master *os.File
	slave  *os.File
	src    *Terminal
	mu     sync.Mutex
	seen   bytes.Buffer
	drawn  chan struct{}
}

func ioctl(t *testing.T, f *os.File, request uintptr, arg unsafe.Pointer) {
	t.Helper()
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(arg))
	require.Zero(t, errno)
}

func sit(t *testing.T, o SourceOptions) *person {
	t.Helper()
	p := pseudoTerminal(t)
	o.In, o.Out = p.slave, p.slave
	p.opens(o)
	return p
}

// pseudoTerminal makes a terminal on which nothing runs.
func pseudoTerminal(t *testing.T) *person {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	var lock, number uint32
	ioctl(t, master, syscall.TIOCSPTLCK, unsafe.Pointer(&lock))
	ioctl(t, master, syscall.TIOCGPTN, unsafe.Pointer(&number))
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	p := &person{t: t, master: master, slave: slave, drawn: make(chan struct{}, 1)}
	p.resize(80)
	go p.watch()
	return p
}

// opens opens the prompt.
func (p *person) opens(o SourceOptions) {
	p.t.Helper()
	var err error
	if o.Device != nil {
		p.src, err = NewTerminal(o)
	} else {
		var src Source
		src, err = Open(TTY, o)
		p.src, _ = src.(*Terminal)
	}
	require.NoError(p.t, err)
	p.t.Cleanup(func() {
		assert.NoError(p.t, p.src.Close())
		p.slave.Close()
		p.master.Close()
	})
}

func (p *person) resize(width uint16) {
	size := [4]uint16{24, width}
	ioctl(p.t, p.slave, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
}

func (p *person) watch() {
	b := make([]byte, 4096)
	for {
		n, err := p.master.Read(b)
		if err != nil {
			return
		}
		p.mu.Lock()
		p.seen.Write(b[:n])
		p.mu.Unlock()
		select {
		case p.drawn <- struct{}{}:
		default:
		}
	}
}

// sees waits until a text is drawn and discards the output up to it.
func (p *person) sees(text string) {
	p.t.Helper()
	limit := testenv.Limit(p.t)
	for {
		p.mu.Lock()
		at := bytes.Index(p.seen.Bytes(), []byte(text))
		if at >= 0 {
			p.seen.Next(at + len(text))
			p.mu.Unlock()
			return
		}
		drawn := p.seen.String()
		p.mu.Unlock()
		select {
		case <-p.drawn:
		case <-limit:
			require.FailNow(p.t, "not drawn", "%q in %q", text, drawn)
		}
	}
}

func (p *person) types(keys string) {
	p.t.Helper()
	_, err := p.master.WriteString(keys)
	require.NoError(p.t, err)
}

// words is a console that knows some words and one secret.
type words []string

func (w words) Complete(line string, pos int) (candidates []string, start int) {
	start = strings.LastIndexByte(line[:pos], ' ') + 1
	for _, word := range w {
		if strings.HasPrefix(word, line[start:pos]) {
			candidates = append(candidates, word)
		}
	}
	return candidates, start
}

func (w words) Secret(line string) bool { return strings.HasPrefix(line, "password") }

var vocabulary = words{"players", "players.kick", "quit"}

// gets answers requests until a line arrives, and remembers the line.
func (p *person) gets() Input {
	p.t.Helper()
	limit := testenv.Limit(p.t)
	for {
		select {
		case line, ok := <-p.src.Lines():
			require.True(p.t, ok, "the source has ended")
			line.Remember(vocabulary)
			line.from = nil
			return line
		case ask := <-p.src.Asks():
			ask.Run(vocabulary)
		case <-limit:
			require.FailNow(p.t, "no line came")
		}
	}
}

// answers answers one request.
func (p *person) answers() {
	p.t.Helper()
	select {
	case ask := <-p.src.Asks():
		ask.Run(vocabulary)
	case <-testenv.Limit(p.t):
		require.FailNow(p.t, "nothing was asked")
	}
}

func TestTerminalDrawsAboveWhatIsTyped(t *testing.T) {
	p := sit(t, SourceOptions{})
	p.sees("torc> ")
	p.types("stat")
	p.sees("stat")
	p.src.Print("a log line")
	p.sees("a log line\r\ntorc> stat")
	p.types("us\r")
	assert.Equal(t, Input{Text: "status"}, p.gets())
	p.src.Print("\x1b[2Jhostile \u202etxt")
	p.sees(`\x1b[2Jhostile \u202etxt`)
	p.src.SetPrompt("client> ")
	p.sees("client> ")
}

func TestTerminalCompletes(t *testing.T) {
	p := sit(t, SourceOptions{})
	p.types("pl\t")
	p.answers()
	p.sees("players")
	p.types("\t")
	p.answers()
	p.sees("players       players.kick\r\ntorc> players")
	p.types("\t")
	p.answers()
	p.types(".\t")
	p.answers()
	p.sees("players.kick ")
	p.types("3\r")
	assert.Equal(t, "players.kick 3", p.gets().Text)
}

// waits checks that the prompt draws output, and that no line comes.
func (p *person) waits() {
	p.t.Helper()
	p.src.Print("the game goes on")
	p.sees("the game goes on")
	select {
	case line := <-p.src.Lines():
		assert.Fail(p.t, "a line did not wait", line.Text)
	default:
	}
}

// TestLateCompletions types on while the answers to two Tabs are on their way. The keys follow in
// order, however late the answers are, and output is drawn meanwhile.
func TestLateCompletions(t *testing.T) {
	p := sit(t, SourceOptions{})
	p.types("pl\t.ki\tBo\x02\x02é\x1b[F!\rplayers\r")
	for range 2 {
		p.waits()
		p.answers()
	}
	assert.Equal(t, "players.kick éBo!", p.gets().Text)
	assert.Equal(t, "players", p.gets().Text)
}

// TestStaleCompletions discards a line whose completion is on its way, and what was typed behind
// it. The answer comes when the next line has begun, and is dropped.
func TestStaleCompletions(t *testing.T) {
	p := sit(t, SourceOptions{})
	p.types("pl\t")
	late := <-p.src.Asks()
	p.types("x\rquit\r\x03")
	assert.Equal(t, Input{Event: InputCleared}, p.gets())
	p.types("pl")
	p.sees("torc> pl")
	late.Run(vocabulary)
	p.waits()
	p.types("\r")
	assert.Equal(t, "pl", p.gets().Text)
	p.types("pl\t\x03") // nobody has taken this question
	assert.Equal(t, Input{Event: InputCleared}, p.gets())
	p.types("q\t\r")
	assert.Equal(t, "quit ", p.gets().Text)
}

// TestHistoryWaitsForAnswers asks for the line before while it is unknown whether it is secret.
func TestHistoryWaitsForAnswers(t *testing.T) {
	p := sit(t, SourceOptions{})
	p.types("first\r")
	first := <-p.src.Lines()
	p.types("\x1b[A!\r")
	p.waits()
	first.Remember(vocabulary)
	second := <-p.src.Lines()
	assert.Equal(t, "first!", second.Text)
	p.types("\x1b[Alost\r\x03") // the answer does not come
	assert.Equal(t, Input{Event: InputCleared}, p.gets())
	_, settled := p.src.requested()
	require.True(t, settled, "nothing is awaited")
	p.types("\x1b[A\r")
	assert.Equal(t, "first", p.gets().Text)
	second.Remember(vocabulary) // late
	p.types("\x1b[A\r")
	assert.Equal(t, "first!", p.gets().Text)
}

// A script is a Device that types a text and ends.
type script struct{ io.Reader }

func (script) Write(b []byte) (int, error) { return len(b), nil }
func (script) Size() (width, height int)   { return 80, 24 }
func (script) Watch(func()) (stop func())  { return func() {} }
func (script) Close() error                { return nil }

// TestKeysBeforeTheEnd: keys that wait for an answer count although the input has ended. Close does
// not wait for an answer.
func TestKeysBeforeTheEnd(t *testing.T) {
	for _, closes := range []bool{false, true} {
		src, err := NewTerminal(SourceOptions{Device: script{strings.NewReader("q\tx\r\x1b[A\rhalf")}})
		require.NoError(t, err)
		ask := <-src.Asks()
		if closes {
			require.NoError(t, src.Close())
		} else {
			ask.Run(vocabulary)
			for range 2 {
				line := <-src.Lines()
				assert.Equal(t, "quit x", line.Text)
				line.Remember(vocabulary)
			}
		}
		_, open := <-src.Lines()
		assert.False(t, open)
		require.NoError(t, src.Close())
	}
}

// TestTypeaheadIsBounded types more keys than wait for an answer. Ctrl-C is never lost.
func TestTypeaheadIsBounded(t *testing.T) {
	k := keyboard{rest: make([][]byte, maxTypeahead-1)}
	k.add([][]byte{{'x'}, {'y'}, {readline.CharInterrupt}})
	assert.Equal(t, [][]byte{{'x'}, {readline.CharInterrupt}}, k.rest[maxTypeahead-1:])
}

func TestTerminalControlKeys(t *testing.T) {
	p := sit(t, SourceOptions{})
	p.types("half\x03")
	assert.Equal(t, Input{Event: InputCleared}, p.gets())
	p.types("\x13\x00rest\r") // Ctrl-S and NUL have no effect
	assert.Equal(t, Input{Text: "rest"}, p.gets())
	p.types("\x03")
	assert.Equal(t, Input{Event: InputCleared}, p.gets())
	p.sees("press again to quit")
	p.types("\x04")
	assert.Equal(t, Input{Event: InputInterrupt}, p.gets())
	p.types("\x12\x03") // a search in an empty history, then cancel
	p.types("on\r")
	assert.Equal(t, "on", p.gets().Text)
}

func TestTerminalHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	require.NoError(t, os.WriteFile(path, []byte("first\n\n"), 0o644))
	p := sit(t, SourceOptions{History: path})
	for _, line := range []string{"second", "second", " third", "password x"} {
		p.types(line + "\r")
		assert.Equal(t, line, p.gets().Text)
	}
	p.sees("password x")
	p.types("\x1b[A\x1b[A\r")
	assert.Equal(t, "first", p.gets().Text)
	require.NoError(t, p.src.Close())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "first\n\nsecond\nfirst\n", string(text))
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
}

// TestTerminalKeys edits a line with the keys of the terminals that people use.
func TestTerminalKeys(t *testing.T) {
	for _, c := range []struct{ terminal, home, end, left, right string }{
		{"xterm", "\x1b[H", "\x1b[F", "\x1b[1;5D", "\x1b[1;5C"},
		{"xterm in application mode", "\x1bOH", "\x1bOF", "\x1b[1;5D", "\x1b[1;5C"},
		{"tmux", "\x1b[1~", "\x1b[4~", "\x1b[1;5D", "\x1b[1;5C"},
		{"screen", "\x1b[1~", "\x1b[4~", "\x1b[5D", "\x1b[5C"},
		{"PuTTY", "\x1b[1~", "\x1b[4~", "\x1b\x1b[D", "\x1b\x1b[C"},
		{"PuTTY as rxvt", "\x1b[H", "\x1bOw", "\x1b\x1b[D", "\x1b\x1b[C"},
		{"the Linux console", "\x1b[1~", "\x1b[4~", "\x1bb", "\x1bf"},
		{"rxvt", "\x1b[7~", "\x1b[8~", "\x1bOd", "\x1bOc"},
	} {
		t.Run(c.terminal, func(t *testing.T) {
			p := sit(t, SourceOptions{})
			p.types("ab cd" + c.home + "1" + c.end + "2" + c.left + "3" + c.home + c.right + "4" + "\x1b[[A\r")
			assert.Equal(t, "1ab 43cd2", p.gets().Text)
		})
	}
}

func TestTerminalResizeAndPaste(t *testing.T) {
	p := sit(t, SourceOptions{})
	p.types(strings.Repeat("x", 70))
	p.sees("xxx")
	for _, width := range []uint16{40, 6, 1, 0, 200} {
		p.resize(width)
		p.src.later(func(e *request) { e.resized = true }) // as the signal does
		p.types("\x1b[D")
	}
	p.types("\x05\x1b[200~\tpasted\x1b[201~\r")
	assert.Equal(t, strings.Repeat("x", 70)+" pasted", p.gets().Text)
}

// TestTerminalCutsLongLines types and pastes more than fits, also by the keys that copy text within
// a line.
func TestTerminalCutsLongLines(t *testing.T) {
	p := sit(t, SourceOptions{MaxLine: 30})
	p.types(strings.Repeat("x", 25) + "y" + "\x01\x0b\x19\x19\x05z\r") // cuts the line, and puts it back twice
	assert.Equal(t, strings.Repeat("x", 25)+"y"+"xxxx", p.gets().Text)
	p.types("short\r")
	assert.Equal(t, "short", p.gets().Text)
}

func TestTerminalUnderFlood(t *testing.T) {
	p := sit(t, SourceOptions{})
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for i := range 300 {
				p.src.Print(fmt.Sprint("tick ", i))
				if i%50 == 0 {
					p.src.SetPrompt(fmt.Sprint(i, "> "))
				}
			}
		})
	}
	for i := range 20 {
		p.types("pl\t\x12a\x07\x1b[D\x1b[C" + strings.Repeat("é", i) + "\x01\x0b")
		p.types(fmt.Sprint("line ", i, "\r"))
		for {
			if line := p.gets(); line.Text == fmt.Sprint("line ", i) {
				break
			}
		}
	}
	writers.Wait()
}

func TestTerminalIsRestored(t *testing.T) {
	var before, after syscall.Termios
	p := sit(t, SourceOptions{})
	state := *(*syscall.Termios)(unsafe.Pointer(p.src.device.(*files).before))
	before = state
	p.types("half typed")
	p.sees("half typed")
	p.src.Print("last words")
	require.NoError(t, p.src.Close())
	p.sees("last words")
	ioctl(t, p.slave, syscall.TCGETS, unsafe.Pointer(&after))
	assert.Equal(t, before, after)
	for line := range p.src.Lines() {
		assert.Fail(t, "half a line was taken for one", line.Text)
	}
}

func TestTerminalHangup(t *testing.T) {
	p := sit(t, SourceOptions{})
	p.types("quit")
	p.sees("quit")
	p.src.keyboard.Close() // same effect as a read error of the terminal
	select {
	case line, ok := <-p.src.Lines():
		assert.False(t, ok, line.Text)
	case <-testenv.Limit(t):
		assert.Fail(t, "the source did not end")
	}
}
