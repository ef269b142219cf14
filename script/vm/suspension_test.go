package vm

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/internal/testenv"
)

// failFive lets a handler fail until it is suspended.
func (r *rig) failFive(m *Mod, event string) {
	for range faultsHandler {
		r.dispatch(m, event)
	}
}

func TestSuspensionsEndAndDouble(t *testing.T) {
	r := newRig(t)
	m := r.mod("a", `function bad() error("x") end`)
	r.failFive(m, "bad")
	for _, pause := range []time.Duration{10, 20, 40, 80, 160, 300, 300} {
		require.NotEmpty(t, m.SuspendedHandlers(), pause)
		r.sim += pause*time.Second - 1
		r.BeginTick()
		require.NotEmpty(t, m.SuspendedHandlers(), pause)
		r.sim++
		r.BeginTick()
		require.Empty(t, m.SuspendedHandlers(), pause)
		require.False(t, r.dispatch(m, "bad"), "one fault on probation is enough")
	}
}

func TestProbationEnds(t *testing.T) {
	r := newRig(t)
	m := r.mod("a", `function bad() error("x") end`)
	r.failFive(m, "bad")
	r.sim += firstPause
	r.BeginTick()
	r.sim += firstPause
	r.dispatch(m, "bad")
	assert.Empty(t, m.SuspendedHandlers(), "a fault after the probation is the first of five")
	r.failFive(m, "bad")
	r.sim += firstPause
	r.BeginTick()
	assert.Empty(t, m.SuspendedHandlers(), "the first pause again")
}

func TestModsResumeWithTheirHandlers(t *testing.T) {
	r := newRig(t)
	m := r.mod("a", `function b1() error("x") end b2 = b1 b3 = b1 function good() end`)
	for i, event := range []string{"b1", "b2", "b3"} {
		r.sim = time.Duration(i) * time.Second
		r.failFive(m, event)
	}
	require.NotEmpty(t, m.Suspended())
	r.sim += firstPause
	r.BeginTick()
	assert.Empty(t, m.Suspended())
	assert.Empty(t, m.SuspendedHandlers())
	assert.True(t, r.dispatch(m, "good"))
	for _, event := range []string{"b1", "b2", "b3"} {
		r.dispatch(m, event)
	}
	require.NotEmpty(t, m.Suspended(), "three handlers failed on probation")
	r.sim += firstPause
	r.BeginTick()
	require.NotEmpty(t, m.Suspended(), "the second pause is twice as long")
	r.sim += firstPause
	r.BeginTick()
	assert.Empty(t, m.Suspended())
}

// peerRig has a mod whose handler bad fails, and peers with the addresses of their tens.
func peerRig(t *testing.T) (*rig, *Mod) {
	r := newRig(t, func(c *Config) { c.Origin = func(p Peer) string { return fmt.Sprint(p / 10) } })
	return r, r.mod("a", `function bad() error("x") end function spin() while true do end end function good() end`)
}

// faultBy lets a peer cause a fault.
func (r *rig) faultBy(p Peer, m *Mod, event string) {
	defer r.SetPeer(r.SetPeer(p))
	require.False(r.t, r.dispatch(m, event))
}

// refused reports whether a handler refuses a peer.
func (r *rig) refused(p Peer, m *Mod, event string, spent bool) bool {
	defer r.SetPeer(r.SetPeer(p))
	return m.Refuses(event, spent)
}

