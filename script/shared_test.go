package script_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/script/store"
)

// TestSharedWithoutAFleet: the values are in the server's own store, beside those of the global
// store. Puts succeed, claims are granted, and updates never repeat.
func TestSharedWithoutAFleet(t *testing.T) {
	h := shop(t, "")
	for _, c := range []struct{ code, want string }{
		{`store:put("k", "own")`, ""},
		{`shared:put("k", "shared", note "put")`, ""},
		{`return store:get("k") .. " " .. shared:get("k")`, `"own shared"`},
		{`calls = 0 shared:update("n", function(old) calls = calls + 1 return (old or 0) + 1 end, note "update")`, ""},
		{`store:update("n", function(old) return (old or 40) + 2 end, note "own update")`, ""},
		{`shared:claim("k", note "claim")`, ""},
		{`shared:release("k") shared:release("never claimed")`, ""},
		{`shared:put("gone", 1) shared:delete("gone", note "delete")`, ""},
		{`local s = "" for k, v in shared:each("", { reverse = true }) do s = s .. k .. v end return s`, `"n1kshared"`},
		{`return tostring(shared) .. " " .. tostring(store) .. " " .. store:get("n") .. calls`, `"shared of m store of m 421"`},
	} {
		assert.Equal(t, c.want, h.in(c.code), c.code)
	}
	h.ticks(2)
	h.is("claim true; put true; update true; own update true; delete true", "heard()")
	assert.Equal(t, "m 75 2\nm-shared 78 2", h.line("store"))
	assert.Equal(t, 1, h.store.batches, "both are one batch")

	again := newHalf(t, 1, true, shopFiles(""))
	again.store.Memory = h.store.Memory
	again.load("m")
	assert.Equal(t, "m 75 2\nm-shared 78 2", again.line("store"), "the set is listed before the mod uses it")
	assert.Equal(t, []string{"base", "console", "m"}, sortedLoads(again), "it is read when it is used")
	again.is("shared 1", `shared:get("k") .. " " .. shared:get("n")`)
	assert.Contains(t, again.line("store.purge m-shared"), "the mod m is loaded: its data can be removed after `mod.disable m`")
	for code, says := range map[string]string{
		`shared.put("a", 1)`:    "shared:put: call it with a colon: shared:put(…)",
		`shared.x = 1`:          "store values with shared:put(key, value)",
		`return shared.x`:       `shared has no "x": read values with shared:get(key), and write them with shared:put(key, value)`,
		`shared:update("a", 1)`: "shared:update: argument 2 (fn) must be a function, not a number",
		`shared:update("a", function() error "no" end)`:  "no",
		`shared:update("a", function() return echo end)`: "shared:update: a function cannot be stored",
		`shared:claim("")`: "shared:claim: a key must have 1 to 256 bytes, not 0",
	} {
		assert.Contains(t, again.in(code), says, code)
	}
}

func sortedLoads(h *half) (loads []string) {
	seen := map[string]bool{}
	for _, mod := range h.store.loads {
		if !seen[mod] {
			seen[mod] = true
			loads = append(loads, mod)
		}
	}
	slices.Sort(loads)
	return loads
}

// TestSharedValuesReachOthers: a put is seen here at once, and there when it has happened. The
// other server is told, and this one is not.
func TestSharedValuesReachOthers(t *testing.T) {
	f, a, b := two(t, "")
	a.in(`put("coins", 5)`)
	a.is("coins=5", "have()")
	b.is("", "have()")
	f.rounds(2, a, b)
	a.is("coins true", "heard()")
	b.is("onShared coins 5", "heard()")
	b.is("coins=5", "have()")
	b.in(`shared:delete("coins", note "coins")`)
	f.rounds(2, a, b)
	a.is("onShared coins nil", "heard()")
	a.in(`put("coins", 1)`)
	f.rounds(2, a, b)
	a.is("coins true", "heard()") // a deleted key is one without a value
}

