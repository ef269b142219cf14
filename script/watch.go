package script

import (
	"io/fs"
	"maps"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/script/vm"
)

const (
	watchEvery = 500 * time.Millisecond // simulation time between two rounds over all files
	watchStep  = 32                     // files and folders checked in one tick
	maxWatched = 10_000                 // maximum number of watched files of one mod
)

// fileWatch reloads mods when their files change. It checks the files of all loaded mods in rounds, a
// few files per tick, and compares their sizes and times. A file that differs from the previous
// round may still be being written. The mod is reloaded when its changed files stay the same for
// one round.
type fileWatch struct {
	on       bool
	next     time.Duration // start of the next round
	mods     []string      // not yet checked in this round
	paths    []string      // unchecked paths of the current mod
	current  fileStamps    // files of the current mod found so far
	previous map[string]fileStamps
	known    map[string]fileStamps // as of the last load or reload attempt
}

// fileStamp identifies a version of a file.
type fileStamp struct {
	size int64
	at   time.Time
}

// fileStamps maps the paths of a mod's files to their stamps.
type fileStamps map[string]fileStamp

// watchVar returns the variable mod.watch.
func (s *Scripts) watchVar() console.Var {
	return console.Var{
		Name: "mod.watch", Help: "reloads mods when their files change",
		Value: console.Hook(console.Bool(&s.fileWatch.on), func() error {
			s.fileWatch = fileWatch{on: s.fileWatch.on}
			return nil
		}),
	}
}

// checkFiles checks the next few files.
func (s *Scripts) checkFiles() {
	w := &s.fileWatch
	if !w.on {
		return
	}
	if len(w.paths) == 0 && len(w.mods) == 0 {
		if s.Now() < w.next {
			return
		}
		w.begin(s.Now(), s.Mods)
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
			w.paths, w.current = []string{"."}, fileStamps{}
		}
		if w.checkNext(m.FS); len(w.paths) > 0 {
			continue
		}
		w.mods, w.paths = w.mods[1:], nil
		if !s.reloading[m.Name] && w.changed(m.Name) { // changes during a test run are handled after it
			s.reload(m.Name, s.printOutcome)
			return
		}
	}
}

// begin starts a round.
func (w *fileWatch) begin(now time.Duration, mods []*vm.Mod) {
	if w.previous == nil {
		w.previous, w.known = map[string]fileStamps{}, map[string]fileStamps{}
	}
	w.next = now + watchEvery
	for _, m := range mods {
		if manifestOf(m) != nil {
			w.mods = append(w.mods, m.Name)
		}
	}
}

// checkNext checks the next file or folder of a mod.
func (w *fileWatch) checkNext(dir fs.FS) {
	name := w.paths[len(w.paths)-1]
	w.paths = w.paths[:len(w.paths)-1]
	info, err := fs.Stat(dir, name)
	switch {
	case err != nil || len(w.current)+len(w.paths) >= maxWatched:
		return
	case !info.IsDir():
		w.current[name] = fileStamp{info.Size(), info.ModTime()}
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
func (w *fileWatch) changed(mod string) bool {
	before := w.previous[mod]
	w.previous[mod] = w.current
	switch known := w.known[mod]; {
	case known == nil:
		w.known[mod] = w.current
		return false
	case maps.Equal(known, w.current) || !maps.Equal(before, w.current):
		return false
	}
	w.known[mod] = w.current
	return true
}
