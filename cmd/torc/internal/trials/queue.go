package trials

import (
	"fmt"
	"io/fs"
	"time"
)

// Patience is how long the tests of a mod may take that is to be reloaded, rests and all.
const Patience = 2 * time.Minute

// A Queue runs the tests of mods beside a server that plays, one mod after the other on a goroutine of their own. What it
// is asked and what comes of it both stay on the goroutine that owns the server: only the tests themselves do not.
type Queue struct {
	posts   chan<- func() // to the owner, who runs them between ticks
	waiting []job         // the first of them runs
}

// job is a mod to try, and who wants to know.
type job struct {
	mod     string
	folders []fs.FS // of mods
	done    func(error)
}

// NewQueue makes one. Whoever owns the server runs what it posts, between ticks.
func NewQueue(posts chan<- func()) *Queue { return &Queue{posts: posts} }

// Try has a mod tried, as its files in these folders are when those before it are done; a later folder wins. done is
// called by the owner, with nil or with the first thing that is wrong. Until then the folders are the queue's.
func (q *Queue) Try(mod string, folders []fs.FS, done func(error)) {
	q.waiting = append(q.waiting, job{mod, folders, done})
	if len(q.waiting) == 1 {
		q.next()
	}
}

func (q *Queue) next() {
	j := q.waiting[0]
	go func() {
		err := try(j.folders, j.mod)
		q.posts <- func() {
			q.waiting = q.waiting[1:]
			if len(q.waiting) > 0 {
				q.next()
			}
			j.done(err)
		}
	}()
}

// try runs a mod's tests as its files are now, as torc mod test does; the error is the first that fails. The server
// outlives whatever a mod brings about there.
func try(folders []fs.FS, mod string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("its tests have broken their server: %v", r)
		}
	}()
	results, err := Run(Options{Folders: folders, Mod: mod, Patience: Patience, Gentle: true})
	if err != nil {
		return err
	}
	for _, r := range results {
		switch {
		case r.Err != nil && r.Name == "":
			return fmt.Errorf("its tests do not load: %w", r.Err)
		case r.Err != nil:
			return fmt.Errorf("its test %q fails: %w", r.Name, r.Err)
		}
	}
	return nil
}
