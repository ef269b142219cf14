package script_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/script/store"
)

// A slowStore is a store in memory. The test decides when its batches end.
type slowStore struct {
	*store.Memory
	hold    bool
	waiting [][]store.Write
	batches int
	ended   uint64
	done    []store.Outcome
	broken  error // error of Load
	loads   []string
}

func newSlowStore() *slowStore { return &slowStore{Memory: store.NewMemory()} }

func (s *slowStore) Load(mod string) (map[string][]byte, error) {
	s.loads = append(s.loads, mod)
	if s.broken != nil {
		return nil, s.broken
	}
	return s.Memory.Load(mod)
}

func (s *slowStore) Commit(batch []store.Write) uint64 {
	s.batches++
	s.waiting = append(s.waiting, batch)
	if !s.hold {
		s.release(len(s.waiting), nil)
	}
	return uint64(s.batches)
}

// release ends the oldest n batches.
func (s *slowStore) release(n int, err error) {
	for _, batch := range s.waiting[:n] {
		s.ended++
		s.Memory.Err = err
		s.Memory.Commit(batch)
		s.Memory.Done()
		s.done = append(s.done, store.Outcome{Batch: s.ended, Err: err})
	}
	s.waiting = s.waiting[n:]
}

func (s *slowStore) Done() []store.Outcome {
	done := s.done
	s.done = nil
	return done
}

// shop makes a server with a mod for the tests of storage.
func shop(t testing.TB, more string) *half { return newHalf(t, 1, true, shopFiles(more)).load("m") }

func shopFiles(more string) fs.FS {
	return files(map[string]string{"m/server/init.lua": `
		said = {}
		function note(what) return function(ok, err) said[#said + 1] = what .. " " .. tostring(ok) .. (err and " " .. err or "") end end
		function put(k, v) store:put(k, v, note(k)) end
		function have() local t = {} for k, v in store:each() do t[#t + 1] = k .. "=" .. tostring(v) end return table.concat(t, " ") end
		function heard() local s = table.concat(said, "; ") said = {} return s end
		export("run", function(code) return eval(code) end)
	` + more})
}

// in runs code in the mod shop.
func (h *half) in(code string) string {
	h.t.Helper()
	return h.line("import(\"m\").run[==[" + code + "]==]")
}

// ticks runs n ticks.
func (h *half) ticks(n int) {
	for range n {
		h.host.Tick(time.Duration(h.host.TickNumber()+1) * engine.TickTime)
	}
}

