package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/torc-engine/torc/node"
	nodeswarm "github.com/torc-engine/torc/node/swarm"
)

// Swarm is the hidden subcommand of torclab for a process of wandering clients. Only a process of
// torclab bench starts it.
const Swarm = "bench-swarm"

// RunSwarm runs clients of a server that wander, until a signal. args are the server's address and
// the number of clients. It writes what the clients print, such as how many have connected.
func RunSwarm(args []string, to io.Writer) error {
	if len(args) != 2 {
		return fmt.Errorf("torclab %s serves the workloads only", Swarm)
	}
	count, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	seed := uint64(1)
	s, err := nodeswarm.New(nodeswarm.Config{
		Common:  node.Common{Name: "player", Seed: &seed, Output: func(text string) { fmt.Fprintln(to, text) }},
		Address: args[0], Timeout: joinAll, Wander: true, Count: count,
	})
	if err != nil {
		return err
	}
	defer s.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return s.Run(ctx)
}