func TestPeersPayForTheirFaults(t *testing.T) {
	r, m := peerRig(t)
	r.faultBy(10, m, "bad")
	assert.False(t, r.refused(10, m, "bad", false), "one fault costs nothing")
	for _, pause := range []time.Duration{1, 2, 4, 8, 16, 32, 64, 64} {
		r.faultBy(10, m, "bad")
		assert.True(t, r.refused(10, m, "bad", false), pause)
		assert.False(t, r.refused(10, m, "bad", true), "no budget was exhausted")
		assert.False(t, r.refused(11, m, "bad", false), "a peer at the same address is another peer")
		assert.False(t, r.refused(10, m, "good", false))
		assert.False(t, r.refused(0, m, "bad", false))
		r.sim += pause*time.Second - 1
		assert.True(t, r.refused(10, m, "bad", false), pause)
		r.sim++
		assert.False(t, r.refused(10, m, "bad", false), pause)
	}
	r.sim += 2 * maxPeerPause
	r.faultBy(10, m, "bad")
	assert.False(t, r.refused(10, m, "bad", false), "old faults are forgotten")
	for range 100 {
		r.faultBy(10, m, "bad")
		r.faultBy(20, m, "bad")
	}
	assert.Empty(t, m.SuspendedHandlers())
}

func TestExhaustedBudgetsPausePeersAtOnce(t *testing.T) {
	r, m := peerRig(t)
	r.faultBy(10, m, "spin")
	assert.True(t, r.refused(10, m, "spin", true))
	assert.Empty(t, m.SuspendedHandlers())
}

// TestNoPeersSuspendAHandlerForOthers lets 1, 32 and 250 addresses cause faults in a handler, as
// often as they get a call. Each pays for itself. A peer whose calls are right is never refused.
func TestNoPeersSuspendAHandlerForOthers(t *testing.T) {
	for _, origins := range []int{1, 32, 250} {
		r, _ := peerRig(t)
		m := r.mod("b", `function check(bad) if bad then error("x") end end`)
		call := func(p Peer, bad bool) (served bool) {
			defer r.SetPeer(r.SetPeer(p))
			if m.Refuses("check", false) || !m.Receives("check") {
				return false
			}
			_, ok := r.Dispatch(m, "check", m.Global("check").(*lua.LFunction), lua.LBool(bad))
			assert.Equal(t, bad, !ok)
			return true
		}
		faults, seconds := 0, 10
		if 8*origins > maxPeerFaults { // more than a list has
			seconds = testenv.Length(2, 10)
		}
		for range seconds {
			for i := range 8 * origins {
				if call(Peer(100+10*(i%origins)+i/origins), true) {
					faults++
				}
			}
			require.True(t, call(5, false), "%d origins", origins)
			r.sim += time.Second
			r.BeginTick()
		}
		assert.Empty(t, m.SuspendedHandlers())
		assert.Empty(t, m.Suspended())
		t.Logf("%d origins with 8 peers: %d faults in %d s", origins, faults, seconds)
		if 8*origins <= maxPeerFaults {
			assert.LessOrEqual(t, faults, 8*origins*6, "pauses of 1, 2, 4 and 8 s")
		}
	}
}

// TestNobodyEndsThePauseOfAnother: the faults of 1, 32 and 250 addresses, each with 8 peers that
// exhaust budgets, fill the list of a handler. A peer that had to pause before them still does.
func TestNobodyEndsThePauseOfAnother(t *testing.T) {
	for _, origins := range []int{1, 32, 250} {
		r, m := peerRig(t)
		bad := m.EventRecord("bad")
		book := func(p Peer) {
			defer r.SetPeer(r.SetPeer(p))
			bad.bookPeer(r.Runtime, true)
		}
		for range 8 {
			book(15)
		}
		for range testenv.Length(3, 10) {
			for i := range 8 * origins {
				if p := Peer(100 + 10*(i%origins) + i/origins); !r.refused(p, m, "bad", true) {
					book(p)
				}
			}
			r.sim += time.Second
		}
		assert.True(t, r.refused(15, m, "bad", true), "%d origins", origins)
		assert.LessOrEqual(t, len(bad.peers), maxPeerFaults)
		r.sim += maxPeerPause
		assert.False(t, r.refused(15, m, "bad", true))
	}
}

