package node

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/script/vm"
)

// TestTrials checks that trials run one after the other, in the order of their requests. They do
// not touch the server while they run. Running the server's posts delivers their results.
func TestTrials(t *testing.T) {
	p := core.NewPosts()
	compiled := vm.NewProtos()
	run := func(_ context.Context, _ []fs.FS, mod string, _ bool) (*vm.Protos, error) {
		switch mod {
		case "bad":
			return nil, errors.New("it is bad")
		case "broken":
			panic("the disk is gone")
		}
		return compiled, nil
	}
	q := &trials{posts: p, spawn: core.Machine().Spawn, run: run, ctx: context.Background()}
	var told []string
	for i, mod := range []string{"good", "bad", "broken", "good"} {
		q.try(mod, nil, false, func(got *vm.Protos, err error) {
			told = append(told, fmt.Sprint(i, " ", mod, ": ", err))
			assert.Equal(t, err == nil, got == compiled)
		})
	}
	assert.Empty(t, told, "nothing is told at once")
	for len(told) < 4 {
		(<-p.Queue)()
	}
	require.Equal(t, []string{
		"0 good: <nil>",
		"1 bad: it is bad",
		"2 broken: its tests crashed their server: the disk is gone",
		"3 good: <nil>",
	}, told)
	assert.Empty(t, q.waiting)
}
