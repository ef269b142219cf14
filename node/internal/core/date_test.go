package core

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

// TestDateOfMods checks that the date is the machine's at the start of a tick, or the operator's,
// which goes on with the simulation time until it is "now".
func TestDateOfMods(t *testing.T) {
	simulated, wall := 5*time.Second, time.Unix(1_000_000_000, 0)
	now := func() time.Duration { return simulated }
	s := &script.Scripts{Runtime: vm.New(vm.Config{Side: vm.Server, Now: now})}
	d := date{scripts: s, clock: func() time.Time { return wall }, now: now}
	var said []string
	c := console.New(func(line string) { said = append(said, line) })
	require.NoError(t, c.Bind(d.variable()))
	says := func(line string) string {
		said = nil
		c.Enter(line)
		return strings.Trim(append(said, "")[0], `"`)
	}
	d.read()
	assert.Equal(t, "2001-09-09 01:46:40", says("mod.date"))
	wall, simulated = wall.Add(time.Hour), simulated+999*time.Millisecond
	assert.Equal(t, "2001-09-09 01:46:40", says("mod.date"), "the tick has begun")
	d.read()
	assert.Equal(t, "2001-09-09 02:46:40", says("mod.date"))

	assert.Empty(t, says(`mod.date "2030-01-31 20:15:00"`))
	assert.Equal(t, int64(1_896_120_900), s.Runtime.Date())
	simulated, wall = simulated+time.Minute, wall.Add(24*time.Hour)
	d.read()
	assert.Equal(t, int64(1_896_120_960), s.Runtime.Date())
	assert.Contains(t, says("mod.date tomorrow"), `tomorrow" must be "now", or a date in UTC, as in "2030-01-31 20:15:00`)
	assert.Empty(t, says("mod.date now"))
	d.read()
	assert.Equal(t, "2001-09-10 02:46:40", says("mod.date"))
}