// TestFasterServerWins: the revision that the mod saw decides, not the newest one that the server
// knows.
func TestFasterServerWins(t *testing.T) {
	f, a, b := two(t, "")
	a.in(`put("n", 1)`)
	f.rounds(2, a, b)
	a.in("heard()")
	b.in("heard()")
	a.in(`put("n", 10)`)
	b.in(`put("n", 20) put("other", 1)`)
	f.rounds(1, a, b)
	b.in(`put("n", shared:get("n") + 1)`) // it saw its own 20, whose outcome it does not know
	b.is("n=21 other=1", "have()")
	f.rounds(3, a, b)
	a.is("n true", "heard()")
	b.is("n false another server has changed the value; other false another server has changed the value; n false another server has changed the value; onShared n 10", "heard()")
	b.is("n=10", "have()")
	a.is("n=10", "have()")
}

// TestRevisionThatTheModSaw: news that come between a put and its way to the fleet are not what the
// mod saw.
func TestRevisionThatTheModSaw(t *testing.T) {
	f, a, b := two(t, "")
	a.in(`put("n", 1)`)
	f.rounds(2, a, b)
	b.in(`heard() put("n", shared:get("n") + 1)`)
	f.foreign("m-shared", "n", []byte{1, 'i', 20})
	f.rounds(3, a, b)
	b.is("n false another server has changed the value; onShared n 10", "heard()")
	a.is("n=10", "have()")
}

// TestPutOnARefusedOne fails too, although the key has no value again, as the first put had seen
// it.
func TestPutOnARefusedOne(t *testing.T) {
	f, a, b := two(t, "")
	b.in(`put("n", 2)`)
	b.ticks(1)
	f.foreign("m-shared", "n", []byte{1, 't'})
	b.in(`put("n", shared:get("n") + 1)`)
	b.ticks(1)
	f.step()
	f.foreign("m-shared", "n", nil)
	f.rounds(70, a, b)
	b.is("n false another server has changed the value; n false another server has changed the value", "heard()")
	a.is("", "have()")
}

// TestChainedPuts: a later put builds on the outcome of the one before it.
func TestChainedPuts(t *testing.T) {
	f, a, b := two(t, "")
	for i := range 5 {
		a.in(fmt.Sprintf(`put("n", %d)`, i))
		a.ticks(1)
	}
	a.is("n=4", "have()")
	f.rounds(4, a, b)
	a.is("n true; n true; n true; n true; n true", "heard()")
	b.is("n=4", "have()")
	assert.Equal(t, []int{1, 1}, f.members[0].sizes, "what waited is one write")
}

// TestRefusedPutsWaitForTheOtherValue: the outcome can come before the news. done runs when get has
// the other value, or after a while.
func TestRefusedPutsWaitForTheOtherValue(t *testing.T) {
	for _, hears := range []bool{true, false} {
		f, a, b := two(t, "")
		f.members[1].deaf = true
		a.in(`put("n", 1)`)
		f.rounds(1, a, b)
		b.in(`put("n", 2)`)
		f.rounds(20, a, b)
		b.is("", "heard()")
		if hears {
			f.members[1].hear()
			f.rounds(1, a, b)
			b.is("n false another server has changed the value; onShared n 1", "heard()")
			continue
		}
		f.rounds(46, a, b)
		b.is("n false another server has changed the value", "heard()")
		b.is("", "have()")
	}
}

// TestUpdatesLoseNothing counts on several servers. Each acknowledged update is in the value.
func TestUpdatesLoseNothing(t *testing.T) {
	for _, servers := range []int{2, 5} {
		f := newSharedFleet()
		var all []*half
		for i := range servers {
			all = append(all, sharing(t, f.join(fmt.Sprint("arena-", i)), `good, bad = 0, 0
				function count() shared:update("n", add "n", function(ok) if ok then good = good + 1 else bad = bad + 1 end end) end`))
		}
		f.rounds(1, all...)
		for range 40 {
			for _, h := range all {
				h.in("count()")
			}
			f.rounds(1, all...)
		}
		f.rounds(700, all...)
		good, bad := 0, 0
		for _, h := range all {
			good += h.number("good")
			bad += h.number("bad")
		}
		assert.Equal(t, 40*servers, good+bad)
		assert.Equal(t, good, all[0].number(`shared:get("n")`))
		assert.Greater(t, good, 30*servers, "few are given up")
	}
}

