package node

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/script/vm"
)

// trials runs the tests of mods before these are reloaded: one mod after the other, on a goroutine
// of its own in most nodes. Requests and results stay on the goroutine that owns the server.
type trials struct {
	core.Passive
	posts   *core.Posts
	spawn   func(func())
	run     func(ctx context.Context, folders []fs.FS, mod string, untested bool) (*vm.Protos, error)
	ctx     context.Context // of the server
	cancel  context.CancelFunc
	waiting []trial // the first of them runs
}

// trial is a mod to test.
type trial struct {
	mod      string
	folders  []fs.FS // of mods
	untested bool
	done     func(*vm.Protos, error)
}

// try tests a mod with the files that are in the folders when the earlier trials are done. done
// gets the compiled files and the first error, on the owner's goroutine. Until then only the trial
// may read the folders.
func (q *trials) try(mod string, folders []fs.FS, untested bool, done func(*vm.Protos, error)) {
	q.waiting = append(q.waiting, trial{mod, folders, untested, done})
	if len(q.waiting) == 1 {
		q.next()
	}
}

func (q *trials) next() {
	t := q.waiting[0]
	q.spawn(func() {
		compiled, err := q.guarded(t)
		q.posts.Post(func() {
			q.waiting = q.waiting[1:]
			if len(q.waiting) > 0 {
				q.next()
			}
			t.done(compiled, err)
		})
	})
}

// Close ends the test that runs.
func (q *trials) Close() error {
	q.cancel()
	return nil
}

// guarded runs the tests of a mod. A panic in them does not end the server.
func (q *trials) guarded(t trial) (compiled *vm.Protos, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("its tests crashed their server: %v", r)
		}
	}()
	return q.run(q.ctx, t.folders, t.mod, t.untested)
}
