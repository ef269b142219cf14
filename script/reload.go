package script

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/vm"
)

// reloads replaces mods by new instances from their current files, between ticks.
type reloads struct {
	scripts     *Scripts
	runTests    RunTests                   // nil: mods are reloaded without a trial
	answerLater func() func(string, error) // can be nil
	pending     map[string]bool            // mods with a pending reload
	queued      []func()                   // actions to run before the next tick
	watching    bool                       // mod.watch
	watched     watchedFiles
}

// reloadPlan lists the mods to load when a mod is reloaded or enabled: that mod and its
// dependencies that are not loaded yet.
type reloadPlan struct {
	name   string
	order  []*manifest.Manifest // all mods, in load order
	toLoad map[string]bool
}

// planReload reads a mod's manifest again from the given folders of mods, and checks that it is
// compatible with the loaded mods.
func (r *modRoster) planReload(name string, folders []fs.FS) (*reloadPlan, error) {
	own, err := manifest.Newest(name, folders)
	if err != nil {
		return nil, err
	}
	installed, bad := manifest.Discover(folders...)
	var wanted []string
	for _, known := range r.order {
		if m := r.scripts.Runtime.Mod(known); m != nil {
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
	if err := r.checkServerVersion(own); err != nil {
		return nil, err
	}
	p := &reloadPlan{name: name, order: order, toLoad: map[string]bool{name: true}}
	for _, m := range order {
		if r.scripts.Runtime.Mod(m.Name) == nil {
			p.toLoad[m.Name] = true
		}
		if m.Name != name && r.disabled[m.Name] != nil {
			return nil, fmt.Errorf("it needs %s, which is disabled: mod enable %s", m.Name, m.Name)
		}
	}
	return p, nil
}

// checkServerVersion returns an error if the client's version of a mod is not compatible with the
// version of the connected server.
func (r *modRoster) checkServerVersion(m *manifest.Manifest) error {
	c := r.scripts.engine.Server()
	if r.scripts.Runtime.Side != vm.Client || c == nil {
		return nil
	}
	for _, info := range c.Server.Mods {
		if info.Name == m.Name && !m.Compatible(info.Version) {
			return fmt.Errorf("the server runs version %s, this client has %s", info.Version, m.Version)
		}
	}
	return nil
}

// Reload replaces a loaded mod by a new instance from its current files. If Setup.RunTests is set,
// its trial comes first, and Reload then loads the same file contents that the trial used.
// Reload calls done once, between ticks. On failure done gets a one-line error, and nothing has
// changed.
func (s *Scripts) Reload(name string, done func(error)) {
	s.reloads.reload(name, false, func(_ string, err error) { done(err) })
}

// ReloadNow reloads a mod immediately and without tests. Call it between ticks.
func (s *Scripts) ReloadNow(name string) error {
	_, err := s.reloads.reloadNow(name, s.mods.folders)
	return err
}

// reload implements Reload. untested skips the tests of the mod. done also gets a text that
// describes the result.
func (r *reloads) reload(name string, untested bool, done func(string, error)) {
	if _, err := r.reloadable(name, r.scripts.mods.folders); err != nil {
		done("", err)
		return
	}
	r.tryFirst(name, untested, func(folders []fs.FS, err error) {
		if err != nil {
			done("", fmt.Errorf("%s is not reloaded: %w", name, err))
			return
		}
		done(r.reloadNow(name, folders))
	})
}

// tryFirst runs the trial of a mod, if there is one, without its tests if untested is true. It then
// calls load between ticks, with the folders that the trial used and its error.
func (r *reloads) tryFirst(name string, untested bool, load func(folders []fs.FS, err error)) {
	r.pending[name] = true
	folders := manifest.NewEditions(r.scripts.mods.folders)
	tried := func(compiled *vm.Protos, err error) {
		r.whenIdle(func() {
			defer manifest.EndEditions(folders)
			defer r.scripts.Runtime.Protos().Lend(compiled)()
			delete(r.pending, name)
			load(folders, err)
		})
	}
	if r.runTests == nil {
		tried(nil, nil)
		return
	}
	r.runTests(name, folders, untested, tried)
}

// reloadable returns the plan of a reload. It returns an error if the reload is impossible for a
// reason that is known before any Lua runs.
func (r *reloads) reloadable(name string, folders []fs.FS) (*reloadPlan, error) {
	m := r.scripts.Runtime.Mod(name)
	switch {
	case r.scripts.mods.disabled[name] != nil:
		return nil, fmt.Errorf("%s is disabled: mod enable %s loads it", name, name)
	case m == nil || manifestOf(m) == nil:
		return nil, fmt.Errorf("mod %s is not loaded%s", bind.Quote(truncate(name, 64)), r.scripts.mods.nearestHint(name))
	case r.pending[name]:
		return nil, fmt.Errorf("%s is already being reloaded", name)
	}
	p, err := r.scripts.mods.planReload(name, folders)
	if err != nil {
		return nil, fmt.Errorf("%s is not reloaded: %w", name, err)
	}
	return p, nil
}

// reloadNow reloads a mod from the given folders and describes the result.
func (r *reloads) reloadNow(name string, folders []fs.FS) (string, error) {
	began, old := r.wallTime(), r.scripts.Runtime.Mod(name)
	p, err := r.reloadable(name, folders)
	if err != nil {
		return "", err
	}
	if err := r.apply(p); err != nil {
		return "", fmt.Errorf("%s is not reloaded: %w", name, err)
	}
	m := r.scripts.Runtime.Mod(name)
	text := fmt.Sprintf("%s %s reloaded", name, manifestOf(m).Version)
	if r.scripts.Runtime.Clocked() {
		text += fmt.Sprintf(" in %d ms", (r.wallTime()-began+time.Millisecond-1)/time.Millisecond)
	}
	return text + ", " + countText(changedSince(m, old), "file") + " changed", nil
}

// wallTime returns the clock of the meter, or 0 without a clock.
func (r *reloads) wallTime() time.Duration {
	if !r.scripts.Runtime.Clocked() {
		return 0
	}
	return r.scripts.Runtime.Clock()
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
// dependencies, after a trial as in Reload. Enable calls done once, between ticks. On failure done
// gets a one-line error, and nothing has changed.
func (s *Scripts) Enable(name string, done func(error)) {
	s.reloads.whenIdle(func() { s.reloads.enable(name, false, func(_ string, err error) { done(err) }) })
}

// enable implements Enable, between ticks. done also gets a text that describes the result.
func (r *reloads) enable(name string, untested bool, done func(string, error)) {
	failed := func(err error) { done("", fmt.Errorf("%s is not enabled: %w", name, err)) }
	if m := r.scripts.Runtime.Mod(name); m != nil && m.Emptied() {
		r.reload(name, untested, func(_ string, err error) {
			if err != nil {
				done("", err)
				return
			}
			done(r.enabledText(name), nil)
		})
		return
	}
	if r.resume(name, done) {
		return
	}
	if r.pending[name] {
		failed(errors.New("it is already being loaded"))
		return
	}
	if _, err := r.scripts.mods.planReload(name, r.scripts.mods.folders); err != nil {
		failed(err)
		return
	}
	r.tryFirst(name, untested, func(folders []fs.FS, err error) {
		if r.resume(name, done) { // another mod needed it meanwhile
			return
		}
		var p *reloadPlan
		if err == nil {
			p, err = r.scripts.mods.planReload(name, folders)
		}
		if err == nil {
			err = r.apply(p)
		}
		if err != nil {
			failed(err)
			return
		}
		done(r.enabledText(name), nil)
	})
}

// resume ends the suspensions of a loaded mod. It reports whether the mod is loaded.
func (r *reloads) resume(name string, done func(string, error)) bool {
	m := r.scripts.Runtime.Mod(name)
	if m == nil || manifestOf(m) == nil {
		return false
	}
	if stateText(m) == "on" {
		done(name+" is on", nil)
		return true
	}
	m.Enable()
	done(r.enabledText(name), nil)
	return true
}

func (r *reloads) enabledText(name string) string {
	return fmt.Sprintf("%s %s is on", name, manifestOf(r.scripts.Runtime.Mod(name)).Version)
}

// Disable unloads a mod: its handlers, overrides, commands and timers, and the objects that its
// files made. Call it between ticks.
func (s *Scripts) Disable(name string) error {
	m := s.Runtime.Mod(name)
	switch {
	case s.mods.disabled[name] != nil:
		return fmt.Errorf("%s is already disabled", name)
	case m == nil || manifestOf(m) == nil:
		return fmt.Errorf("mod %s is not loaded%s", bind.Quote(truncate(name, 64)), s.mods.nearestHint(name))
	case name == manifest.Base:
		return errors.New("base cannot be disabled: the game needs it")
	}
	if by := s.mods.dependents(name); len(by) > 0 {
		return fmt.Errorf("%s is needed by %s: disable its dependents first", name, strings.Join(by, " and "))
	}
	s.settings.keep(m)
	remains := s.objects.madeByFiles(map[string]*vm.Mod{name: m})
	s.mods.disabled[name] = manifestOf(m)
	s.Runtime.Remove(m)
	s.mods.serverMods = slices.DeleteFunc(s.mods.serverMods, func(v *vm.Mod) bool { return v == m })
	s.objects.deleteAll(remains)
	s.mods.purge()
	s.mods.update()
	return nil
}

// whenIdle runs do between ticks: now, or before the next tick if Lua is running.
func (r *reloads) whenIdle(do func()) {
	if r.scripts.Runtime.Depth() == 0 {
		do()
		return
	}
	r.queued = append(r.queued, do)
}

// betweenTicks runs the queued actions, frees and loads suspended mods, and checks the watched
// files.
func (r *reloads) betweenTicks() {
	waiting := r.queued
	r.queued = nil
	for _, do := range waiting {
		do()
	}
	r.visitSuspended()
	r.checkFiles()
}

func (s *Scripts) warn(text string) { s.Runtime.Log(slog.LevelWarn, text) }
