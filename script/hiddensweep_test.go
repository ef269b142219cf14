package script_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
)

// A hiddenGame is a server with cards, and two clients on a bad line that cheat: they read what
// their ghosts hold. m is a mod that changes the rules of the cards while it is loaded.
type hiddenGame struct {
	*pair
	folder  fstest.MapFS
	clients []*half
	cards   []*hiddenCard
	dealt   int   // cards before these
	groups  []int // of each client
	newest  int   // every value is another number, so that a client that has it was sent it
	rnd     *rand.Rand
}

// A hiddenCard is what the server knows about a card, and what each client may know.
type hiddenCard struct{ fields []*hiddenField }

type hiddenField struct {
	name  string
	value int
	hide  bool         // from everybody without a rule
	shown int          // the group that sees a hidden field, 0: none
	own   map[int]bool // by client: hidden from it, or shown
	may   []map[int]bool
}

func (f *hiddenField) hidden(client, group int) bool {
	if own, is := f.own[client]; is {
		return own
	}
	return f.hide && (f.shown == 0 || f.shown != group)
}

func newHiddenGame(t *testing.T) *hiddenGame {
	folder := files(map[string]string{
		"cards/shared/data.lua": `class "Card" { fields = { no = int(0, 9999999), value = int(0, 9999999), face = int(0, 9999999) } }`,
		"cards/server/init.lua": `
			all = {}
			export("deal", function(first, n) for _, card in ipairs(all) do card:delete() end all = {} for no = 1, n do all[no] = new "Card" { no = first + no } end end)
			export("card", function(no) return all[no] end)
			export("client", function(i) local found = {} for c in clientGroup:each() do found[c.name] = c end return found["Cheat" .. i] end)`,
		"m/mod.toml":        "name = \"m\"\nversion = \"1.0.0\"\ndepends = [\"cards\"]\n",
		"m/server/init.lua": "",
	}).(fstest.MapFS)
	g := &hiddenGame{pair: joinFolders(t, nil, folder, files(map[string]string{}), "cards", "m"), folder: folder, groups: []int{0, 0}}
	bad := netcore.LinkParams{Loss: 0.2, Duplicate: 0.1, Reorder: 0.1, Delay: 10 * time.Millisecond, Jitter: 20 * time.Millisecond}
	for i := range g.groups {
		h := newHalf(t, uint16(3+i), false).load()
		g.addNamed(h, uint16(3+i), fmt.Sprint("Cheat", i))
		g.net.Link(netcore.SimAddr(uint16(3+i)), netcore.SimAddr(1), bad, bad)
		g.clients = append(g.clients, h)
	}
	return g
}

// deal replaces all cards.
func (g *hiddenGame) deal(n int) {
	g.dealt += len(g.cards)
	require.Empty(g.server.t, g.server.line(fmt.Sprintf(`import("cards").deal(%d, %d)`, g.dealt, n)))
	g.cards = nil
	for range n {
		c := &hiddenCard{}
		for _, name := range []string{"value", "face"} {
			c.fields = append(c.fields, &hiddenField{name: name, own: map[int]bool{}, may: []map[int]bool{{0: true}, {0: true}}})
		}
		g.cards = append(g.cards, c)
	}
}

// change returns Lua that changes something at random, and what it changes.
func (g *hiddenGame) change() (lua string, do func()) {
	no, client, group := g.rnd.IntN(len(g.cards)), g.rnd.IntN(len(g.clients)), 1+g.rnd.IntN(3)
	f := g.cards[no].fields[g.rnd.IntN(2)]
	card, hide := fmt.Sprintf(`import("cards").card(%d)`, 1+no), g.rnd.IntN(2) == 0
	switch g.rnd.IntN(5) {
	case 0:
		return fmt.Sprintf(`%s:hideField(%q, nil, %v)`, card, f.name, hide), func() { f.hide, f.shown = hide, 0 }
	case 1:
		return fmt.Sprintf(`%s:hideField(%q, import("cards").client(%d), %v)`, card, f.name, client, hide), func() { f.own[client] = hide }
	case 2:
		return fmt.Sprintf(`%s:showFieldTo(%q, { %d })`, card, f.name, group), func() { f.hide, f.shown = true, group }
	case 3:
		return fmt.Sprintf(`import("cards").client(%d):setScopeGroups { %d }`, client, group), func() { g.groups[client] = group }
	}
	return g.set(no, f)
}

