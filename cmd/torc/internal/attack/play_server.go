package attack

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	mrand "math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/netcore/udp"
)

// hostileServer is a server that lets nobody into its game. It asks its clients to run scripts, and
// then sends mangled sections.
type hostileServer struct {
	engine.NopScripts
	host   *engine.Host
	socket *udp.Socket
	stop   chan struct{}
	done   chan struct{}
}

// ownScript is a script that prints owned.
const ownScript, owned = `echo("owned " .. 6 * 7)`, "owned 42"

// Connected sends commands that name console lines and scripts.
func (s *hostileServer) Connected(c *engine.Connection, _ []string) {
	for _, name := range []string{"eval", "exec", "lua", "console", "require", "loadstring", ownScript} {
		_ = c.Command(engine.CommandOptions{}, sim.String(name), []sim.Value{sim.String(ownScript)})
	}
	for _, path := range []string{"../owned.lua", "/owned.lua", "owned.lua"} {
		_ = c.Command(engine.CommandOptions{}, sim.String("MissionStartPhase1"), []sim.Value{sim.Number(1), sim.String(path)})
		_ = c.Command(engine.CommandOptions{}, sim.String("exec"), []sim.Value{sim.String(path)})
	}
}

// mangled are the sections of hostile servers, each in place of a stream.
var mangled = []struct {
	stream int
	write  func(w *bitstream.Writer)
}{
	{eventStream, randomSection},
	{ghostStream, randomSection},
	{0, randomSection},
	{ghostStream, func(w *bitstream.Writer) { forgeGhost(w, mrand.IntN(3), uint64(mrand.IntN(ghostIDs))) }},
	{eventStream, func(w *bitstream.Writer) { writeDescription(w, false, forgedBlock(uint64(mrand.IntN(1<<classBits)))) }},
	{eventStream, func(w *bitstream.Writer) { writeDescription(w, true, forgedBlock(uint64(mrand.IntN(1<<classBits)))) }},
}

// writeDescription writes the description of a class or a datablock.
func writeDescription(w *bitstream.Writer, class bool, data []byte) {
	w.WriteFlag(true)
	w.WriteBits(description, eventBits)
	w.WriteFlag(class)
	writeBytes(w, data)
	w.WriteBits(0, 3)
}

// mangleAfter is how long a hostile server is honest to a client.
const mangleAfter = 100 * time.Millisecond

// startHostileServer starts a server whose connections turn hostile, each in the next way.
func startHostileServer(from netip.Addr) (*hostileServer, error) {
	classes, err := newClasses()
	if err != nil {
		return nil, err
	}
	id, err := seal.NewIdentity(rand.Reader)
	if err != nil {
		return nil, err
	}
	s := &hostileServer{stop: make(chan struct{}), done: make(chan struct{})}
	ways := 0
	s.host = engine.NewHost(engine.Config{
		Server: true, Name: "hostile", Classes: classes, Identity: id, Entropy: rand.Reader, NoInterpolation: true,
		Streams: func(own []netcore.Stream) []netcore.Stream {
			on, way := new(atomic.Bool), mangled[ways%len(mangled)]
			ways++
			time.AfterFunc(mangleAfter, func() { on.Store(true) })
			own[way.stream] = &evil{Stream: own[way.stream], on: on, write: way.write}
			return own
		},
	})
	s.host.SetScripts(s)
	if s.socket, err = udp.Listen(netip.AddrPortFrom(from, 0).String()); err != nil {
		return nil, err
	}
	go s.run()
	return s, nil
}

func (s *hostileServer) run() {
	defer close(s.done)
	ticker := time.NewTicker(crewStep)
	defer ticker.Stop()
	for next := clock(); ; {
		select {
		case <-s.stop:
			return
		case p := <-s.socket.Packets():
			s.host.Receive(clock(), p.From, p.Bytes())
			p.Free()
		case <-ticker.C:
			if clock() >= next {
				next = clock() + engine.TickTime
				s.host.Tick(clock())
			}
			s.host.Send(clock(), func(to netcore.Addr, b []byte) { _ = s.socket.Write(to, b) })
		}
	}
}

func (s *hostileServer) close() {
	close(s.stop)
	<-s.done
	_ = s.socket.Close()
}

// victim is what an ordinary client did at a hostile server.
type victim struct {
	status int      // exit status
	text   string   // its output and its log
	files  []string // in its folder
}

// clientFiles are the files that a client may have in its data folder.
var clientFiles = []string{"identity", "identity.lock", "known_servers", "history", "lock"}

// lostStatus is the exit status of a client that has lost its server.
const lostStatus = 3

// victimMost is how long a client can take to leave a hostile server.
const victimMost = 8 * time.Second

// joinHostile runs `torc join` with a server, in a folder of its own.
func joinHostile(to netip.AddrPort) (v victim, err error) {
	exe, err := os.Executable()
	if err != nil {
		return v, err
	}
	dir, err := os.MkdirTemp("", "torc-attack-")
	if err != nil {
		return v, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx, cancel := context.WithTimeout(context.Background(), victimMost)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, "join", to.String(), "--name", "victim", "--console", "line", "--data", filepath.Join(dir, "data"))
	var text buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &text, &text
	in, err := cmd.StdinPipe() // its end would end the client
	if err != nil {
		return v, err
	}
	defer func() { _ = in.Close() }()
	if err := cmd.Start(); err != nil {
		return v, err
	}
	_ = cmd.Wait() // the status says how it ended
	v.status, v.text = cmd.ProcessState.ExitCode(), text.String()
	return v, filepath.WalkDir(dir, func(_ string, f fs.DirEntry, err error) error {
		if err == nil && !f.IsDir() {
			v.files = append(v.files, f.Name())
		}
		return err
	})
}

// playServer lets ordinary clients join a hostile server.
func playServer(r *round) error {
	s, err := startHostileServer(r.address(0))
	if err != nil {
		return err
	}
	defer s.close()
	n := len(mangled)
	if !r.short {
		n *= 10
	}
	all, errs := make([]victim, n), make([]error, n)
	var wait sync.WaitGroup
	slots := make(chan struct{}, len(mangled))
	for i := range all {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			all[i], errs[i] = joinHostile(s.socket.Addr())
		})
	}
	wait.Wait()
	left, why := 0, map[string]bool{}
	for _, v := range all {
		if v.status == lostStatus {
			left++
		}
		why[lastLine(v.text)] = true
		r.fail(v.status != lostStatus, "a client ends with status %d, not with %d and a reason: %q", v.status, lostStatus, lastLine(v.text))
		r.fail(strings.Contains(v.text, "panic") || strings.Contains(v.text, "goroutine "), "a client has a panic: %q", v.text)
		r.fail(strings.Contains(v.text, owned), "a client runs a script of its server")
		for _, f := range v.files {
			r.fail(!slices.Contains(clientFiles, f), "a client has the file %q", f)
		}
	}
	r.note("%d clients joined a server with mangled sections of %d ways: %d left it, for %d reasons", n, len(mangled), left, len(why))
	return errors.Join(errs...)
}