func TestStoreKeeps(t *testing.T) {
	h := shop(t, "")
	for _, c := range []struct{ code, want string }{
		{`store:get("a")`, "nil"},
		{`store:put("a", 1)`, ""},
		{`store:get("a")`, "1"},
		{`store:put("b", {x = {1, 2}, v = vec(1, 2, 3), r = rot(9, 8, 7), t = tag "hi"})`, ""},
		{`store:get("b").x[2]`, "2"},
		{`store:get("b").v`, "vec(1, 2, 3)"},
		{`store:get("b").r.pitch`, "8"},
		{`isTag(store:get("b").t) and detag(store:get("b").t)`, `"hi"`},
		{`store:get("b") == store:get("b")`, "false"}, // copies
		{`local t = {1} store:put("c", t) t[1] = 2 return store:get("c")[1]`, "1"},
		{`store:put("d", "a\0\255")`, ""},
		{`#store:get("d")`, "3"},
		{`store:put("a", nil)`, ""},
		{`store:get("a")`, "nil"},
		{`store:delete("d")`, ""},
		{`store:delete("never there")`, ""},
		{`store:delete("b") store:delete("c")`, ""},
		{`store:put("n", 1) store:put("n1", false) store:put("m9", 3) return have()`, `"m9=3 n=1 n1=false"`},
		{`tostring(store)`, `"store of m"`},
	} {
		assert.Equal(t, c.want, h.in(c.code), c.code)
	}
	assert.Equal(t, `"n=1 n1=false "`, h.in(`local s = "" for k, v in store:each("n") do s = s .. k .. "=" .. tostring(v) .. " " end return s`))
	assert.Equal(t, `""`, h.in(`local s = "" for k in store:each("o") do s = s .. k end return s`))
	for options, want := range map[string]string{
		`"n"`: "n n1 ", `"n", {}`: "n n1 ", `"n", { reverse = true }`: "n1 n ", `"", { reverse = true }`: "n1 n m9 ", `nil, { reverse = true, limit = 2 }`: "n1 n ",
		`"n", { limit = 1 }`: "n ", `"n", { limit = 0 }`: "", `"n", { from = "n0" }`: "n1 ", `"n", { from = "n" }`: "n n1 ", `"n", { from = "z" }`: "", `"n", { from = "a" }`: "n n1 ",
		`"n", { from = "n0", reverse = true }`: "n ", `"n", { from = "n1", reverse = true }`: "n1 n ", `"n", { from = "z", reverse = true }`: "n1 n ", `"n", { from = "a", reverse = true }`: "",
		`"m", { reverse = true }`: "m9 ", `"mm", { reverse = true }`: "", `"o", { reverse = true }`: "", `"n1", { from = "n", reverse = true }`: "",
	} {
		assert.Equal(t, fmt.Sprintf("%q", want), h.in(`local s = "" for k in store:each(`+options+`) do s = s .. k .. " " end return s`), options)
	}
	assert.Equal(t, `"n1 n "`, h.in(`local s = "" for k in store:each("n", { reverse = true }) do s = s .. k .. " " store:delete(k) end store:put("n", 1) store:put("n1", false) return s`))
	for options, want := range map[string]string{
		`{ from = 1 }`: "from must be a key, not a number", `{ limit = -1 }`: "limit must be an integer of at least 0", `{ limit = 0.5 }`: "limit must be an integer of at least 0",
		`{ limit = "1" }`: "limit must be an integer, not a string", `{ reverse = 1 }`: "reverse must be a boolean, not a number", `{ form = "a" }`: `unknown option "form", did you mean "from"?`,
	} {
		assert.Contains(t, h.in(`store:each("n", `+options+`)`), want)
	}
	h.ticks(1)
	assert.Equal(t, 1, h.store.batches, "all of a tick is one batch")
	h.ticks(3)
	assert.Equal(t, 1, h.store.batches, "nothing was put")

	again := newHalf(t, 1, true, shopFiles(""))
	again.store.Memory = h.store.Memory
	again.load("m")
	assert.Equal(t, `"m9=3 n=1 n1=false"`, again.in(`return have()`))
}

func TestStoreRefuses(t *testing.T) {
	h := shop(t, "")
	for code, says := range map[string]string{
		`store:put("", 1)`:                  "store:put: a key must have 1 to 256 bytes, not 0",
		`store:put(("k"):rep(257), 1)`:      "store:put: a key must have 1 to 256 bytes, not 257",
		`store:put(1, 1)`:                   "store:put: argument 1 (key) must be a string, not a number",
		`store:put("a")`:                    "store:put: argument 2 (value) is missing",
		`store:put("a", 1, 2)`:              "store:put: argument 3 (done) must be a function, not a number",
		`store:put("a", {f = echo})`:        "store:put: a function cannot be stored, at .f",
		`store:put("a", ("x"):rep(530000))`: "store:put: a stored value must have at most 524288 bytes",
		`store:put("a", rootGroup)`:         "store:put: an object cannot be stored",
		`store.put("a", 1)`:                 "store:put: call it with a colon: store:put(…)",
		`store.x = 1`:                       "store values with store:put(key, value)",
		`return store.x`:                    `store has no "x": read values with store:get(key), and write them with store:put(key, value)`,
	} {
		assert.Contains(t, h.in(code), says, code)
		assert.Contains(t, h.in(code), "error: mods/m (eval):1: ", code)
	}
	assert.Equal(t, `""`, h.in(`return have()`))
	assert.Equal(t, "false", h.in(`return getmetatable(store)`))
	const large = `local t = {} for i = 1, 16385 do t[i] = i end `
	before := h.instructions()
	h.in(large)
	alone := h.instructions() - before
	h.in(large + `pcall(store.put, store, "a", t)`)
	assert.Greater(t, h.instructions()-before-2*alone, int64(16385), "a refusal costs what was looked at")
}

func TestStorageOfOneModIsItsOwn(t *testing.T) {
	h := newHalf(t, 1, true, files(map[string]string{
		"a/server/init.lua": `store:put("k", "of a") export("get", function() return store:get("k") end)`,
		"b/server/init.lua": `store:put("k", "of b") export("get", function() return store:get("k") end)`,
	})).load("a", "b")
	assert.Equal(t, "\"of a\"\t\"of b\"\tnil", h.line(`import("a").get(), import("b").get(), store:get("k")`))
}