// set gives a field a new value.
func (g *hiddenGame) set(no int, f *hiddenField) (lua string, do func()) {
	g.newest++
	value := g.newest
	return fmt.Sprintf(`import("cards").card(%d).%s = %d`, 1+no, f.name, value), func() { f.value = value }
}

// play makes some changes, by the console or by a reload, and runs for a few ticks.
func (g *hiddenGame) play() {
	var lines []string
	var done []func()
	for range 1 + g.rnd.IntN(4) {
		lua, do := g.change()
		lines, done = append(lines, lua), append(done, do)
	}
	switch g.rnd.IntN(20) {
	case 0: // a reload that fails changes nothing
		write(g.folder, "m/server/init.lua", strings.Join(append(lines, `error "no"`), "\n"))
		require.Contains(g.server.t, g.server.line("mod reload m"), "no")
		done = nil
	case 1:
		write(g.folder, "m/server/init.lua", strings.Join(lines, "\n"))
		require.NotContains(g.server.t, g.server.line("mod reload m"), "error")
	default:
		require.Empty(g.server.t, g.server.line(strings.Join(lines, " ")))
	}
	for _, do := range done {
		do()
	}
	g.note()
	g.run(time.Duration(1+g.rnd.IntN(3)) * engine.TickTime)
	g.check()
}

// note adds the present values to those that clients may have.
func (g *hiddenGame) note() {
	for _, c := range g.cards {
		for _, f := range c.fields {
			for client, has := range f.may {
				if !f.hidden(client, g.groups[client]) {
					has[f.value] = true
				}
			}
		}
	}
}

// check requires that the ghosts of the clients hold nothing but what they may. It returns whether
// all have the present values.
func (g *hiddenGame) check() (present bool) {
	n := 0
	for client, h := range g.clients {
		shown := strings.Fields(strings.Trim(h.line(`(function() local t = {} for c in objects "Card" do t[#t + 1] = ("%d %d %d"):format(c.no, c.value, c.face) end return table.concat(t, " ") end)()`), `"`))
		for row := range slices.Chunk(shown, 3) {
			var no int
			var values [2]int
			_, err := fmt.Sscan(strings.Join(row, " "), &no, &values[0], &values[1])
			require.NoError(h.t, err)
			if no -= g.dealt; no < 1 {
				continue // a card of an earlier deal, whose end was lost
			}
			for i, f := range g.cards[no-1].fields {
				require.True(h.t, f.may[client][values[i]], "client %d has %d in the %s of card %d, which is %d now", client, values[i], f.name, no, f.value)
				if values[i] == f.value {
					n++
				}
			}
		}
	}
	return n == 2*len(g.clients)*len(g.cards)
}

// showAll shows all fields, and waits until the clients have them.
func (g *hiddenGame) showAll() {
	for no, c := range g.cards {
		for _, f := range c.fields {
			lua := fmt.Sprintf(`local c = import("cards").card(%d) c:hideField(%q, nil, false)`, 1+no, f.name)
			for client := range g.clients {
				lua += fmt.Sprintf(` c:hideField(%q, import("cards").client(%d), false)`, f.name, client)
				f.own[client] = false
			}
			require.Empty(g.server.t, g.server.line(lua))
		}
	}
	g.note()
	for range 100 {
		if g.run(300 * time.Millisecond); g.check() {
			return
		}
	}
	require.Fail(g.server.t, "a client lacks a value that everybody may see")
}

// TestHiddenFieldsStayHidden checks in random games that no client gets a value of a field that was
// never shown to it while it had that value, and that each gets all values when they are shown.
func TestHiddenFieldsStayHidden(t *testing.T) {
	g := newHiddenGame(t)
	for seed := range testenv.Seeds(t, 60, 10000) {
		g.rnd = rand.New(rand.NewPCG(seed, 34))
		g.deal(1 + g.rnd.IntN(4))
		for range 8 {
			g.play()
		}
		g.showAll()
	}
	require.Empty(t, g.server.log)
}
