package script

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/torc-engine/torc/internal/spell"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/vm"
)

// reloadPlan lists the mods to load when a mod is reloaded or enabled: that mod and its dependencies that
// are not loaded yet.
type reloadPlan struct {
	name   string
	order  []*manifest.Manifest // all mods, in load order
	toLoad map[string]bool
}

// planReload reads a mod's manifest again from the given folders of mods, and checks that it is
// compatible with the loaded mods.
func (s *Scripts) planReload(name string, folders []fs.FS) (*reloadPlan, error) {
	own, err := manifest.Newest(name, folders)
	if err != nil {
		return nil, err
	}
	installed, bad := manifest.Discover(folders...)
	var wanted []string
	for _, known := range s.roster {
		if m := s.Runtime.Mod(known); m != nil {
			installed[known] = manifestOf(m) // the running version
			wanted = append(wanted, known)
		} else if known == name {
			wanted = append(wanted, known)
		}
	}
	installed[name] = own
	if !slices.Contains(wanted, name) {
		wanted = append(wanted, name)
	}
	order, err := manifest.Order(installed, wanted...)
	if err != nil {
		return nil, manifest.Explain(err, bad, folders...)
	}
	if err := s.checkServerVersion(own); err != nil {
		return nil, err
	}
	p := &reloadPlan{name: name, order: order, toLoad: map[string]bool{name: true}}
	for _, m := range order {
		if s.Runtime.Mod(m.Name) == nil {
			p.toLoad[m.Name] = true
		}
		if m.Name != name && s.disabled[m.Name] != nil {
			return nil, fmt.Errorf("it needs %s, which is disabled: mod enable %s", m.Name, m.Name)
		}
	}
	return p, nil
}

// checkServerVersion returns an error if the client's version of a mod is not compatible with the version
// of the connected server.
func (s *Scripts) checkServerVersion(m *manifest.Manifest) error {
	c := s.engine.Server()
	if s.Runtime.Side != vm.Client || c == nil {
		return nil
	}
	for _, info := range c.Server.Mods {
		if info.Name == m.Name && !m.Compatible(info.Version) {
			return fmt.Errorf("the server runs version %s, this client has %s", info.Version, m.Version)
		}
	}
	return nil
}

// Reload replaces a loaded mod by a new instance from its current files. If Setup.RunTests is set, the
// tests of the mod run first, and Reload then loads the same file contents that the tests used.
// Reload calls done once, between ticks. On failure done gets a one-line error, and nothing has
// changed.
func (s *Scripts) Reload(name string, done func(error)) {
	s.reload(name, func(_ string, err error) { done(err) })
}

// ReloadNow reloads a mod immediately and without tests. Call it between ticks.
func (s *Scripts) ReloadNow(name string) error {
	_, err := s.reloadNow(name, s.folders)
	return err
}

// reload implements Reload. done also gets a text that describes the result.
func (s *Scripts) reload(name string, done func(string, error)) {
	if _, err := s.reloadable(name, s.folders); err != nil {
		done("", err)
		return
	}
	s.reloading[name] = true
	folders := manifest.NewEditions(s.folders)
	tried := func(err error) {
		s.whenIdle(func() {
			defer manifest.EndEditions(folders)
			delete(s.reloading, name)
			if err != nil {
				done("", fmt.Errorf("%s is not reloaded: %w", name, err))
				return
			}
			done(s.reloadNow(name, folders))
		})
	}
	if s.runTests == nil {
		tried(nil)
		return
	}
	s.runTests(name, folders, tried)
}

// reloadable returns the plan of a reload. It returns an error if the reload is impossible for a
// reason that is known before any Lua runs.
func (s *Scripts) reloadable(name string, folders []fs.FS) (*reloadPlan, error) {
	m := s.Runtime.Mod(name)
	switch {
	case s.disabled[name] != nil:
		return nil, fmt.Errorf("%s is disabled: mod enable %s loads it", name, name)
	case m == nil || manifestOf(m) == nil:
		return nil, fmt.Errorf("mod %s is not loaded%s", bind.Quote(truncate(name, 64)), s.nearestHint(name))
	case s.reloading[name]:
		return nil, fmt.Errorf("%s is already being reloaded", name)
	}
	p, err := s.planReload(name, folders)
	if err != nil {
		return nil, fmt.Errorf("%s is not reloaded: %w", name, err)
	}
	return p, nil
}

// nearestHint suggests the loaded mod with the nearest name.
func (s *Scripts) nearestHint(name string) string {
	if near := spell.Nearest(name, s.roster); near != "" {
		return ", did you mean " + near + "?"
	}
	return ""
}

