package sshd

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/torc-engine/torc/console/prompt"
	"github.com/torc-engine/torc/node/remote"
)

const maxTyped = 4096 // characters of a line at the prompt

// session runs the session of a connection, and ends the connection with it.
func (u *user) session(c ssh.Channel, in <-chan *ssh.Request) {
	defer u.conn.Close()
	idle := time.AfterFunc(idleTime, func() { u.conn.Close() })
	defer idle.Stop()
	stop := u.keepAlive()
	defer stop()
	at := &device{in: active{c, func() { idle.Reset(idleTime) }}, out: c}
	var asked requests
	for r := range in {
		begun := asked.begun
		ok := asked.take(at, r.Type, r.Payload)
		_ = r.Reply(ok, nil) // a peer that has left needs none
		if asked.begun && !begun {
			u.conns.Go(func() { u.end(c, at, asked) })
		}
	}
}

// end runs the session if the key is still valid, and tells the status.
func (u *user) end(c ssh.Channel, at *device, asked requests) {
	u.options.Log.Info("ssh session", "address", u.conn.RemoteAddr().String(), "user", u.key.id())
	status := 1
	if why := u.revoked(); why != "" {
		_, _ = io.WriteString(c.Stderr(), why+"\n")
	} else if asked.shell {
		status = u.shell(at, asked.terminal)
	} else {
		status = u.line(c, asked.line)
	}
	_, _ = c.SendRequest("exit-status", false, ssh.Marshal(struct{ Status uint32 }{uint32(status)}))
	c.Close() // the peer's answer ends the connection
	time.AfterFunc(endTime, func() { u.conn.Close() })
}

// keepAlive ends the connection if the peer stops answering, or if its key is no longer valid.
func (u *user) keepAlive() (stop func()) {
	done := make(chan struct{})
	go func() {
		ask := time.NewTicker(aliveTime)
		defer ask.Stop()
		for {
			select {
			case <-ask.C:
				if why := u.revoked(); why != "" {
					u.options.Log.Info("ssh session ended", "user", u.key.id(), "why", why)
					u.conn.Close()
					return
				}
				late := time.AfterFunc(aliveTime, func() { u.conn.Close() })
				_, _, err := u.conn.SendRequest("keepalive@openssh.com", true, nil)
				if late.Stop(); err != nil {
					return
				}
			case <-done:
				return
			}
		}
	}()
	return func() { close(done) }
}

// link connects the user to the console.
func (u *user) link() *remote.Link {
	who := remote.User{Name: u.key.id()}
	if role := u.key.role; role != adminRole {
		who.May = func(command string) bool { return u.options.May(role, command) }
	}
	return u.options.Console.Dial(who)
}

// line runs one line: its output goes to stdout, its error to stderr.
func (u *user) line(c ssh.Channel, line string) (status int) {
	if strings.ContainsAny(line, "\r\n") || len(line) > maxPiped {
		fmt.Fprintf(c.Stderr(), "error: must be one line of at most %d KiB\n", maxPiped>>10)
		return 2
	}
	l := u.link()
	defer l.Close()
	out, failed, err := l.Run(line)
	if out != "" {
		_, _ = io.WriteString(c, out+"\n")
	}
	if err != nil {
		failed = err.Error()
	}
	if failed != "" {
		_, _ = io.WriteString(c.Stderr(), "error: "+failed+"\n")
		return 1
	}
	return 0
}

// shell attaches a prompt to the console, or without a terminal line mode. Then a line that failed
// is status 1.
func (u *user) shell(at *device, terminal bool) (status int) {
	u.options.Note(u.key.id(), "connected from "+u.conn.RemoteAddr().String())
	defer u.options.Note(u.key.id(), "disconnected")
	source, err := u.source(at, terminal)
	if err != nil {
		u.options.Log.Error("an SSH session has no prompt", "why", err)
		return 1
	}
	defer source.Close()
	l := u.link()
	defer l.Close()
	g := &guarded{source, make(chan prompt.Input), make(chan struct{})}
	defer close(g.done)
	go g.run(u.revoked)
	switch err := l.Attach(g, nil); {
	case errors.Is(err, remote.ErrEnded):
		source.Print("disconnected: " + err.Error())
	case errors.Is(err, remote.ErrLine):
		if !terminal {
			return 1 // the user has seen the error
		}
	case err != nil:
		source.Print("error: " + err.Error())
		return 1
	}
	return 0
}

func (u *user) source(at *device, terminal bool) (prompt.Source, error) {
	if !terminal {
		return prompt.NewLineMode(&shortLines{Reader: at}, at.out), nil
	}
	history, err := u.history()
	if err != nil {
		return nil, err
	}
	return prompt.NewTerminal(prompt.SourceOptions{Device: at, History: history, MaxLine: maxTyped})
}

// history returns the path of the file of typed lines. Each key has its own.
func (u *user) history() (string, error) {
	sum := sha256.Sum256(u.key.public.Marshal())
	return filepath.Join(u.options.History, fmt.Sprintf("%x", sum[:8])), os.MkdirAll(u.options.History, 0o700)
}

// guarded is a source whose lines count only while the key does.
type guarded struct {
	prompt.Source
	lines chan prompt.Input
	done  chan struct{}
}

func (g *guarded) Lines() <-chan prompt.Input { return g.lines }

func (g *guarded) run(revoked func() string) {
	defer close(g.lines)
	for line := range g.Source.Lines() {
		if why := revoked(); why != "" {
			g.Print(why)
			return
		}
		select {
		case g.lines <- line:
		case <-g.done:
			return
		}
	}
}