// TestPutsOfReadValuesLoseNothing is the same with put: each mod repeats what has failed.
func TestPutsOfReadValuesLoseNothing(t *testing.T) {
	f, a, b := two(t, `good, bad, left = 0, 0, 0
		function go() if left > 0 then put2() end end
		function put2() shared:put("n", (shared:get("n") or 0) + 1, function(ok)
			if ok then good, left = good + 1, left - 1 else bad = bad + 1 end
			go() end) end`)
	for _, h := range []*half{a, b} {
		h.in("left = 50 go()")
	}
	f.rounds(400, a, b)
	assert.Equal(t, 0, a.number("left"))
	assert.Equal(t, 100, a.number("good")+b.number("good"))
	assert.Equal(t, 100, a.number(`shared:get("n")`))
	assert.NotZero(t, a.number("bad")+b.number("bad"))
}

// TestUpdateIsGivenUp: eight attempts in all, each in a later tick, and then done gets the
// conflict.
func TestUpdateIsGivenUp(t *testing.T) {
	f, a, _ := two(t, "")
	calls := `calls = 0 shared:update("n", function(old) calls = calls + 1 return calls end, note "n")`
	n := 0
	f.wrote = func(string, store.Value, store.Value) {}
	a.in(calls)
	for range 2000 {
		a.ticks(1)
		if len(f.members[0].queue) > 0 {
			n++
			f.foreign("m-shared", "n", []byte{1, 'i', byte(2 * n)})
		}
		f.step()
	}
	a.is("8", "tostring(calls)")
	assert.Equal(t, 8, n)
	said := a.in("return heard()")
	assert.Contains(t, said, "n false another server has changed the value")
	assert.Equal(t, "8", a.in(`return shared:get("n")`))
}

// TestUpdateWithAMistake: its function runs again, and fails then. done gets that.
func TestUpdateWithAMistake(t *testing.T) {
	for code, want := range map[string]string{
		`if old then error "late" end return 1`: "n false the function of the update has failed",
		`if old then return echo end return 1`:  "n false a function cannot be stored",
		`return old and nil`:                    "n true",
	} {
		f, a, _ := two(t, "")
		a.in(`shared:update("n", function(old) ` + code + ` end, note "n")`)
		f.foreign("m-shared", "n", []byte{1, 't'})
		f.rounds(20, a)
		assert.Contains(t, a.in("return heard()"), want, code)
	}
}

// TestBatchesAreCut: a batch has at most 999 changes and 4 MiB. Whole ticks stay together while
// they fit.
func TestBatchesAreCut(t *testing.T) {
	f, a, b := two(t, "")
	a.in(`for i = 1, 2500 do shared:put("k" .. i, i, note "k") end`)
	f.rounds(5, a, b)
	assert.Equal(t, []int{999, 999, 502}, f.members[0].sizes)
	assert.Equal(t, 2500, b.number(`(function() local n = 0 for k in shared:each() do n = n + 1 end return n end)()`))
	f.members[0].sizes = nil
	f.members[0].cut = true
	for range 3 {
		a.in(`for i = 1, 600 do shared:put("k" .. i, 0) end`)
		a.ticks(1)
	}
	f.members[0].heal()
	f.rounds(4, a, b)
	assert.Equal(t, []int{600, 600, 600}, f.members[0].sizes, "no tick is cut that fits")
	f.members[0].sizes = nil
	a.in(`local x = ("x"):rep(500000) for i = 1, 12 do shared:put("large" .. i, x) end`)
	f.rounds(4, a, b)
	assert.Equal(t, []int{8, 4}, f.members[0].sizes, "4 MiB")
}

