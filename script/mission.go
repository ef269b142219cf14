package script

import (
	"fmt"
	"io/fs"
	"sort"
	"strings"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/vm"
)

// mission is the current mission. Before the first one is loaded, it has no name and no objects.
type mission struct {
	engine   *engine.Host
	dispatch *dispatcher
	gates    *gates
	forms    *formBook
	operator *vm.Mod // faults of loads are those of the console
	name     string
	seq      uint32
	waiting  int        // missions waiting to be loaded
	rested   int64      // time from which scripts can load another mission
	loading  *sim.Group // group for new objects while a mission loads
}

// next loads a mission after the current entry ends. Loading is slow, so at most maxMissions
// can wait.
func (n *mission) next(name string) error {
	if _, _, err := n.find(name); err != nil {
		return err
	}
	if n.waiting >= maxMissions {
		return fmt.Errorf("%d missions are already waiting to be loaded", maxMissions)
	}
	n.waiting++
	n.engine.World().OnRollback(func() { n.waiting-- })
	n.engine.World().OnCommit(func() { n.schedule(name) })
	return nil
}

// schedule loads a mission at the next allowed time. Loading can take seconds and blocks the
// server, so loads requested by scripts get at most a tenth of the time.
func (n *mission) schedule(name string) {
	now := n.engine.Now()
	n.engine.Schedule().At(now, n.rested-now, sim.Owner{}, func() {
		if n.engine.Now() < n.rested {
			n.schedule(name)
			return
		}
		n.waiting--
		began := n.dispatch.runtime.Spent()
		defer func() {
			n.rested = n.engine.Now() + missionRest*(n.dispatch.runtime.Spent()-began).Milliseconds()
		}()
		if err := n.load(name); err != nil {
			n.dispatch.runtime.Fail(n.operator, "loadMission", err)
			if m, _, _ := n.find(name); m != nil && rootExhausted(err) { // the load took seconds, and the next one would too
				m.Suspend("a mission of the mod exceeded the load budget")
			}
		}
	})
}

// find finds missions/NAME.lua in the last loaded mod that has it.
func (n *mission) find(name string) (*vm.Mod, string, error) {
	file := "missions/" + name + ".lua"
	if vm.OwnPath(file) {
		for i := len(n.dispatch.runtime.Mods) - 1; i >= 0; i-- {
			m := n.dispatch.runtime.Mods[i]
			if manifestOf(m) == nil || m.FS == nil {
				continue
			}
			if _, err := fs.Stat(m.FS, file); err == nil {
				return m, file, nil
			}
		}
	}
	return nil, "", fmt.Errorf("unknown mission %q: available are %s", vm.ClipText(name, vm.MaxPath), n.names())
}

func (n *mission) names() string {
	var names []string
	for _, m := range n.dispatch.runtime.Mods {
		if manifestOf(m) == nil || m.FS == nil {
			continue
		}
		files, err := fs.Glob(m.FS, "missions/*.lua")
		if err != nil {
			continue
		}
		for _, f := range files {
			names = append(names, strings.TrimSuffix(strings.TrimPrefix(f, "missions/"), ".lua"))
		}
	}
	if len(names) == 0 {
		return "none in the loaded mods"
	}
	sort.Strings(names)
	return strings.Join(names, ", ")
}

// load ends the mission and loads another. Call it only at depth 0.
func (n *mission) load(name string) error {
	m, file, err := n.find(name)
	if err != nil {
		return err
	}
	n.gates.refuseAll("the mission changes: try again")
	events := n.dispatch
	n.forms.close(nil)
	endBinds(n.engine, nil)
	endElements(n.engine, nil)
	events.everyMod("onMissionEnd", sim.Number(float64(n.seq)))
	events.chains.endMission()
	w := n.engine.World()
	for _, o := range w.Mission.Members(nil) {
		if err := w.Delete(o); err != nil {
			return err
		}
	}
	n.name, n.seq = name, n.seq+1
	n.loading = w.Mission
	err = m.RunFile(file)
	n.loading = nil
	events.everyMod("onMissionLoaded", sim.Number(float64(n.seq)), sim.String(name))
	return err
}

// command returns the command `mission [NAME]`.
func (n *mission) command() console.Command {
	return console.Command{
		Name: "mission", Params: "[NAME]", Help: "prints the current mission, or loads another",
		Run: func(args []string) (string, error) {
			switch {
			case len(args) == 0 && n.name == "":
				return "no mission is loaded", nil
			case len(args) == 0:
				return n.name, nil
			case n.dispatch.runtime.Depth() > 0:
				return "", n.next(args[0])
			}
			return "", n.load(args[0])
		},
	}
}

const (
	maxMissions = 4 // maximum number of waiting missions
	missionRest = 9 // pause before scripts can load another mission, as a multiple of the last load time
)

// Mission returns the name of the current mission, "" before the first one.
func (s *Scripts) Mission() string { return s.mission.name }

// LoadMission ends the current mission and loads another. Call it only at depth 0.
func (s *Scripts) LoadMission(name string) error { return s.mission.load(name) }