func TestNoStorageOnClients(t *testing.T) {
	client := newHalf(t, 2, false).load()
	assert.Contains(t, client.line(`store:put("a", 1)`), "store:put is available only on the server")
	cmd, _ := client.console.Lookup("store")
	assert.Nil(t, cmd)
}

func TestDoneIsCalledWhenTheDiskHasIt(t *testing.T) {
	h := shop(t, "")
	h.store.hold = true
	h.in(`put("a", 1) put("b", 2)`)
	assert.Zero(t, h.store.batches, "the batch goes with the end of the tick")
	h.ticks(5)
	assert.Equal(t, 1, h.store.batches)
	assert.Equal(t, `""`, h.in(`return heard()`))
	h.store.release(1, nil)
	assert.Equal(t, `""`, h.in(`return heard()`), "mods hear of it in a tick")
	h.ticks(1)
	assert.Equal(t, `"a true; b true"`, h.in(`return heard()`))
	h.ticks(1)
	assert.Equal(t, `""`, h.in(`return heard()`), "once")
}

// TestBatchesWaitForTheDisk checks that values put while two batches are being written form one
// more batch, however long the writes take.
func TestBatchesWaitForTheDisk(t *testing.T) {
	h := shop(t, "")
	h.store.hold = true
	for i := range 10 {
		h.in(fmt.Sprintf(`put("k", %d)`, i))
		h.ticks(1)
	}
	assert.Equal(t, 2, h.store.batches)
	h.store.release(1, nil)
	h.ticks(1)
	assert.Equal(t, 3, h.store.batches)
	assert.Len(t, h.store.waiting[1], 8)
	assert.Equal(t, "9", h.in(`return store:get("k")`))
	h.store.release(2, nil)
	h.ticks(1)
	assert.Equal(t, `"`+strings.TrimSuffix(strings.Repeat("k true; ", 10), "; ")+`"`, h.in(`return heard()`))
}

func TestFlushWaitsForNoTick(t *testing.T) {
	h := shop(t, "")
	h.store.hold = true
	for range 3 {
		h.in(`put("k", 1)`)
		h.ticks(1)
	}
	h.in(`put("k", 2)`)
	h.scripts.Flush()
	assert.Equal(t, 3, h.store.batches)
	h.scripts.Flush()
	assert.Equal(t, 3, h.store.batches)
}

func TestFailedBatchRestoresSavedValues(t *testing.T) {
	h := shop(t, "")
	full := errors.New("the disk is full")
	h.in(`put("a", 1) put("b", 1) put("d", 1)`)
	h.ticks(2)
	h.in(`heard()`)
	h.store.hold = true
	h.in(`put("a", 2) put("b", 2) put("c", 2) store:delete("d", note "d")`)
	h.ticks(1)
	h.in(`put("b", 3)`)
	assert.Equal(t, `"a=2 b=3 c=2"`, h.in(`return have()`))
	h.store.release(1, full)
	h.ticks(1)
	assert.Equal(t, `"a=1 b=3 d=1"`, h.in(`return have()`), "b has a newer value, which is on its way")
	assert.Equal(t, `"a false the disk is full; b false the disk is full; c false the disk is full; d false the disk is full"`, h.in(`return heard()`))
	h.store.release(1, full)
	h.ticks(1)
	assert.Equal(t, `"a=1 b=1 d=1"`, h.in(`return have()`))
	h.in(`put("b", 4) put("b", 5)`)
	h.ticks(1)
	h.store.release(1, nil)
	h.ticks(1)
	assert.Equal(t, `"a=1 b=5 d=1"`, h.in(`return have()`))
	h.in(`put("b", 6)`)
	h.ticks(1)
	h.in(`put("b", 7)`)
	h.ticks(1)
	h.store.release(1, nil)
	h.store.release(1, full)
	h.ticks(1)
	assert.Equal(t, `"a=1 b=6 d=1"`, h.in(`return have()`), "the one before has become safe")
}

// TestDoneWaitsForATickWithTime checks that callbacks that do not fit into a tick run in later
// ticks, and that none is lost.
func TestDoneWaitsForATickWithTime(t *testing.T) {
	h := shop(t, "")
	h.in(`for i = 0, 9 do store:put("k" .. i, i, function() for j = 1, 200 do end said[#said + 1] = tostring(i) end) end`)
	h.ticks(1)
	h.perAsk = 400 * time.Microsecond
	h.scripts.Runtime.LimitsVar().Ticking = 2000
	h.ticks(1)
	some, err := strconv.Atoi(h.in(`return #said`))
	require.NoError(t, err)
	assert.True(t, some > 0 && some < 10, "%d", some)
	h.ticks(9)
	assert.Equal(t, `"0; 1; 2; 3; 4; 5; 6; 7; 8; 9"`, h.in(`return heard()`))
}

