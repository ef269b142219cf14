package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// clientsCommand controls the clients' process. That process is this program again: it reads orders
// from stdin and writes reports to stdout, one per line.
type clientsCommand struct {
	cmd     *exec.Cmd
	orders  io.WriteCloser
	reports chan crowdReport // closed after the last report
	turns   chan int         // datagrams sent up to the end of a turn; closed like reports
}

// startClients starts the clients' process.
func startClients(t crowdTask) (*clientsCommand, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	c := &clientsCommand{cmd: exec.Command(exe, Clients), reports: make(chan crowdReport, 4), turns: make(chan int)}
	c.cmd.Stderr = os.Stderr
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if c.orders, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	restore := hurry()
	err = c.cmd.Start()
	if restore(); err != nil {
		return nil, err
	}
	go func() {
		defer close(c.reports)
		defer close(c.turns)
		from := json.NewDecoder(out)
		for {
			var r crowdReport
			if from.Decode(&r) != nil {
				return
			}
			if r.Turn {
				c.turns <- r.Sent
			} else {
				c.reports <- r
			}
		}
	}()
	return c, json.NewEncoder(c.orders).Encode(t)
}

func (c *clientsCommand) tell(order string) error {
	_, err := fmt.Fprintln(c.orders, order)
	return err
}

// turn makes every client tick, after it has read all datagrams that the server has sent, and
// returns how many datagrams the clients have sent so far.
func (c *clientsCommand) turn(sent int) (int, error) {
	if err := c.tell(fmt.Sprintf("%s %d", tellTurn, sent)); err != nil {
		return 0, err
	}
	received, open := <-c.turns
	if !open {
		if _, came, err := c.nextReport(); came && err != nil {
			return 0, err
		}
		return 0, errSilentClients
	}
	return received, nil
}

var errSilentClients = errors.New("the client process sent no report")

// nextReport returns the next report if one has arrived.
func (c *clientsCommand) nextReport() (r crowdReport, came bool, err error) {
	select {
	case r, open := <-c.reports:
		switch {
		case !open:
			err = errSilentClients
		case r.Error != "":
			err = errors.New(r.Error)
		}
		return r, true, err
	default:
		return r, false, nil
	}
}

// end tells the process to exit and waits for it, at most childMost.
func (c *clientsCommand) end() error {
	_ = c.orders.Close() // fails only if the process has already exited
	timer := time.AfterFunc(childMost, func() { _ = c.cmd.Process.Kill() })
	defer timer.Stop()
	for range c.reports {
	}
	return c.cmd.Wait()
}
