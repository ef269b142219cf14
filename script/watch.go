package script

import (
	"io/fs"
	"maps"
	"time"

	"github.com/torc-engine/torc/console"
)

const (
	watchEvery = 500 * time.Millisecond // simulation time between two rounds over all files
	watchStep  = 32                     // files and folders checked in one tick
	watchMost  = 10_000                 // maximum number of watched files of one mod
)

// watch reloads mods when their files change. It checks the files of all loaded mods in rounds, a
// few files per tick, and compares their sizes and times. A file that differs from the previous
// round may still be being written. The mod is reloaded when its changed files stay the same for
// one round.
type watch struct {
	on    bool
	next  time.Duration // start of the next round
	mods  []string      // not yet checked in this round
	paths []string      // unchecked paths of the current mod
	now   stamps        // files of the current mod found so far
	seen  map[string]stamps
	known map[string]stamps // as of the last load or reload attempt
}

// stamp identifies a version of a file.
type stamp struct {
	size int64
	at   time.Time
}

// stamps maps the paths of a mod's files to their stamps.
type stamps map[string]stamp

// watchVar returns the variable mod.watch.
func (s *Scripts) watchVar() console.Var {
	return console.Var{
		Name: "mod.watch", Help: "whether mods are reloaded when their files change",
		Value: console.Hook(console.Bool(&s.watching.on), func() error {
			s.watching = watch{on: s.watching.on}
			return nil
		}),
	}
}

// lookAtFiles checks the next few files.
func (s *Scripts) lookAtFiles() {
	w := &s.watching
	if !w.on {
		return
	}
	if len(w.paths) == 0 && len(w.mods) == 0 {
		if s.now() < w.next {
			return
		}
		w.begin(s.now(), s.Mods)
	}
	for range watchStep {
		if len(w.mods) == 0 {
			return
		}
		m := s.Mod(w.mods[0])
		if m == nil { // disabled meanwhile
			w.mods, w.paths = w.mods[1:], nil
			continue
		}
		if w.paths == nil {
			w.paths, w.now = []string{"."}, stamps{}
		}
		if w.look(m.FS); len(w.paths) > 0 {
			continue
		}
		w.mods, w.paths = w.mods[1:], nil
		if !s.trying[m.Name] && w.changed(m.Name) { // changes during a test run are handled after it
			s.reload(m.Name, s.outcome)
			return
		}
	}
}

// begin starts a round.
func (w *watch) begin(now time.Duration, mods []*Mod) {
	if w.seen == nil {
		w.seen, w.known = map[string]stamps{}, map[string]stamps{}
	}
	w.next = now + watchEvery
	for _, m := range mods {
		if manifestOf(m) != nil {
			w.mods = append(w.mods, m.Name)
		}
	}
}

// look checks the next file or folder of a mod.
func (w *watch) look(dir fs.FS) {
	name := w.paths[len(w.paths)-1]
	w.paths = w.paths[:len(w.paths)-1]
	info, err := fs.Stat(dir, name)
	switch {
	case err != nil || len(w.now)+len(w.paths) >= watchMost:
		return
	case !info.IsDir():
		w.now[name] = stamp{info.Size(), info.ModTime()}
		return
	}
	entries, _ := fs.ReadDir(dir, name)
	for _, e := range entries {
		if name == "." {
			w.paths = append(w.paths, e.Name())
		} else {
			w.paths = append(w.paths, name+"/"+e.Name())
		}
	}
}

// changed reports whether the mod's files have changed since it was loaded and stayed the same
// since the previous round. Call it when all files have been checked.
func (w *watch) changed(mod string) bool {
	before := w.seen[mod]
	w.seen[mod] = w.now
	switch known := w.known[mod]; {
	case known == nil:
		w.known[mod] = w.now
		return false
	case maps.Equal(known, w.now) || !maps.Equal(before, w.now):
		return false
	}
	w.known[mod] = w.now
	return true
}
