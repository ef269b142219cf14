package trials

import (
	"fmt"
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/mods"
)

// Trials run one after the other, in the order in which they were asked for, and are told by whoever drains the posts:
// nothing of a server is touched meanwhile.
func TestQueue(t *testing.T) {
	posts := make(chan func(), 16)
	q, folders := NewQueue(posts), []fs.FS{mods.FS(), folder("m/test/x_test.lua", "test('x', function() wait(1000) equal(1, 2) end)")}
	var told []string
	for i, mod := range []string{"hello", "m", "nosuch", "hello"} {
		q.Try(mod, folders, func(err error) { told = append(told, fmt.Sprint(i, " ", mod, ": ", err)) })
	}
	assert.Empty(t, told, "nothing is told at once")
	for len(told) < 4 {
		(<-posts)()
	}
	require.Equal(t, []string{
		"0 hello: <nil>",
		`1 m: its test "x" fails: mods/m/test/x_test.lua:1: got 1, want 2`,
		"2 nosuch: there is no mod nosuch; installed are: base, ctf, deathmatch, hello, m",
		"3 hello: <nil>",
	}, told)
	assert.Empty(t, q.waiting)
}

// A mod that brings its trial down does not bring the server down.
func TestATrialThatPanics(t *testing.T) {
	err := try([]fs.FS{mods.FS(), brokenFS{}}, "hello")
	assert.ErrorContains(t, err, "its tests have broken their server: ")
}

type brokenFS struct{}

func (brokenFS) Open(string) (fs.File, error) { panic("the disk is gone") }
