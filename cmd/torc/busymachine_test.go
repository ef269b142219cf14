package main

import (
	"io/fs"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/script"
)

// TestMatchGoesOnOnABusyMachine lets bots play ctf, 16 or 32 in the long form, while the clocks of
// the scripts run wrong. The wall clock jumps by up to 500 ms at each read, so the meter reads the
// clocks after every 16 instructions. The CPU clock is 20 times too fast: an instruction seems to
// take 400 ns. No handler is cut in half, no handler is suspended, and the match goes on.
func TestMatchGoesOnOnABusyMachine(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	wall, cpu := time.Duration(0), time.Duration(0)
	b := newTableOf(newHalfWith(t, 1, true, script.Setup{
		Mods:  []fs.FS{mods.FS()},
		Clock: func() time.Duration { wall += time.Duration(rng.Int64N(int64(500 * time.Millisecond))); return wall },
		Thread: func() (func() time.Duration, func()) {
			return func() time.Duration { cpu += 16 * 400 * time.Nanosecond; return cpu }, func() {}
		},
	}), 1, "ctf")
	b.say(referee)
	b.say(`ctf.timeLimit = 20`)
	b.say("mod.cpuWarn = 0") // by these clocks ctf uses much of a core
	b.say("mod.cpuSuspend = 0")
	b.say("mission valley")
	b.addBots(testenv.Length(16, 32))
	k := &book{t: t}
	end := b.now + testenv.Length(40*time.Second, 10*time.Minute)
	for b.now < end && !t.Failed() {
		b.tick()
		for _, line := range b.lines() {
			k.enter(b.now, line)
		}
	}
	assert.False(t, k.ended)
	assert.Positive(t, k.takes, "bots take flags")
	assert.Greater(t, cpu, testenv.Length(300*time.Millisecond, time.Second), "the CPU clock was read")
	assert.Empty(t, b.log)
	for _, m := range b.scripts.Runtime.Mods {
		assert.Empty(t, m.Suspended(), m.Name)
		assert.Empty(t, m.SuspendedHandlers(), m.Name)
		assert.Zero(t, m.Faults(), m.Name)
	}
}
