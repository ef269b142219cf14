package script

import (
	"io/fs"
	"maps"
	"time"

	"github.com/torc-engine/torc/console"
)

const (
	watchEvery = 500 * time.Millisecond // of simulation time, between two rounds through all files
	watchStep  = 32                     // files and folders looked at in one tick
	watchMost  = 10_000                 // files of one mod that are watched
)

// A watch reloads mods whose files change. It goes round through the files of
// all loaded mods, a few in each tick, and compares their sizes and times. What
// differs from the round before is being written; what has differed and is
// still the same in the next round is reloaded.
type watch struct {
	on    bool
	next  time.Duration // when another round begins
	mods  []string      // still to be looked at in this round
	paths []string      // of the mod that is being looked at
	now   stamps        // of it, so far
	seen  map[string]stamps
	known map[string]stamps // as of when the mod was loaded, or the last try
}

// A stamp tells one version of a file from another.
type stamp struct {
	size int64
	at   time.Time
}

// stamps are those of a mod's files, by path.
type stamps map[string]stamp

// watchVar is mod.watch.
func (s *Scripts) watchVar() console.Var {
	return console.Var{
		Name: "mod.watch", Help: "whether mods are reloaded when their files change",
		Value: console.Hook(console.Bool(&s.watching.on), func() error {
			s.watching = watch{on: s.watching.on}
			return nil
		}),
	}
}

// lookAtFiles looks at the next few files.
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
		if w.look(m.Manifest.FS); len(w.paths) > 0 {
			continue
		}
		w.mods, w.paths = w.mods[1:], nil
		if !s.trying[m.Name] && w.changed(m.Name) { // what changes while its tests run is for after them
			s.reload(m.Name, s.outcome)
			return
		}
	}
}

// begin begins a round.
func (w *watch) begin(now time.Duration, mods []*Mod) {
	if w.seen == nil {
		w.seen, w.known = map[string]stamps{}, map[string]stamps{}
	}
	w.next = now + watchEvery
	for _, m := range mods {
		if m.Manifest != nil {
			w.mods = append(w.mods, m.Name)
		}
	}
}

// look takes in the next file or folder of a mod.
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

// changed reports whether the mod's files, which have all been looked at, have
// changed since it was loaded, and have come to rest.
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
