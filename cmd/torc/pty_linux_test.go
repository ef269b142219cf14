package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/torc-engine/torc/internal/testenv"
)

// person is a user at a pseudo terminal that runs the program. It types and reads the screen.
type person struct {
	t      *testing.T
	cmd    *exec.Cmd
	master *os.File
	slave  *os.File     // kept open, so that the terminal outlives the program
	found  unix.Termios // the initial mode of the terminal
	drawn  chan []byte
	screen screen
	raw    bytes.Buffer // everything that was drawn
}

// sit runs the program in a terminal of 24 rows with a new data folder.
func sit(t *testing.T, width int, args ...string) *person {
	t.Helper()
	path, err := torc()
	require.NoError(t, err, path)
	cmd := exec.Command(path, append(args, "--data", t.TempDir())...)
	cmd.Env = append(environment(t, path), "TERM=xterm")
	return sitAt(t, width, cmd)
}

// sitAt runs a command in a terminal of 24 rows.
func sitAt(t *testing.T, width int, cmd *exec.Cmd) *person {
	t.Helper()
	var err error
	p := &person{t: t, drawn: make(chan []byte, 10_000), screen: screen{width: width}}
	p.master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetPointerInt(int(p.master.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(p.master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	p.slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	p.resize(width)
	p.found = p.mode()

	p.cmd = cmd
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = p.slave, p.slave, p.slave
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	require.NoError(t, testenv.Start(t, p.cmd))
	go p.watch()
	t.Cleanup(func() {
		p.slave.Close()
		p.master.Close()
	})
	return p
}

func (p *person) watch() {
	for {
		b := make([]byte, 4096)
		n, err := p.master.Read(b)
		if err != nil {
			return
		}
		p.drawn <- b[:n]
	}
}

// resize changes the width of the terminal. A signal tells the program.
func (p *person) resize(width int) {
	p.t.Helper()
	require.NoError(p.t, unix.IoctlSetWinsize(int(p.slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(width)}))
	p.screen.width = width
}

func (p *person) types(keys string) {
	p.t.Helper()
	_, err := io.WriteString(p.master, keys)
	require.NoError(p.t, err)
}

// until waits until looks returns true for the screen.
func (p *person) until(what string, looks func() bool) {
	p.t.Helper()
	limit := testenv.Limit(p.t)
	for !looks() {
		select {
		case b := <-p.drawn:
			p.raw.Write(b)
			p.screen.write(b)
		case <-limit:
			require.FailNow(p.t, "the screen never showed it", "%s\n%s", what, strings.Join(p.screen.text(), "\n"))
		}
	}
}

// sees waits until the screen ends with these rows. The last one is the input line.
func (p *person) sees(rows ...string) {
	p.t.Helper()
	p.until(strings.Join(rows, "\n"), func() bool {
		text := p.screen.text()
		at := len(text) - len(rows)
		return at >= 0 && strings.Join(text[at:], "\n") == strings.Join(rows, "\n")
	})
}

// ends waits for the end of the program, expects its status and draws the remaining output.
func (p *person) ends(status int) {
	p.t.Helper()
	err := p.cmd.Wait()
	var left *exec.ExitError
	if err != nil && !errors.As(err, &left) {
		require.NoError(p.t, err)
	}
	require.Equal(p.t, status, p.cmd.ProcessState.ExitCode(), "%s", strings.Join(p.screen.text(), "\n"))
	require.NotContains(p.t, p.raw.String(), "DATA RACE")
}

// mode returns the terminal's settings for input and output.
func (p *person) mode() unix.Termios {
	p.t.Helper()
	mode, err := unix.IoctlGetTermios(int(p.slave.Fd()), unix.TCGETS)
	require.NoError(p.t, err)
	return *mode
}

// screen emulates the terminal functions that the prompt needs: wrapping, cursor movement and
// erasing.
type screen struct {
	width    int
	rows     [][]rune
	row, col int
	escape   []byte // the unfinished escape sequence
}

func (s *screen) write(b []byte) {
	for _, r := range string(b) {
		if len(s.escape) > 0 {
			s.escape = append(s.escape, byte(r))
			if r >= '@' && r != '[' {
				s.do(string(s.escape[2:len(s.escape)-1]), byte(r))
				s.escape = s.escape[:0]
			}
			continue
		}
		switch r {
		case 0x1b:
			s.escape = append(s.escape, byte(r))
		case '\r':
			s.col = 0
		case '\n':
			s.row++
		case '\b':
			s.col = max(s.col-1, 0)
		case '\a':
		default:
			s.put(r)
		}
	}
}

func (s *screen) put(r rune) {
	if s.col >= s.width {
		s.row, s.col = s.row+1, 0
	}
	row := s.at(s.row)
	for len(*row) <= s.col {
		*row = append(*row, ' ')
	}
	(*row)[s.col] = r
	s.col++
}

func (s *screen) at(row int) *[]rune {
	for len(s.rows) <= row {
		s.rows = append(s.rows, nil)
	}
	return &s.rows[row]
}

// do executes the sequence ESC [ args end.
func (s *screen) do(args string, end byte) {
	n := 1
	_, _ = fmt.Sscanf(args, "%d", &n)
	switch end {
	case 'A':
		s.row = max(s.row-n, 0)
	case 'B':
		s.row += n
	case 'C':
		s.col = min(s.col+n, s.width-1)
	case 'D':
		s.col = max(s.col-n, 0)
	case 'J': // from the cursor to the end
		row := s.at(s.row)
		*row = (*row)[:min(s.col, len(*row))]
		s.rows = s.rows[:s.row+1]
	case 'K':
		row := s.at(s.row)
		if args == "2" {
			*row = nil
		}
		*row = (*row)[:min(s.col, len(*row))]
	}
}

// text returns the rows without trailing blanks, up to the last row that is not empty.
func (s *screen) text() []string {
	var text []string
	for _, row := range s.rows {
		text = append(text, strings.TrimRight(string(row), " "))
	}
	for len(text) > 0 && text[len(text)-1] == "" {
		text = text[:len(text)-1]
	}
	return text
}

// usesPrompt types at an attached prompt: it runs a line, asks for the rest of a chunk, completes a
// name, and prints the output of the server above the typed text.
func (p *person) usesPrompt(server *process) {
	p.t.Helper()
	p.sees("torc>")
	p.types("1 + 1\r")
	p.sees("torc> 1 + 1", "2", "torc>")
	p.types("function f()\r")
	p.sees("torc> function f()", "....>")
	p.types("\x03")
	p.sees("....> ^C", "(press again to quit)", "torc>")
	p.types("statu\t")
	p.sees("torc> status")
	server.say(`echo("news")`)
	p.sees("news", "torc> status")
	p.types("\x03")
	p.sees("torc> status ^C", "torc>")
}
