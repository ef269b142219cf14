package node

import (
	"fmt"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/workers"
)

// ownCommands are the commands about a server as a whole.
type ownCommands struct {
	core.Passive
	server *Server
}

// Commands are quit, restart and status.
func (o *ownCommands) Commands() []console.Command {
	s := o.server
	list := []console.Command{
		core.QuitCommand(s.core.Owner),
		s.tape.Command(console.Report("status", "shows a summary of this host, as lines or as JSON", func() (fmt.Stringer, error) { return statusOf(s), nil })),
	}
	if !s.cfg.Server.Restarts {
		return list
	}
	return append(list, console.Command{
		Name: "restart", Params: "[REASON]", Help: "starts the server anew; the players come back by themselves",
		Run: func(args []string) (string, error) { return s.restartCommand(strings.Join(args, " ")), nil },
	})
}

// restartCommand is `restart`. While the server drains, the first one waits for the players, and
// the next one does not.
func (s *Server) restartCommand(reason string) string {
	drain := &s.core.Side.Host.Drain
	if drain.Restart() {
		return drain.String() + " (restart again does not wait)"
	}
	s.Restart(reason)
	return ""
}

// packing is the goroutines that pack connections. A stepped server has one goroutine.
type packing struct {
	core.Passive
	pool *workers.Pool // nil: one goroutine packs
}

func newPacking(s *Server) *packing {
	if s.stepped {
		return &packing{}
	}
	return &packing{pool: workers.Start(0)}
}

// parallel returns what packs on several goroutines; nil with one.
func (p *packing) parallel() func(n int, do func(worker, i int)) {
	if p.pool == nil {
		return nil
	}
	return p.pool.Parallel
}

// Close ends the goroutines.
func (p *packing) Close() error {
	if p.pool != nil {
		p.pool.Stop()
	}
	return nil
}

// flushing lets the scripts give their last values to the store.
type flushing struct {
	core.Passive
	core *core.Core
}

// Close asks the scripts for their values.
func (f *flushing) Close() error {
	if f.core.Side != nil && f.core.Side.Scripts != nil {
		f.core.Side.Scripts.Flush()
	}
	return nil
}
