package script_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/store"
)

func shareWith(m *sharedMember) func(*script.Setup) {
	return func(s *script.Setup) { s.Shared = m }
}

// TestClaims: one server holds a key, and the puts of others fail with its name.
func TestClaims(t *testing.T) {
	f, a, b := two(t, "")
	a.in(`put("boss", "sleeps")`)
	f.rounds(2, a, b)
	a.in(`heard() shared:claim("boss", note "claim")`)
	b.in(`heard()`)
	f.rounds(2, a, b)
	a.is("claim true arena-1", "heard()")
	b.in(`put("boss", "runs") shared:update("boss", function() return 1 end, note "update") shared:claim("boss", note "claim") shared:claim("free", note "free")`)
	b.is("boss=sleeps", "have()")
	a.in(`put("boss", "wakes")`)
	f.rounds(2, a, b)
	a.is("boss true", "heard()")
	b.is("boss false claimed by arena-1; update false claimed by arena-1; claim false arena-1; free true arena-2; onShared boss wakes", "heard()")
	a.in(`shared:claim("boss", note "again") shared:release("boss") shared:release("boss")`)
	f.rounds(3, a, b)
	b.in(`put("boss", "runs")`)
	f.rounds(3, a, b)
	b.is("boss true", "heard()")
	a.is("again true arena-1; onShared boss runs", "heard()")
}

// TestClaimIsSeenAtOnce: a put that was decided before the claim was known fails by its revision,
// and says by whom.
func TestClaimIsSeenAtOnce(t *testing.T) {
	f, a, b := two(t, "")
	a.in(`shared:claim("k", note "claim")`)
	b.in(`put("k", 1)`)
	f.rounds(3, a, b)
	a.is("claim true arena-1", "heard()")
	b.is("k false claimed by arena-1", "heard()")
	b.in(`shared:claim("k", note "claim")`)
	f.rounds(3, a, b)
	b.is("claim false arena-1", "heard()")
}

// TestTwoClaimsAtOnce: the faster one gets it.
func TestTwoClaimsAtOnce(t *testing.T) {
	f, a, b := two(t, "")
	a.in(`shared:claim("k", note "claim")`)
	b.in(`shared:claim("k", note "claim")`)
	f.rounds(9, a, b)
	a.is("claim true arena-1", "heard()")
	b.is("claim false arena-1", "heard()")
}

// TestClaimRepeatsAfterAPut: a put of another server is no claim, so the attempt is made again.
func TestClaimRepeatsAfterAPut(t *testing.T) {
	f, a, b := two(t, "")
	a.in(`put("k", 1)`)
	b.in(`shared:claim("k", note "claim")`)
	f.rounds(9, a, b)
	assert.Contains(t, b.in("return heard()"), "claim true arena-2")
	b.is("k=1", "have()")
	a.in(`put("k", 2)`)
	f.rounds(2, a, b)
	a.in(`shared:claim("j", note "given up")`)
	f.foreign("m-shared", "j", []byte{1, 't'})
	f.rounds(1, a)
	a.in(`shared:release("j")`)
	f.rounds(9, a, b)
	assert.Contains(t, a.in("return heard()"), "given up")
	assert.NotEqual(t, byte(0), f.sets["m-shared"]["j"].Data[0], "a released key is not claimed later")
}

// TestDeadHolder: another server takes over when the holder has been away for long enough. Changes
// that the holder had on their way fail then.
func TestDeadHolder(t *testing.T) {
	f, a, b := two(t, "")
	a.in(`put("k", "a") shared:claim("k", note "claim")`)
	f.rounds(3, a, b)
	first := f.members[0]
	first.cut = true
	a.in(`put("k", "late")`)
	a.ticks(2)
	b.in(`heard() put("k", "b")`)
	f.rounds(2, b)
	b.is("k false claimed by arena-1", "heard()")
	f.members[1].gone["arena-1"] = true
	b.in(`shared:claim("k", note "mine") put("k", "b")`)
	f.rounds(2, b)
	b.is("mine true arena-2; k true", "heard()")
	a.is("late", `shared:get("k")`) // it believes in its claim while it has no line
	a.in("heard()")
	first.heal()
	f.rounds(3, a, b)
	a.is("k false claimed by arena-2; onShared k b", "heard()")
	b.is("k=b", "have()")
	a.in(`put("k", "again")`)
	f.rounds(2, a, b)
	a.is("k false claimed by arena-2", "heard()")
}

// TestPutAfterTheDeathOfTheHolder needs no claim, and ends the old one.
func TestPutAfterTheDeathOfTheHolder(t *testing.T) {
	f, a, b := two(t, "")
	a.in(`shared:claim("k")`)
	f.rounds(3, a, b)
	f.members[0].die()
	f.members[0].gone["arena-1"] = true
	b.in(`put("k", "b")`)
	f.rounds(2, b)
	b.is("k true", "heard()")
	f.members[0].gone["arena-1"] = false
	b.in(`put("k", "c")`)
	f.rounds(2, b)
	b.is("k true", "heard()")
}