// TestWaitingChangesAreBounded: without a line a mod has 16,384 changes, and put says so then.
// Other mods go on.
func TestWaitingChangesAreBounded(t *testing.T) {
	f, a, _ := two(t, "")
	f.members[0].cut = true
	for range 16 {
		assert.Empty(t, a.in(`for i = 1, 1024 do shared:put("k" .. i, 0) end`))
		a.ticks(1)
	}
	assert.Contains(t, a.in(`shared:put("k", 1)`), "shared:put: 16384 changes of")
	assert.Contains(t, a.in(`shared:put("k", 1)`), "are waiting for the fleet, the limit: continue when done is called")
	assert.Empty(t, a.in(`store:put("k", 1)`), "the own store is not concerned")
	f.members[0].heal()
	f.rounds(20, a)
	assert.Empty(t, a.in(`shared:put("k", 1)`))
}

// TestOwnChangesHideOthers: what another server writes to a key waits while own changes of it wait.
func TestOwnChangesHideOthers(t *testing.T) {
	f, a, b := two(t, "")
	f.members[1].cut = true
	b.in(`put("n", 2)`)
	b.ticks(1)
	a.in(`put("n", 1) put("m", 1)`)
	f.rounds(2, a, b)
	f.members[1].heal()
	b.ticks(1)
	b.is("m=1 n=2", "have()")
	f.rounds(2, b)
	b.is("m=1 n=1", "have()")
	b.is("onShared m 1; n false another server has changed the value; onShared n 1", "heard()")
}

// TestServerPlaysFromItsCopy: a server without a line has the values of its last run, and what that
// one could not send. Nothing is sent before the fleet has told its values.
func TestServerPlaysFromItsCopy(t *testing.T) {
	f := newSharedFleet()
	f.foreign("m-shared", "kept", []byte{1, 'i', 2})
	f.foreign("m-shared", "changed", []byte{1, 'i', 2})
	m := f.join("arena-1")
	m.cut = true
	m.values["m-shared"] = []store.Value{{Key: "kept", Data: []byte{1, 'i', 2}, Rev: 1}, {Key: "changed", Data: []byte{1, 'i', 2}, Rev: 2}, {Key: "deleted", Data: []byte{1, 't'}, Rev: 1}}
	m.unsent["m-shared"] = []store.Change{{Key: "new", Data: []byte{1, 'i', 14}}, {Key: "changed", Data: []byte{1, 'i', 16}, Base: 2}}
	a := sharing(t, m, "")
	f.rounds(3, a)
	a.is("changed=8 deleted=true kept=1 new=7", "have()")
	assert.Empty(t, m.sizes)
	f.foreign("m-shared", "changed", []byte{1, 'i', 18})
	m.heal()
	f.rounds(3, a)
	a.is("changed=9 kept=1", "have()") // the unsent changes were one batch
	a.is("onShared deleted nil; onShared changed 9", "heard()")
}

// TestSavesHaveEverything: what a server keeps on its disk makes the next run of it what this one
// was.
func TestSavesHaveEverything(t *testing.T) {
	f, a, b := two(t, "")
	a.in(`put("a", 1) put("b", 2) put("c", 3)`)
	f.rounds(2, a, b)
	a.in(`shared:delete("b")`)
	f.rounds(2, a, b)
	f.members[0].cut = true
	a.in(`put("a", 5) put("d", 4)`)
	a.ticks(1)
	a.in(`put("d", 6)`)
	a.ticks(1)
	disk := map[string]store.Value{}
	var unsent []store.Change
	for _, save := range a.scripts.Saves(false) {
		require.Equal(t, "m-shared", save.Set)
		unsent = save.Unsent
		for _, v := range save.Values {
			disk[v.Key] = v
		}
	}
	assert.Equal(t, map[string]store.Value{
		"a": {Key: "a", Data: []byte{1, 'i', 2}, Rev: 1, Owner: "arena-1"}, "b": {Key: "b"}, "c": {Key: "c", Data: []byte{1, 'i', 6}, Rev: 3, Owner: "arena-1"},
	}, disk)
	assert.Equal(t, []store.Change{{Key: "a", Data: []byte{1, 'i', 10}, Base: 1}, {Key: "d", Data: []byte{1, 'i', 12}}}, unsent)
	assert.Empty(t, a.scripts.Saves(false))
	a.in(`put("e", 1)`)
	assert.Len(t, a.scripts.Saves(false)[0].Unsent, 3)
	whole := a.scripts.Saves(true)
	require.Len(t, whole, len(f.members[0].follows))
	last := whole[len(whole)-1]
	assert.True(t, last.Whole)
	assert.Len(t, last.Values, 2)
	assert.Len(t, last.Unsent, 3)
}

