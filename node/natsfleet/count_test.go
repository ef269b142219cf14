package natsfleet

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/natstest"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// count adds one to a key until it has been told so many times that it has.
func (m *member) count(g bus.Group, key string, times int) (conflicts int) {
	for done := 0; done < times; {
		m.take()
		v := m.values[g][key]
		n, _ := strconv.Atoi(string(v.Data))
		out := m.outcome(m.commit(g, set(key, strconv.Itoa(n+1), v.Rev)))
		switch {
		case out.Conflict:
			conflicts++
		default:
			require.Empty(m.t, out.Err)
			m.until("sees its own value", func() bool { return m.values[g][key].Rev >= out.Revs[0] })
			done++
		}
	}
	return conflicts
}

// TestTwoServersCountOneKey is F1 of the bus: what was acknowledged is the value.
func TestTwoServersCountOneKey(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	a, b := join(t, config(c), "arena-1").follow(coins), join(t, config(c), "arena-2").follow(coins)
	const times = 200
	var ofA, ofB int
	together(func() { ofA = a.count(coins, "n", times) }, func() { ofB = b.count(coins, "n", times) })
	for _, m := range []*member{a, b, join(t, config(c), "arena-3").follow(coins)} {
		want := strconv.Itoa(2 * times)
		m.until("sees the sum", func() bool { return m.text(coins, "n") == want })
	}
	t.Logf("%d acknowledged, %d conflicts", 2*times, ofA+ofB)
}

// TestChainedWrites: a server changes a key again before it knows what became of the first change.
// If another server was first, all of the chain fails.
func TestChainedWrites(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	a, b := join(t, config(c), "arena-1").follow(coins), join(t, config(c), "arena-2").follow(coins)
	chain := func(base bus.Revision) (last []bus.Outcome) {
		first := a.commit(coins, set("n", "1", base))
		for i := range 5 {
			w := set("n", fmt.Sprint(2+i), base)
			w.Chained = true
			a.commit(coins, w)
		}
		for n := first; n <= a.number; n++ {
			last = append(last, a.outcome(n))
		}
		return last
	}
	for _, out := range chain(0) {
		assert.Empty(t, out.Err)
	}
	b.until("sees the end of the chain", func() bool { return b.text(coins, "n") == "6" })
	base := b.values[coins]["n"].Rev
	b.must(coins, set("n", "100", base))
	for _, out := range chain(base) {
		assert.True(t, out.Conflict)
	}
	assert.Equal(t, "100", a.text(coins, "n"))

	// The first write of a new key fails with its batch, and so does the one that builds on it.
	first := a.commit(coins, set("new", "1", 0), set("n", "1", base))
	w := set("new", "2", 0)
	w.Chained = true
	second := a.commit(coins, w)
	assert.True(t, a.outcome(first).Conflict)
	assert.True(t, a.outcome(second).Conflict)

	// Two changes of a key in one batch count as one.
	twice := set("n", "8", 0)
	twice.Chained = true
	revs := a.must(coins, set("n", "7", a.values[coins]["n"].Rev), twice)
	assert.Equal(t, revs[0], revs[1])
	b.until("sees the second", func() bool { return b.text(coins, "n") == "8" })
}

// TestBatchesAreWhole: other servers see all of a batch at once, also the largest.
func TestBatchesAreWhole(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	a, b := join(t, config(c), "arena-1").follow(coins), join(t, config(c), "arena-2").follow(coins)
	var revs []bus.Revision
	for round := range 3 {
		var list []bus.Write
		for i := range bus.MaxWrites {
			var base bus.Revision
			if round > 0 {
				base = revs[i]
			}
			list = append(list, set(fmt.Sprint("k", i), strconv.Itoa(round), base))
		}
		revs = a.must(coins, list...)
		b.until("sees the batch", func() bool {
			seen := 0
			for key := range b.values[coins] {
				if string(b.values[coins][key].Data) == strconv.Itoa(round) {
					seen++
				}
			}
			require.Contains(t, []int{0, bus.MaxWrites}, seen, "one Take brings all of them")
			return seen > 0
		})
	}
}

// TestWhatABatchCannotBe lists the sentences.
func TestWhatABatchCannotBe(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	a := join(t, config(c), "arena-1").follow(coins)
	big := string(make([]byte, maxValue))
	var large []bus.Write
	for i := range 9 {
		large = append(large, set(fmt.Sprint(i), big, 0))
	}
	for want, list := range map[string][]bus.Write{
		"a batch must have 1 to 999 changes, not 1000":                                     make([]bus.Write, 1000),
		"a key must have 1 to 256 bytes, not 0":                                            {set("", "1", 0)},
		"a key must have 1 to 256 bytes, not 257":                                          {set(string(make([]byte, 257)), "1", 0)},
		"a value must have at most 524288 bytes, not 524289":                               {set("a", big+"1", 0)},
		"a batch must have at most 4194304 bytes, not 4718592":                             large,
		"a group must have a name of 1 to 38 of a-z, 0-9, _ and -, without - at its start": nil,
		"": large[:8],
	} {
		g := coins
		if list == nil {
			g, list = bus.Group{Bucket: bus.Shared, Name: "-by"}, []bus.Write{set("a", "1", 0)}
			a.loaded[g] = a.loaded[coins]
		}
		assert.Equal(t, want, a.outcome(a.commit(g, list...)).Err)
	}
	a.number++
	a.bus.Do(bus.Commit{Batch: bus.Batch{Number: a.number, Writes: []bus.Write{set("a", "1", 0)}}})
	assert.Equal(t, "no such bucket", a.outcome(a.number).Err)
}

// TestAnotherEpochIsAConflict: a writer that has seen another life of the bucket has seen other
// revisions.
func TestAnotherEpochIsAConflict(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	a := join(t, config(c), "arena-1").follow(coins)
	a.loaded[coins].Epoch.ID++
	assert.True(t, a.outcome(a.commit(coins, set("n", "1", 0))).Conflict)
}