// reloadNow reloads a mod from the given folders and describes the result.
func (s *Scripts) reloadNow(name string, folders []fs.FS) (string, error) {
	began, old := s.wallTime(), s.Runtime.Mod(name)
	p, err := s.reloadable(name, folders)
	if err != nil {
		return "", err
	}
	if err := s.applyPlan(p); err != nil {
		return "", fmt.Errorf("%s is not reloaded: %w", name, err)
	}
	m := s.Runtime.Mod(name)
	text := fmt.Sprintf("%s %s reloaded", name, manifestOf(m).Version)
	if s.Runtime.Clocked() {
		text += fmt.Sprintf(" in %d ms", (s.wallTime()-began+time.Millisecond-1)/time.Millisecond)
	}
	return text + ", " + countText(changedSince(m, old), "file") + " changed", nil
}

// wallTime returns the clock of the meter, or 0 without a clock.
func (s *Scripts) wallTime() time.Duration {
	if !s.Runtime.Clocked() {
		return 0
	}
	return s.Runtime.Clock()
}

// changedSince counts the new, changed and deleted files since an earlier instance read them.
func changedSince(m, old *vm.Mod) int {
	n := 0
	for file, is := range m.Files() {
		if was, known := old.Files()[file]; !known || was != is {
			n++
		}
	}
	for file, was := range old.Files() {
		if _, known := m.Files()[file]; known {
			continue
		}
		if text, err := fs.ReadFile(m.FS, file); err != nil || vm.FileHash(text) != was {
			n++
		}
	}
	return n
}

// Enable resumes the events of a suspended mod. If the mod is not loaded, Enable loads it and its
// dependencies. Call it between ticks.
func (s *Scripts) Enable(name string) error {
	if m := s.Runtime.Mod(name); m != nil && manifestOf(m) != nil {
		m.Enable()
		return nil
	}
	p, err := s.planReload(name, s.folders)
	if err == nil {
		err = s.applyPlan(p)
	}
	if err != nil {
		return fmt.Errorf("%s is not enabled: %w", name, err)
	}
	return nil
}

// Disable unloads a mod: its handlers, overrides, commands and timers, and the objects that its
// files made. Call it between ticks.
func (s *Scripts) Disable(name string) error {
	m := s.Runtime.Mod(name)
	switch {
	case s.disabled[name] != nil:
		return fmt.Errorf("%s is already disabled", name)
	case m == nil || manifestOf(m) == nil:
		return fmt.Errorf("mod %s is not loaded%s", bind.Quote(truncate(name, 64)), s.nearestHint(name))
	case name == manifest.Base:
		return errors.New("base cannot be disabled: the game needs it")
	}
	if by := s.dependents(name); len(by) > 0 {
		return fmt.Errorf("%s is needed by %s: disable its dependents first", name, strings.Join(by, " and "))
	}
	s.keepSettings(m)
	remains := s.fileObjects(map[string]*vm.Mod{name: m})
	s.disabled[name] = manifestOf(m)
	s.Runtime.Remove(m)
	s.serverMods = slices.DeleteFunc(s.serverMods, func(v *vm.Mod) bool { return v == m })
	s.deleteAll(remains)
	s.purgeUnloaded()
	s.updateRoster()
	return nil
}

// dependents lists the loaded mods that depend on a mod.
func (s *Scripts) dependents(name string) []string {
	var list []string
	for _, m := range s.Runtime.Mods {
		if manifestOf(m) != nil && slices.ContainsFunc(manifestOf(m).Depends, func(n manifest.Requirement) bool { return n.Name == name }) {
			list = append(list, m.Name)
		}
	}
	return list
}

// whenIdle runs do between ticks: now, or before the next tick if Lua is running.
func (s *Scripts) whenIdle(do func()) {
	if s.Runtime.Depth() == 0 {
		do()
		return
	}
	s.queued = append(s.queued, do)
}

// betweenTicks runs the queued actions and checks the watched files.
func (s *Scripts) betweenTicks() {
	waiting := s.queued
	s.queued = nil
	for _, do := range waiting {
		do()
	}
	s.checkFiles()
}

// updateRoster updates the load order, and gives the engine the list of mods for joining clients.
func (s *Scripts) updateRoster() {
	s.roster = s.currentRoster()
	s.engine.SetMods(s.ModInfos())
}

// currentRoster returns the current load order. Disabled mods keep their positions.
func (s *Scripts) currentRoster() []string {
	var order []string
	for _, m := range s.Runtime.Mods {
		if manifestOf(m) != nil {
			order = append(order, m.Name)
		}
	}
	for i, name := range s.roster {
		if s.disabled[name] != nil && !slices.Contains(order, name) {
			order = slices.Insert(order, min(i, len(order)), name)
		}
	}
	return order
}

func (s *Scripts) warn(text string) { s.Runtime.Log(slog.LevelWarn, text) }

// printOutcome prints the result of a command that has already returned.
func (s *Scripts) printOutcome(text string, err error) {
	if err != nil {
		text = "error: " + err.Error()
	}
	s.echo(text)
}