// TestFlushSendsAll: when a server ends, all changes go, each chained to the one before it, and its
// claims end.
func TestFlushSendsAll(t *testing.T) {
	f, a, b := two(t, "")
	a.in(`shared:claim("boss")`)
	f.rounds(2, a, b)
	a.in(`put("n", 1)`)
	a.ticks(1)
	a.in(`put("n", 2)`)
	a.ticks(1)
	a.in(`put("n", 3)`)
	a.scripts.Flush()
	f.rounds(2, b)
	b.is("n=3", "have()")
	b.in(`shared:claim("boss", note "boss")`)
	f.rounds(2, b)
	assert.Contains(t, b.in("return heard()"), "boss true arena-2")
}

// TestLostValuesBeginAnew: the fleet has got other values. Waiting changes end as conflicts, and
// revisions begin from 1.
func TestLostValuesBeginAnew(t *testing.T) {
	f, a, b := two(t, "")
	a.in(`put("a", 1) put("b", 1)`)
	f.rounds(2, a, b)
	a.in("heard()")
	f.members[0].cut = true
	a.in(`put("a", 2)`)
	a.ticks(1)
	a.in(`put("c", 2)`)
	a.ticks(1)
	f.rev, f.sets["m-shared"] = 0, map[string]store.Value{}
	f.foreign("m-shared", "a", []byte{1, 'i', 18})
	f.members[0].queue = nil
	f.members[0].cut = false
	f.members[0].whole("m-shared", true)
	f.rounds(3, a)
	a.is("a false another server has changed the value; c false another server has changed the value; onShared b nil; onShared a 9", "heard()")
	a.is("a=9", "have()")
	a.in(`put("a", 10)`)
	f.rounds(2, a)
	a.is("a true", "heard()")
}

// TestHeldChangesWait: nothing is sent to an older copy of the values.
func TestHeldChangesWait(t *testing.T) {
	f, a, _ := two(t, "")
	m := f.members[0]
	m.inbox = append(m.inbox, store.News{Set: "m-shared", Held: true})
	a.ticks(1)
	a.in(`put("a", 1)`)
	f.rounds(3, a)
	assert.Empty(t, m.sizes)
	m.heal()
	f.rounds(3, a)
	a.is("a true", "heard()")
}

// TestForeignValuesAreBounded: what others write counts, and is dropped above the limit. Damaged
// data is ignored. Both are said once.
func TestForeignValuesAreBounded(t *testing.T) {
	for _, mods := range []int{1, 32} {
		f := newSharedFleet()
		code := map[string]string{}
		var names []string
		for i := range mods {
			names = append(names, fmt.Sprint("m", i))
			code[names[i]+"/server/init.lua"] = `function have() local n = 0 for k in shared:each() do n = n + 1 end return n end export("have", have)`
		}
		m := f.join("arena-1")
		a := newHalfWith(t, 1, true, nil, shareWith(m), files(code)).load(names...)
		assert.Empty(t, a.line("fleet.maxShared 10000"))
		for i := range 2000 {
			f.foreign(names[0]+"-shared", fmt.Sprint("k", i), append([]byte{1, 's', 100}, make([]byte, 100)...))
		}
		for _, data := range [][]byte{{}, {0}, {1}, {1, 'x'}, {0, 40, 1}, {0, 0, 1, 't'}, {0, 3, 'a'}, {0, 1, 'a', 0}, {1, 't', 't'}, make([]byte, 600_000)} {
			f.foreign(names[0]+"-shared", "damaged", data)
		}
		for _, name := range names {
			f.foreign(name+"-shared", "last", []byte{1, 't'})
		}
		a.ticks(1)
		kept := a.line(`import("m0").have()`)
		assert.Equal(t, "72", kept, "each has 138 bytes, and the damaged one is none")
		for _, name := range names[1:] {
			assert.Equal(t, "1", a.line(`import("`+name+`").have()`))
		}
		assert.Equal(t, 1, strings.Count(strings.Join(a.log, "\n"), "exceed fleet.maxShared"))
		assert.Equal(t, 1, strings.Count(strings.Join(a.log, "\n"), "is damaged, and is ignored"))
	}
}

