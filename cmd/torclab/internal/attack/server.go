package attack

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/torc-engine/torc/netcore/seal"
)

// site is a server under attack and its honest clients.
type site struct {
	to       netip.AddrPort
	key      *seal.Key // nil: any key
	password string
	server   console // nil: the server is not the suite's own
	dir      string  // the folder of the suite's own server, with its mods
	crowd    *crowd
}

// console is a server of the suite: its console, its log and its memory.
type console interface {
	// exec runs a console line and returns its output.
	exec(line string) (string, error)
	// log returns the log since the start, output the console's output.
	log() string
	output() string
	// memory returns the bytes of the process, 0 if they are unknown.
	memory() int
	close() error
}

const password = "sesame"

// vars are the variables of the suite's server.
const vars = "[vars]\nnet.limitLoopback = true\nctf.warmup = 0\nctf.timeLimit = 1440\nctf.scoreLimit = 100\n"

// child is a server in a process of its own.
type child struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	dir  string
	logs buffer
	outs buffer

	lines chan string
	marks int
}

// buffer is text that one goroutine writes and others read.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

var listening = regexp.MustCompile(`^listening on (\S+) key (\S+)$`)

// setup is the setup of a server of the suite.
type setup struct {
	listen string // its UDP address
	mod    string // a mod besides base and ctf; "" is none
	script string // its script for the server
	web    bool   // it serves browsers too, without a client
}

// startChild starts a server with base and ctf. listen is its UDP address.
func startChild(ctx context.Context, torc, listen string) (*site, error) {
	return startSetup(ctx, torc, setup{listen: listen})
}

// startSetup starts a server of the program torc. It ends with ctx, or with this process.
func startSetup(ctx context.Context, torc string, o setup) (*site, error) {
	s := &child{lines: make(chan string, 1<<16)}
	var err error
	if s.dir, err = os.MkdirTemp("", "torc-attack-"); err != nil {
		return nil, err
	}
	mods := "ctf"
	files := map[string]string{"torc.toml": vars}
	if o.mod != "" {
		mods += "," + o.mod
		maps.Copy(files, modFiles(o.mod, o.script))
	}
	err = errors.Join(os.Mkdir(filepath.Join(s.dir, modsFolder), 0o700), writeFiles(s.dir, files))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(s.dir))
	}
	args := []string{
		"serve", "--listen", o.listen, "--mods", filepath.Join(s.dir, modsFolder), "--mod", mods,
		"--password", password, "--name", "attacked", "--max-clients", "1000", "--console", "line",
		"--data", filepath.Join(s.dir, "data"), "--config", filepath.Join(s.dir, "torc.toml"), "--strict",
	}
	if o.web {
		args = append(args, "--web")
	}
	s.cmd = exec.CommandContext(ctx, torc, args...)
	if o.web {
		s.cmd.Env = append(s.cmd.Environ(), "PATH=") // there is no toolchain that could build it
	}
	s.cmd.SysProcAttr = withParent()
	s.cmd.Stderr = &s.logs
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go s.read(out)
	return s.ready()
}

// modsFolder is the folder of mods in the folder of a server.
const modsFolder = "mods"

// modFiles returns the files of a mod with one script for the server, by their path in the folder
// of a server.
func modFiles(name, script string) map[string]string {
	return map[string]string{
		path.Join(modsFolder, name, "mod.toml"):        fmt.Sprintf("name = %q\nversion = \"1.0.0\"\n", name),
		path.Join(modsFolder, name, "server/init.lua"): script,
	}
}

// writeFiles writes files by their path in a folder.
func writeFiles(folder string, files map[string]string) (err error) {
	for name, text := range files {
		to := filepath.Join(folder, filepath.FromSlash(name))
		err = errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, []byte(text), 0o600))
	}
	return err
}

// read collects the console's output.
func (s *child) read(out io.Reader) {
	defer close(s.lines)
	for scan := bufio.NewScanner(io.TeeReader(out, &s.outs)); scan.Scan(); {
		s.lines <- scan.Text()
	}
}

// lineMost is how long the server can take for a line of its console.
const lineMost = 30 * time.Second

func (s *child) line() (string, error) {
	select {
	case line, open := <-s.lines:
		if open {
			return line, nil
		}
		return "", fmt.Errorf("the server has ended: %s", lastLine(s.log()))
	case <-time.After(lineMost):
		return "", fmt.Errorf("no answer on the console after %v", lineMost)
	}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// ready waits until the server listens.
func (s *child) ready() (*site, error) {
	for {
		line, err := s.line()
		if err != nil {
			return nil, errors.Join(err, s.close())
		}
		m := listening.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		at, err := netip.ParseAddrPort(m[1])
		key, err2 := seal.ParseKey(m[2])
		if err := errors.Join(err, err2); err != nil {
			return nil, errors.Join(err, s.close())
		}
		return &site{to: at, key: &key, password: password, server: s, dir: s.dir}, nil
	}
}

func (s *child) exec(line string) (string, error) {
	s.marks++
	mark := fmt.Sprintf("answer %d is complete", s.marks)
	if _, err := fmt.Fprintf(s.in, "%s\necho(%q)\n", line, mark); err != nil {
		return "", err
	}
	var answer []string
	for {
		line, err := s.line()
		if err != nil {
			return "", err
		}
		if line == mark {
			return strings.Join(answer, "\n"), nil
		}
		answer = append(answer, line)
	}
}

func (s *child) log() string    { return s.logs.String() }
func (s *child) output() string { return s.outs.String() }

// memory reads the resident bytes, on Linux.
func (s *child) memory() int { return s.status("VmRSS") }

// status reads a figure of the process in bytes, 0 if it is unknown.
func (s *child) status(name string) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(text)
	if m == nil {
		return 0
	}
	kib, _ := strconv.Atoi(string(m[1]))
	return kib << 10
}

// close ends the server, and waits for it at most 10 s.
func (s *child) close() error {
	_, _ = fmt.Fprintln(s.in, "quit") // fails only if it has ended
	_ = s.in.Close()
	timer := time.AfterFunc(10*time.Second, func() { _ = s.cmd.Process.Kill() })
	defer timer.Stop()
	for range s.lines {
	}
	err := s.cmd.Wait()
	return errors.Join(err, os.RemoveAll(s.dir))
}

// metric returns a metric without labels, 0 if there is none.
func metric(server console, name string) float64 {
	text, err := server.exec("metrics")
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	v, _ := strconv.ParseFloat(m[1], 64)
	return v
}
