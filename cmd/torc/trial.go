package main

import (
	"fmt"
	"io/fs"
	"time"

	"github.com/torc-engine/torc/cmd/torc/internal/trials"
)

// trialPatience is how long the tests of a mod may take that is to be reloaded.
const trialPatience = time.Minute

// A trial runs the tests of mods beside the loop, one mod after the other on a goroutine of their own. What it is asked
// and what comes of it both stay on the loop's: only the tests themselves do not.
type trial struct {
	posts   chan<- func() // to the loop
	folders []fs.FS       // of mods
	waiting []job         // the first of them runs
}

// trials is how this side's mods are tried before they are reloaded; nil: a client's are not.
func (s *side) trials() func(mod string, done func(error)) {
	if !s.host.IsServer() {
		return nil
	}
	t := &trial{posts: s.loop.posts, folders: s.folders}
	return t.run
}

// job is a mod to try, and who wants to know.
type job struct {
	mod  string
	done func(error)
}

// run has a mod tried when those before it are done. done is called by the loop, between ticks.
func (t *trial) run(mod string, done func(error)) {
	t.waiting = append(t.waiting, job{mod, done})
	if len(t.waiting) == 1 {
		t.next()
	}
}

func (t *trial) next() {
	j := t.waiting[0]
	go func() {
		err := try(t.folders, j.mod)
		t.posts <- func() {
			t.waiting = t.waiting[1:]
			if len(t.waiting) > 0 {
				t.next()
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
	results, err := trials.Run(trials.Options{Folders: folders, Mod: mod, Patience: trialPatience})
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