// A storeModel is a simple model of a mod's storage.
type storeModel struct {
	durable map[string]int // 0: no value
	sent    [][]storePut
	next    []storePut
}

type storePut struct {
	key   string
	value int
}

func (m *storeModel) tick() {
	if len(m.next) > 0 && len(m.sent) < 2 {
		m.sent, m.next = append(m.sent, m.next), nil
	}
}

func (m *storeModel) end(err error) {
	for _, p := range m.sent[0] {
		if err == nil {
			m.durable[p.key] = p.value
		}
	}
	m.sent = m.sent[1:]
}

// seen returns what scripts see in have and in the command store.
func (m *storeModel) seen() (have, store string) {
	values := maps.Clone(m.durable)
	for _, batch := range append(slices.Clone(m.sent), m.next) {
		for _, p := range batch {
			values[p.key] = p.value
		}
	}
	var list []string
	for _, key := range []string{"a", "b", "c", "d"} {
		if values[key] != 0 {
			list = append(list, fmt.Sprintf("%s=%d", key, values[key]))
		}
	}
	if len(list) > 0 {
		store = fmt.Sprintf("m %d %d", len(list)*(1+3+32), len(list))
	}
	return `"` + strings.Join(list, " ") + `"`, store
}

// TestStoreAgainstAModel checks random operations: scripts see the newest value that has not
// failed, and the byte count is right.
func TestStoreAgainstAModel(t *testing.T) {
	for seed := range testenv.Seeds(t, 4, 8) {
		r := rand.New(rand.NewPCG(1, seed))
		h := shop(t, "")
		h.store.hold = true
		m := storeModel{durable: map[string]int{}}
		for range 60 {
			switch r.IntN(5) {
			case 0, 1:
				p := storePut{string(rune('a' + r.IntN(4))), r.IntN(4)}
				require.Empty(t, h.in(fmt.Sprintf("put(%q, %d > 0 and %[2]d or nil)", p.key, p.value)))
				m.next = append(m.next, p)
			case 2, 3:
				h.ticks(1)
				m.tick()
			default:
				if len(m.sent) == 0 {
					continue
				}
				err := []error{nil, errors.New("no")}[r.IntN(2)]
				h.store.release(1, err)
				h.ticks(1)
				m.end(err)
				m.tick()
			}
			have, store := m.seen()
			require.Equal(t, have, h.in(`return have()`), "seed %d", seed)
			require.Equal(t, store, h.line("store"), "seed %d", seed)
		}
	}
}

func TestQuotas(t *testing.T) {
	h := shop(t, "")
	assert.Empty(t, h.line("mod.maxStore 1000"))
	assert.Empty(t, h.in(`store:put("a", ("x"):rep(400)) store:put("b", ("x"):rep(400))`))
	assert.Contains(t, h.in(`store:put("c", ("x"):rep(200))`), "store:put: a mod can store at most 1000 bytes (mod.maxStore), this would make 1111")
	assert.Empty(t, h.in(`store:put("a", "small") store:put("c", ("x"):rep(200))`))
	assert.Empty(t, h.line("mod.maxStore 100"))
	assert.Empty(t, h.in(`store:put("b", "less") store:delete("c")`), "who is over the limit may shrink")
	assert.Contains(t, h.in(`store:put("b", "a bit more than that which was there")`), "can store at most 100 bytes")
}

func TestPendingStoreIsBounded(t *testing.T) {
	h := shop(t, "")
	h.store.hold = true
	got := h.in(`local x = ("x"):rep(60000) for i = 1, 1000 do local ok, err = pcall(store.put, store, "k", x) if not ok then return i, err end end`)
	assert.Regexp(t, `^280	".*279 changes of 167\d{5} bytes are waiting for the disk, the limit: continue when done is called"$`, got)
	h.ticks(1)
	h.store.release(1, nil)
	h.ticks(1)
	assert.Empty(t, h.in(`store:put("k", 1)`))
	h.ticks(1)
	h.store.release(1, nil)
	h.ticks(1)
	for range 16 {
		assert.Empty(t, h.in(`for i = 1, 1024 do store:put("k", i) end`))
	}
	assert.Contains(t, h.in(`store:put("k", 1)`), "16384 changes of ")
}