// TestNextRunReleases: another run of a server knows nothing of the claims of the former one, and
// releases them. A put of the former one that arrives late changes nothing, or is released too.
func TestNextRunReleases(t *testing.T) {
	for _, early := range []bool{true, false} {
		f, a, b := two(t, "")
		a.in(`put("k", "a") shared:claim("k") shared:claim("empty")`)
		f.rounds(3, a, b)
		a.in(`put("k", "late")`)
		a.ticks(1)
		former := f.members[0]
		former.die()
		late := former.queue[0]
		if early {
			f.commit(former, late)
		}
		second := sharing(t, f.join("arena-1"), "")
		f.rounds(3, b, second)
		if !early {
			assert.True(t, f.commit(former, late).Conflict)
		}
		f.rounds(3, b, second)
		want := map[bool]string{true: "k=late", false: "k=a"}[early]
		second.is(want, "have()")
		b.in(`heard() put("k", "b") put("empty", 1)`)
		f.rounds(3, b, second)
		assert.Contains(t, b.in("return heard()"), "k true; empty true")
	}
}

// TestUnloadedModReleases: a claim ends with its mod.
func TestUnloadedModReleases(t *testing.T) {
	f, a, b := two(t, "")
	a.in(`shared:claim("k")`)
	f.rounds(3, a, b)
	assert.NotContains(t, a.line("mod.disable m"), "error")
	f.rounds(3, a, b)
	b.in(`put("k", "b")`)
	f.rounds(3, a, b)
	assert.Contains(t, b.in("return heard()"), "k true")
}

// A claimWitness checks each write to the keys of a fleet.
type claimWitness struct {
	t      *testing.T
	seed   uint64
	fleet  *sharedFleet
	gone   map[string]bool   // servers that have been away for long enough
	wasOut map[string]uint64 // the newest revision of the fleet at their last return
	takes  int
}

// returns notes that a server is no longer gone.
func (c *claimWitness) returns(name string) {
	if c.gone[name] {
		c.gone[name], c.wasOut[name] = false, c.fleet.rev
	}
}

// holderOf returns the holder that data names.
func holderOf(data []byte) string {
	if len(data) == 0 || data[0] != 0 {
		return ""
	}
	return string(data[2 : 2+int(data[1])])
}

// wrote fails if a write breaks a claim: only the holder may write, or a server that knew that the
// holder was gone with this revision. Such a write can land after the holder has come back. Only
// the writer itself can be the next holder.
func (c *claimWitness) wrote(_ string, before, now store.Value) {
	old, next := holderOf(before.Data), holderOf(now.Data)
	allowed := old == "" || old == now.Owner || c.gone[old] || c.wasOut[old] >= before.Rev
	require.True(c.t, allowed, "seed %d: %s writes %q, which %s holds", c.seed, now.Owner, now.Key, old)
	require.True(c.t, next == "" || next == now.Owner, "seed %d: %s makes %s the holder of %q", c.seed, now.Owner, next, now.Key)
	if next != "" && old != next {
		c.takes++
	}
}

// TestNeverTwoHolders does random things on four servers with two keys: claims, releases, puts,
// partitions, late news, deaths with late batches, new runs. A server counts as gone when it has no
// line for a while, although it lives and believes in its claims. The witness sees each write.
func TestNeverTwoHolders(t *testing.T) {
	takes, seeds := 0, 0
	for seed := range testenv.Seeds(t, 1, 60) {
		r := rand.New(rand.NewPCG(381, seed))
		f := newSharedFleet()
		w := &claimWitness{t: t, seed: seed, fleet: f, gone: map[string]bool{}, wasOut: map[string]uint64{}}
		f.wrote = w.wrote
		var all []*half
		var members []*sharedMember
		join := func(i int) {
			m := f.join(fmt.Sprint("arena-", i))
			m.gone = w.gone
			h := sharing(t, m, "")
			if i < len(all) {
				all[i], members[i] = h, m
			} else {
				all, members = append(all, h), append(members, m)
			}
		}
		for i := range 4 {
			join(i)
		}
		f.rounds(1, all...)
		type late struct {
			from  *sharedMember
			batch memberBatch
		}
		var letters []late
		for range 200 {
			i := r.IntN(4)
			h, m, key := all[i], members[i], []string{"k", "j"}[r.IntN(2)]
			switch r.IntN(12) {
			case 0, 1:
				h.in(fmt.Sprintf("shared:claim(%q)", key))
			case 2:
				h.in(fmt.Sprintf("shared:release(%q)", key))
			case 3, 4, 5:
				h.in(fmt.Sprintf("put(%q, %d)", key, r.IntN(100)))
			case 6:
				m.cut = true
			case 7:
				w.gone[m.name] = w.gone[m.name] || m.cut
			case 8:
				if m.cut {
					w.returns(m.name)
					m.heal()
				}
			case 9:
				if m.deaf = !m.deaf; !m.deaf {
					m.hear()
				}
			case 10:
				for _, b := range m.queue {
					letters = append(letters, late{m, b})
				}
				m.die()
				w.returns(m.name)
				join(i)
			default:
				if n := len(letters); n > 0 && r.IntN(2) == 0 {
					f.commit(letters[n-1].from, letters[n-1].batch)
					letters = letters[:n-1]
				}
				f.rounds(1, all...)
			}
			f.rounds(r.IntN(2), all...)
		}
		takes += w.takes
		seeds++
	}
	assert.Greater(t, takes, 5*seeds, "the claims are used")
}