// TestModOfTodayShares: an operator shares the store of a mod that knows nothing of fleets.
func TestModOfTodayShares(t *testing.T) {
	f := newSharedFleet()
	var all []*half
	for i := range 2 {
		h := newHalfWith(t, uint16(1+i), true, nil, shareWith(f.join(fmt.Sprint("arena-", i))), files(map[string]string{
			"m/server/init.lua":     strings.ReplaceAll(sharedShop, "STORE", "store"),
			"other/server/init.lua": `store:put("k", "own")`,
		}))
		assert.Empty(t, h.line(`fleet.shareStore "guests m"`))
		all = append(all, h.load("m", "other"))
	}
	f.rounds(1, all...)
	all[0].in(`put("visits", 1)`)
	all[1].in(`put("visits", 2)`)
	f.rounds(3, all...)
	all[0].is("visits true", "heard()")
	all[1].is("visits false another server has changed the value", "heard()")
	all[1].is("visits=1", "have()")
	all[1].in(`store:update("visits", add "visits", note "visits")`)
	f.rounds(3, all...)
	all[0].is("visits=2", "have()")
	assert.Equal(t, "m 41 1\nother 39 1", all[0].line("store"))
	assert.NotContains(t, f.sets, "other")
}

// TestTheGuideToSharedValues runs the example of the guide on two servers, and on one without a
// fleet.
func TestTheGuideToSharedValues(t *testing.T) {
	f := newSharedFleet()
	var all []*half
	for i := range 2 {
		all = append(all, newHalfWith(t, uint16(1+i), true, nil, shareWith(f.join(fmt.Sprint("arena-", i+1))), files(guide(t, "19. ", "20. "))).load("race"))
	}
	f.rounds(1, all...)
	for _, h := range all {
		h.line(`import("race").earn({ key = "K" }, 5)`)
		h.line(`import("race").wake()`)
	}
	for _, h := range all {
		h.out = nil
	}
	f.rounds(20, all...)
	assert.Equal(t, []string{"the boss is at\tarena-1"}, all[1].out[:1])
	assert.Contains(t, all[1].out, "the boss is\tawake")
	assert.Equal(t, []byte{1, 'i', 20}, f.sets["race-shared"]["coins K"].Data)
	for _, h := range all {
		assert.Empty(t, h.log)
	}
}

// TestUnreadableCopy: a mod without its copy gets the error of each use.
func TestUnreadableCopy(t *testing.T) {
	f := newSharedFleet()
	m := f.join("arena-1")
	m.broken = errors.New("the disk is gone")
	a := sharing(t, m, "")
	assert.Contains(t, a.in(`shared:get("a")`), "cannot read the shared values of m-shared: the disk is gone")
}

// TestFailedLoadLeavesNothingShared: the changes of a mod that does not load are undone.
func TestFailedLoadLeavesNothingShared(t *testing.T) {
	f := newSharedFleet()
	m := f.join("arena-1")
	a := sharingOf(t, m, `shared:put("a", 1) shared:claim("b") error "no"`)
	require.NotEmpty(t, a.scripts.LoadMods("base", "m"))
	f.rounds(3, a)
	assert.Empty(t, m.sizes)
	assert.Empty(t, f.sets)
}

