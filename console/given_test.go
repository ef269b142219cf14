package console_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
)

// TestGivenRepeats checks that a watcher learns of all that a console is given, and that another
// console does the same with it.
func TestGivenRepeats(t *testing.T) {
	make := func() (c *console.Console, ran *[]string, v *int) {
		ran, v = new([]string), new(int)
		c = console.New(func(string) {})
		require.NoError(t, c.Bind(console.Var{Name: "v", Value: console.Int(v, 0, 9)}))
		require.NoError(t, c.Register(console.Command{Name: "say", Run: func(args []string) (string, error) {
			*ran = append(*ran, fmt.Sprint(args))
			return "", nil
		}}))
		c.SetEval(func(chunk string) (string, bool, error) {
			*ran = append(*ran, chunk)
			return "", chunk == "if x then", nil
		})
		return c, ran, v
	}
	c, ran, v := make()
	again, ranAgain, w := make()
	inside := 0
	c.SetWatcher(func(g *console.Given) func() {
		if inside++; inside == 1 {
			may := g.May
			if may != nil {
				g.May = func(name string) bool { return name == "say" && may(name) }
			}
			_, _ = again.Give(g)
		}
		return func() { inside-- }
	})
	_, err := c.Exec("say 1")
	require.NoError(t, err)
	_, more, err := c.Feed("if x then")
	require.NoError(t, err)
	require.True(t, more)
	_, _, err = c.Feed("y() end")
	require.NoError(t, err)
	_, err = c.ExecCommand("say 2", func(string) bool { return true })
	require.NoError(t, err)
	require.NoError(t, c.Set("v", "4"))
	assert.Equal(t, 4, *w)
	require.NoError(t, c.Set("v", "5"))
	_, err = c.Exec("v 6")
	require.NoError(t, err)
	assert.Equal(t, []int{6, 6}, []int{*v, *w})
	require.NoError(t, c.Reset("v"))
	_, err = c.ExecCommand("v", func(string) bool { return true })
	assert.Error(t, err)
	assert.Equal(t, []int{0, 0}, []int{*v, *w})
	assert.Equal(t, []string{"[1]", "if x then", "if x then\ny() end", "[2]"}, *ran)
	assert.Equal(t, *ran, *ranAgain)
	assert.Zero(t, inside)
	before := len(*ranAgain)
	require.NoError(t, c.Register(console.Command{Name: "away", Elsewhere: true, Run: func([]string) (string, error) { return "", nil }}))
	_, err = c.Exec(" away now")
	require.NoError(t, err)
	assert.Len(t, *ranAgain, before)
	c.SetWatcher(nil)
	_, err = c.Exec("say 3")
	assert.NoError(t, err)
}