func TestPeerFaultsAreBounded(t *testing.T) {
	r, m := peerRig(t)
	for i := range 10 * maxPeerFaults {
		r.sim += time.Second
		r.faultBy(Peer(10+i%10), m, "bad")
		r.faultBy(Peer(20+i%5), m, "bad")
	}
	for i := range 3 * maxPeerFaults {
		r.sim += faultWindow
		r.faultBy(Peer(1000+i), m, "bad")
	}
	assert.Len(t, m.EventRecord("bad").peers, maxPeerFaults)
}

// TestReconnectingEndsNoPause checks that a new connection takes over the faults of an ended one
// with the same origin.
func TestReconnectingEndsNoPause(t *testing.T) {
	ended := map[Peer]bool{}
	r := newRig(t, func(c *Config) {
		c.Origin = func(p Peer) string {
			if ended[p] {
				return ""
			}
			return fmt.Sprint(p / 10)
		}
	})
	m := r.mod("a", `function bad() error("x") end`)
	r.faultBy(10, m, "bad")
	r.faultBy(10, m, "bad")
	assert.True(t, r.refused(10, m, "bad", false))
	assert.False(t, r.refused(11, m, "bad", false), "another connection of the same address")
	ended[10] = true
	assert.True(t, r.refused(12, m, "bad", false), "a new one after the first has ended")
	assert.False(t, r.refused(20, m, "bad", false))
	for p := Peer(30); p < 100; p += 10 {
		ended[p] = true
		r.faultBy(p, m, "bad")
	}
	assert.Empty(t, m.SuspendedHandlers())
}

// TestSuspensionsEndOneByOne suspends two handlers of each of two mods at different times, in each
// order. Each ends at its own time, and none ends with another.
func TestSuspensionsEndOneByOne(t *testing.T) {
	for order := range 24 {
		r := newRig(t)
		const text = `function b1() error("x") end b2 = b1`
		mods := []*Mod{r.mod("a", text), r.mod("b", text)}
		left := []int{0, 1, 2, 3}
		ends := map[string]time.Duration{}
		for n, rest := 4, order; n > 0; n-- {
			i := rest % n
			rest /= n
			m, event := mods[left[i]/2], fmt.Sprint("b", left[i]%2+1)
			left = append(left[:i], left[i+1:]...)
			r.failFive(m, event)
			ends[m.Name+event] = r.sim + firstPause
			r.sim += time.Second
		}
		for range 12 {
			r.BeginTick()
			for _, m := range mods {
				require.Empty(t, m.Suspended())
				want := 0
				for _, event := range []string{"b1", "b2"} {
					if r.sim < ends[m.Name+event] {
						want++
					}
				}
				require.Len(t, m.SuspendedHandlers(), want, "order %d after %v: %v", order, r.sim, ends)
			}
			r.sim += time.Second
		}
	}
}

// TestHandlersEndBeforeOtherMods suspends a handler of one mod, then another mod as a whole, and
// the other way round. Each ends at its own time, also if an operator enables the other one.
func TestHandlersEndBeforeOtherMods(t *testing.T) {
	for _, handlerFirst := range []bool{true, false} {
		for _, enabled := range []bool{true, false} {
			r := newRig(t)
			one := r.mod("one", `function bad() error("x") end`)
			all := r.mod("all", `function bad() end`)
			suspend := []func(){func() { r.failFive(one, "bad") }, func() { all.Suspend("too slow") }}
			first, second := 0, 1
			if !handlerFirst {
				first, second = 1, 0
			}
			suspended := []func() bool{func() bool { return len(one.SuspendedHandlers()) > 0 }, func() bool { return all.Suspended() != "" }}
			suspend[first]()
			r.sim = time.Second
			suspend[second]()
			if enabled {
				[]*Mod{one, all}[first].Enable()
			}
			for ; r.sim < 13*time.Second; r.sim += time.Second / 2 {
				r.BeginTick()
				require.Equal(t, !enabled && r.sim < firstPause, suspended[first](), "%v", r.sim)
				require.Equal(t, r.sim < firstPause+time.Second, suspended[second](), "%v", r.sim)
			}
		}
	}
}
