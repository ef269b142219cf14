package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"time"
)

// swarmMost is the number of clients that one process can play in time beside the server: 128 of
// them, with those that decode their ghosts, need 0.3 of a core.
const swarmMost = 256

// swarm is the clients of a match, in processes of their own.
type swarm struct {
	all     []*clientsCommand
	clients int
}

// withSwarm runs a match with the clients of a task, which says how they play. folder holds mods.
func withSwarm(task crowdTask, folder fs.FS, run func(a *scenario, s swarm) error) (err error) {
	a, err := newScenario(task.Clients, folder)
	if err != nil {
		return err
	}
	if err := a.open(); err != nil {
		return err
	}
	defer a.close()
	s := swarm{clients: task.Clients}
	processes := min((s.clients+swarmMost-1)/swarmMost, runtime.NumCPU())
	if task.Lockstep {
		processes = 1
	}
	task.Server, task.Match, task.Epoch = a.address(), true, a.epoch
	for i := range processes {
		task.First = s.clients * i / processes
		task.Clients = s.clients*(i+1)/processes - task.First
		c, err := startClients(task)
		if err != nil {
			return errors.Join(err, s.end())
		}
		s.all = append(s.all, c)
	}
	if task.Lockstep {
		a.step = &lockstep{crowd: s.all[0]}
	}
	_, err = s.reports(a, true)
	if err == nil {
		err = run(a, s)
	}
	return errors.Join(err, s.end())
}

func (s swarm) end() (err error) {
	for _, c := range s.all {
		err = errors.Join(err, c.end())
	}
	return err
}

// tell gives an order to every process.
func (s swarm) tell(order string) (err error) {
	for _, c := range s.all {
		err = errors.Join(err, c.tell(order))
	}
	return err
}

// reports serves until every process has reported.
func (s swarm) reports(a *scenario, joining bool) (reports []crowdReport, err error) {
	for end := a.now() + joinAll; len(reports) < len(s.all) && a.now() < end; {
		if err := a.run(time.Millisecond, joining); err != nil {
			return nil, err
		}
		r, came, err := s.all[len(reports)].nextReport()
		switch {
		case err != nil:
			return nil, fmt.Errorf("%w; %s", err, a.lost)
		case came && r.Drawn == nil:
			reports = append(reports, r)
		}
	}
	if len(reports) < len(s.all) {
		return nil, fmt.Errorf("no report from the clients after %v; %s", joinAll, a.lost)
	}
	return reports, nil
}

// compare compares what clients have reported that they draw. Between two rows it drops the last
// report of the row before.
func (s swarm) compare(a *scenario) error {
	for _, c := range s.all {
		r, came, err := c.nextReport()
		if err != nil {
			return err
		}
		if came && r.Drawn != nil && a.views != nil {
			a.views.compare(a.host, r.Drawn)
		}
	}
	return nil
}
