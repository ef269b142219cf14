package script_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/script/vm"
)

// tickOfAttack and tickAfter limit the CPU time of the tick in which a script is stopped and of
// the next tick. A tick comes every 32 ms.
const (
	tickOfAttack = 64 * time.Millisecond * raceFactor
	tickAfter    = 32 * time.Millisecond * raceFactor
)

// slowest returns the attacks with the longest single steps: those that only time stops, and those
// with large values.
func slowest(t *testing.T) []attack {
	return slices.DeleteFunc(collection(t), func(a attack) bool {
		if a.stop == "time" {
			return false
		}
		for _, word := range []string{"-huge", "sparse-", "number-", "fields-", "dead-keys", "insert-front", "vararg-"} {
			if a.stop != "compile" && strings.Contains(a.name, word) {
				return false
			}
		}
		return true
	})
}

// attempts is the number of tries for each attack. Garbage collection or another process on the
// same core can slow down one attempt. A script that is really too slow is too slow in every
// attempt.
const attempts = 20

// TestTicksAreOnTimeUnderAttack checks that the tick in which a script is stopped ends in time.
// The mods after it run in the same tick, and the next tick is on time. The limits are those of a
// server. Time is the CPU time of the thread, so other processes and tests do not count.
func TestTicksAreOnTimeUnderAttack(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	attacks := slowest(t)
	require.Greater(t, len(attacks), 30)
	for _, a := range testenv.Every(12, attacks) {
		a.isOnTime(t)
	}
}

// isOnTime runs an attack until one attempt is on time.
func (a attack) isOnTime(t *testing.T) {
	for attempt := range attempts {
		f := attackServer(t, a)
		require.Equal(t, "evil", f.scripts.Runtime.Mods[1].Name, "the witness comes after the attack")
		m := f.scripts.Runtime.Mod("evil")
		fn, err := m.Compile("mods/evil/attack.lua", a.source, false)
		require.NoError(t, err, a.name)
		f.setMeter(vm.DefaultLimits, plainTime, f.sample)
		f.cpu = plainTime
		runtime.GC() // garbage from before does not count for the attack
		m.SetGlobal("onTick", fn)
		struck := f.tick()
		m.SetGlobal("onTick", lua.LNil)
		after := f.tick()
		t.Logf("%-28s tick %5.1f ms, the next %4.1f ms", a.name, ms(struck), ms(after))
		if struck < tickOfAttack && after < tickAfter && f.served(t) == f.ticks {
			f.unharmed(t)
			return
		}
		require.Less(t, attempt, attempts-1, "%s is never on time", a.name)
	}
}

// plainTime estimates the CPU time of the thread without the race detector, so that the limits are
// those of a server.
func plainTime() time.Duration { return threadTime() / raceFactor }

// tick returns the duration of a tick.
func (f *attackedServer) tick() time.Duration {
	start := threadTime()
	f.ticks++
	f.host.Tick(netcore.Time(f.ticks) * netcore.Time(32*time.Millisecond))
	return threadTime() - start
}
