package node

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/vm"
)

func TestDateOfMods(t *testing.T) {
	now := 5 * time.Second
	s := &script.Scripts{Runtime: vm.New(vm.Config{Side: vm.Server, Date: 1_000_000_000, Now: func() time.Duration { return now }})}
	var said []string
	c := console.New(func(line string) { said = append(said, line) })
	require.NoError(t, c.Bind(dateVar(s)))
	c.Enter("mod.date")
	c.Enter(`mod.date "2030-01-31 20:15:00"`)
	now += time.Minute
	assert.Equal(t, int64(1_896_120_960), s.Date())
	c.Enter("mod.date tomorrow")
	text := strings.Join(said, "\n")
	assert.Contains(t, text, "2001-09-09 01:46:40")
	assert.Contains(t, text, `"tomorrow" must be a date in UTC, as in "2030-01-31 20:15:00"`)
}
