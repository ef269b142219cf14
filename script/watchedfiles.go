package script

import (
	"io/fs"
	"maps"
	"time"
)

const (
	watchInterval   = 500 * time.Millisecond // simulation time between two rounds over all files
	watchSteps      = 32                     // files and folders checked in one tick
	maxWatchedFiles = 10_000                 // maximum number of watched files of one mod
)

// watchedFiles finds mods with changed files. The zero value is ready. It checks the files of all
// watched mods in rounds, a few files per tick, and compares their sizes and times. A file that
// differs from the previous round may still be being written. A mod has changed when its changed
// files stay the same for one round.
type watchedFiles struct {
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

// watchedMods gives the watched mods.
type watchedMods interface {
	// Watched lists the mods that a round checks.
	Watched() []string
	// Folder returns the folder of a mod, nil if it is not loaded any more.
	Folder(mod string) fs.FS
	// Testing reports whether a reload of a mod waits for its tests. Changes are found after them.
	Testing(mod string) bool
}

// Check checks the next few files. It returns the name of a mod to reload, or "". now is the
// simulation time.
func (w *watchedFiles) Check(now time.Duration, from watchedMods) (changed string) {
	if len(w.paths) == 0 && len(w.mods) == 0 {
		if now < w.next {
			return ""
		}
		w.next, w.mods = now+watchInterval, from.Watched()
	}
	for range watchSteps {
		if len(w.mods) == 0 {
			return ""
		}
		mod := w.mods[0]
		folder := from.Folder(mod)
		if folder == nil { // disabled meanwhile
			w.mods, w.paths = w.mods[1:], nil
			continue
		}
		if w.paths == nil {
			w.paths, w.current = []string{"."}, fileStamps{}
		}
		if w.checkNext(folder); len(w.paths) > 0 {
			continue
		}
		w.mods, w.paths = w.mods[1:], nil
		if !from.Testing(mod) && w.changed(mod) {
			return mod
		}
	}
	return ""
}

// checkNext checks the next file or folder of a mod.
func (w *watchedFiles) checkNext(dir fs.FS) {
	name := w.paths[len(w.paths)-1]
	w.paths = w.paths[:len(w.paths)-1]
	info, err := fs.Stat(dir, name)
	switch {
	case err != nil || len(w.current)+len(w.paths) >= maxWatchedFiles:
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
func (w *watchedFiles) changed(mod string) bool {
	if w.previous == nil {
		w.previous, w.known = map[string]fileStamps{}, map[string]fileStamps{}
	}
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