func TestUnloadedModStoresNothing(t *testing.T) {
	folder := shopFiles("").(fstest.MapFS)
	folder["m/server/init.lua"].Data = append(folder["m/server/init.lua"].Data, `store:put("k", 1, function() echo "done" end) store:delete "old" error "no"`...)
	h := newHalf(t, 1, true, folder)
	h.store.Memory.Commit([]store.Write{{Mod: "m", Key: "old", Value: []byte{1, 't'}}})
	require.Len(t, h.scripts.LoadMods("base", "m"), 1)
	h.out = nil
	h.ticks(3)
	assert.Empty(t, h.out)
	assert.Zero(t, h.store.batches)
	kept, err := h.store.Load("m")
	require.NoError(t, err)
	assert.Len(t, kept, 1)
}

func TestDoneOfUnloadedMod(t *testing.T) {
	h := shop(t, "")
	h.store.hold = true
	h.in(`store:put("k", 1, function() echo "done" end)`)
	h.ticks(1)
	require.NoError(t, h.scripts.ReloadNow("m"))
	assert.Equal(t, "1", h.in(`return store:get("k")`), "the new one finds the memory")
	assert.Equal(t, []string{"console", "base", "m"}, h.store.loads, "which is read once")
	h.store.release(1, nil)
	h.out = nil
	h.ticks(2)
	assert.Empty(t, h.out, "the old one is told nothing")
	assert.Equal(t, "1", h.in(`return store:get("k")`))
}

func TestStoreThatCannotBeRead(t *testing.T) {
	h := newHalf(t, 1, true, shopFiles(""))
	h.store.broken = errors.New("the file is damaged")
	h.load("m")
	assert.Contains(t, h.in(`store:put("a", 1)`), "store:put: cannot read the store of m: the file is damaged")
	assert.Contains(t, h.line("store m"), "cannot read the store of m")
	assert.Contains(t, h.log, "cannot read the store of m: the file is damaged")
}

func TestDamagedValueNamesItsKey(t *testing.T) {
	h := newHalf(t, 1, true, shopFiles(""))
	h.store.Memory.Commit([]store.Write{{Mod: "m", Key: "bad", Value: []byte{1, 'x'}}, {Mod: "m", Key: "new", Value: []byte{9}}})
	h.load("m")
	assert.Contains(t, h.in(`store:get("bad")`), `store:get: "bad": the stored value is damaged`)
	assert.Contains(t, h.in(`store:get("new")`), `store:get: "new": the stored value has format 9, this torc reads up to 1`)
	assert.Contains(t, h.line("store m"), `"bad" 2 error: the stored value is damaged`)
	assert.Empty(t, h.in(`store:put("bad", 1)`), "it can be replaced")
	assert.Equal(t, "1", h.in(`store:get("bad")`))
}

func TestStoreCommand(t *testing.T) {
	h := shop(t, "")
	h.in(`store:put("b", {1, 2}) store:put("a1", "x\ny") store:put("a2", vec(1, 2, 3)) store:put("long", ("x"):rep(200))`)
	assert.Equal(t, "m 384 4", h.line("store"))
	assert.Equal(t, strings.Join([]string{
		`"a1" 6 "x\ny"`, `"a2" 26 vec(1, 2, 3)`, `"b" 11 {1, 2}`, `"long" 204 "` + strings.Repeat("x", 79) + "…",
	}, "\n"), h.line("store m"))
	assert.Equal(t, `"a2" 26 vec(1, 2, 3)`, h.line("store m a2"))
	assert.Equal(t, "", h.line("store m c"))
	assert.Equal(t, `error: no loaded mod and no stored data has the name "x" (store lists the mods with data)`, h.line("store x"))
	assert.Equal(t, "error: usage: store [MOD [PREFIX]]", h.line("store a b c"))
	assert.Equal(t, "1", h.line(`store:put("k", 1) return store:get("k")`), "store is a thing of Lua as well")
	h.in(`for i = 1, 1200 do store:put("n" .. i, i) end`)
	lines := strings.Split(h.line("store m n"), "\n")
	assert.Len(t, lines, 1001)
	assert.Equal(t, "(only the first 1000: store m PREFIX shows fewer)", lines[1000])
}