// TestManySetsTakeTurns: 64 mods, or 250 in the long form, put in the same tick. Each has its batch, and a flood of one
// delays none.
func TestManySetsTakeTurns(t *testing.T) {
	f := newSharedFleet()
	code := map[string]string{}
	var names []string
	for i := range testenv.Length(64, 250) {
		names = append(names, fmt.Sprintf("m%03d", i))
		code[names[i]+"/server/init.lua"] = `function onTick(n) if n == 3 then shared:put("k", 1, function(ok) done = ok end) end end export("done", function() return done end)`
	}
	code["m000/server/init.lua"] = `function onTick(n) if n == 3 then for i = 1, 2997 do shared:put("k" .. i, 1, function(ok) done = i end) end end end export("done", function() return done end)`
	a := newHalfWith(t, 1, true, nil, shareWith(f.join("arena-1")), files(code)).load(names...)
	a.scripts.Runtime.LimitsVar().Ticking = 1 << 30
	f.rounds(5, a)
	for _, name := range names[1:] {
		require.Equal(t, "true", a.line(`import("`+name+`").done()`), name)
	}
	assert.NotEqual(t, "2997", a.line(`import("m000").done()`))
	f.rounds(10, a)
	assert.Equal(t, "2997", a.line(`import("m000").done()`))
}

// TestSharedAgainstTheCentre does random things on three servers: partitions, deaf servers, puts,
// updates, deletions. In the end all have what the centre has, and each acknowledged update of the
// counter is in it.
func TestSharedAgainstTheCentre(t *testing.T) {
	for seed := range testenv.Seeds(t, 4, 20) {
		r := rand.New(rand.NewPCG(38, seed))
		f := newSharedFleet()
		var all []*half
		for i := range 3 {
			all = append(all, sharing(t, f.join(fmt.Sprint("arena-", i)), `good = 0
				function count() shared:update("n", add "n", function(ok) if ok then good = good + 1 end end) end`))
			f.members[i].part = i // 0, 1 and 2: all values come at once, or in parts
		}
		for range 150 {
			i := r.IntN(3)
			h, m := all[i], f.members[i]
			key := string(rune('a' + r.IntN(4)))
			switch r.IntN(8) {
			case 0:
				h.in(fmt.Sprintf("put(%q, %d)", key, r.IntN(100)))
			case 1:
				h.in(fmt.Sprintf("shared:delete(%q)", key))
			case 2, 3:
				h.in("count()")
			case 4:
				m.cut = true
			case 5:
				if m.cut {
					m.heal()
				}
			case 6:
				m.deaf = !m.deaf
				if !m.deaf {
					m.hear()
				}
			default:
				f.rounds(1+r.IntN(3), all...)
			}
		}
		for _, m := range f.members {
			m.hear()
			m.heal()
		}
		f.rounds(800, all...)
		fresh := sharing(t, f.join("arena-3"), "") // it has all from the centre
		f.rounds(2, fresh)
		good, first := 0, fresh.in("return have()")
		for _, h := range all {
			require.Equal(t, first, h.in("return have()"), "seed %d", seed)
			good += h.number("good")
		}
		require.Equal(t, good, all[0].number(`shared:get("n") or 0`), "seed %d", seed)
	}
}

// TestSetThatIsReadAgain: a line that comes back costs nothing for the values that this server has.
func TestSetThatIsReadAgain(t *testing.T) {
	f := newSharedFleet()
	m := f.join("arena-1")
	a := sharing(t, m, "")
	f.foreign("m-shared", "k", []byte{1, 'i', 20})
	f.foreign("m-shared", "other", []byte{1, 'i', 22})
	f.rounds(2, a)
	a.is("onShared k 10; onShared other 11", "heard()")
	a.scripts.Saves(false)
	m.cut = true
	f.foreign("m-shared", "k", []byte{1, 'i', 24})
	m.heal()
	f.rounds(2, a)
	a.is("onShared k 12", "heard()")
	saves := a.scripts.Saves(false)
	assert.Len(t, saves, 1)
	assert.Len(t, saves[0].Values, 1, "the other one is in the copy")
}

// TestValueOfANewerTorc: a value in a newer format is an error for who reads it, and can be
// replaced.
func TestValueOfANewerTorc(t *testing.T) {
	f, a, b := two(t, "")
	f.foreign("m-shared", "k", []byte{2, 'z'})
	f.rounds(1, a, b)
	assert.Contains(t, a.in(`return shared:get("k")`), "a newer torc wrote it")
	a.in(`put("k", 1)`)
	f.rounds(2, a, b)
	a.is("k true", "heard()")
	b.is("k=1", "have()")
}