// TestEachDuringChanges checks that a loop over stored values can change them.
func TestEachDuringChanges(t *testing.T) {
	h := shop(t, "")
	got := h.in(`
		for i = 1, 9 do store:put("k" .. i, i) end
		local s = ""
		for k, v in store:each("k") do
			s = s .. v
			store:delete(k)
			store:delete("k5")
			if v == 3 then store:put("k35", "x") store:put("k0", "y") end
		end
		return s, have()`)
	assert.Equal(t, "\"123x46789\"\t\"k0=y\"", got)
}

func BenchmarkPut(b *testing.B) {
	h := shop(b, `
		function numbers(n) for i = 1, n do store:put("player", i) end end
		function records(n) local t = {name = "Someone", kills = 12, deaths = 3, at = {1.5, 2.5, 3.5}} for i = 1, n do store:put("player", t) end end
		function gets(n) for i = 1, n do store:get("player") end end`)
	for _, name := range []string{"numbers", "records", "gets"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for done := 0; done < b.N; done += 1000 {
				if got := h.in(name + "(1000)"); got != "" {
					b.Fatal(got)
				}
				h.ticks(2)
			}
		})
	}
}

// TestStoreOfGoneMods lists, shows and removes the data of mods that are not installed. The data of
// a loaded mod stays.
func TestStoreOfGoneMods(t *testing.T) {
	h := newHalf(t, 1, true, shopFiles(""))
	h.store.Memory.Commit([]store.Write{{Mod: "old", Key: "k", Value: []byte{1, 'T'}}, {Mod: "kept", Key: "k", Value: []byte{1, 'T'}}, {Mod: "m", Key: "k", Value: []byte{1, 'T'}}})
	h.load("m")
	assert.Equal(t, "m 35 1\nkept 35 1 (not loaded)\nold 35 1 (not loaded)", h.line("store"))
	assert.Contains(t, h.line("store old"), `"k" 2 `)
	assert.Equal(t, "error: the mod m is loaded: its data can be removed after `mod.disable m`", h.line("store.purge m"))
	assert.Equal(t, `error: no loaded mod and no stored data has the name "nobody" (store lists the mods with data)`, h.line("store.purge nobody"))
	assert.Equal(t, "error: usage: store.purge MOD", h.line("store.purge"))
	assert.Contains(t, h.line(`store.purge("nobody")`), "no loaded mod and no stored data")
	assert.Contains(t, h.line("= store.nothing"), `store has no "nothing"`)
	assert.Equal(t, "removing the stored data of old: 1 keys, 35 bytes", h.line("store.purge old"))
	assert.Equal(t, "m 35 1\nkept 35 1 (not loaded)", h.line("store"), "at once")
	assert.Contains(t, h.line("store.purge old"), "error: no loaded mod and no stored data")
	h.ticks(1)
	h.ticks(1)
	left, err := h.store.Memory.Usage()
	require.NoError(t, err)
	assert.Equal(t, []store.Usage{{Mod: "kept", Bytes: 35, Keys: 1}, {Mod: "m", Bytes: 35, Keys: 1}}, left)
	assert.Contains(t, h.log, "the stored data of a mod is removed")
}

// TestPurgeAfterDisable removes the data of a mod that ran. Its last changes must be on the disk.
// If the mod is loaded again at once, it finds nothing. If the disk fails, the data is there again.
func TestPurgeAfterDisable(t *testing.T) {
	h := shop(t, "")
	h.store.hold = true
	h.in(`store:put("a", 1)`)
	h.line("mod.disable m")
	assert.Contains(t, h.line("store"), "(not loaded)")
	assert.Contains(t, h.line("store.purge m"), "error: the last changes of m are not on the disk yet")
	h.ticks(1)
	h.store.release(len(h.store.waiting), nil)
	h.ticks(1)
	assert.Contains(t, h.line("store.purge m"), "removing the stored data of m: 1 keys")
	h.ticks(1)
	h.store.release(len(h.store.waiting), errors.New("the disk is full"))
	h.ticks(1)
	assert.Contains(t, h.log, "the stored data of a mod is not removed")
	assert.Contains(t, h.line("store"), "m 36 1 (not loaded)")

	assert.Contains(t, h.line("store.purge m"), "removing the stored data of m: 1 keys")
	assert.Contains(t, h.line("mod.enable m"), "is on")
	assert.Equal(t, "nil", h.in(`store:get("a")`))
	h.in(`store:put("b", 2)`)
	h.ticks(1)
	h.store.release(len(h.store.waiting), nil)
	h.ticks(1)
	left, err := h.store.Memory.Load("m")
	require.NoError(t, err)
	assert.Equal(t, []string{"b"}, slices.Collect(maps.Keys(left)))
}
