package script_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// A version is a random set of files of a mod.
type version struct {
	*rand.Rand
	text strings.Builder
}

func (v *version) add(format string, args ...any) { fmt.Fprintf(&v.text, format+"\n", args...) }

// often is true in n of ten cases.
func (v *version) often(n int) bool { return v.IntN(10) < n }

// newVersion returns random files of a mod m. They can use everything from base and lib, and names
// of earlier versions.
func newVersion(r *rand.Rand) map[string]string {
	shared, server := &version{Rand: r}, &version{Rand: r}
	parents := []string{}
	for i := range 4 {
		if !shared.often(7) {
			continue
		}
		shared.add(`B%d = datablock "ItemData" "B%[1]d" { %s }`, i, shared.block(parents))
		if parents = append(parents, fmt.Sprint("B", i)); shared.often(3) {
			shared.add(`function B%d:onAdd() end function B%[1]d:f%d() end`, i, shared.IntN(3))
		}
	}
	parent := ""
	for i := range 3 {
		if !shared.often(7) {
			continue
		}
		shared.add(`C%d = class "C%[1]d" { %s fields = { %s } }`, i, parent, shared.fields(i))
		if shared.often(5) {
			parent = fmt.Sprintf(`inherit = "C%d",`, i)
		}
		shared.add(`function C%d:g%d() end`, i, shared.IntN(3))
		server.add(`new "C%d" { name = "O%d" }`, i, server.IntN(4))
	}
	server.rest()
	return map[string]string{"m/shared/data.lua": shared.text.String(), "m/server/init.lua": server.text.String()}
}

// block returns the fields of a datablock.
func (v *version) block(parents []string) string {
	var fields []string
	if len(parents) > 0 && v.often(5) {
		fields = append(fields, fmt.Sprintf("inherit = %q", parents[v.IntN(len(parents))]))
	}
	for _, name := range []string{"mass", "friction", "elasticity"} {
		if v.often(5) {
			fields = append(fields, fmt.Sprintf("%s = 0.%d", name, 1+v.IntN(9)))
		}
	}
	return strings.Join(fields, ", ")
}

// fields returns the fields of a class. No other class has the same names.
func (v *version) fields(class int) string {
	var fields []string
	for i := range 4 {
		kinds := []string{fmt.Sprintf("int(0, %d)", 1+v.IntN(9)), "bool { default = true }", fmt.Sprintf("str(%d)", 1+v.IntN(9)), "point(0.1)", "ref()"}
		if v.often(6) {
			fields = append(fields, fmt.Sprintf("f%d%d = %s", class, i, kinds[v.IntN(len(kinds))]))
		}
	}
	return strings.Join(fields, ", ")
}

// rest adds the other parts of the server half.
func (v *version) rest() {
	for i := range 3 {
		for _, line := range []string{
			fmt.Sprintf(`setting "m.s%d" { default = %d, min = 0, max = %d, description = "d%d" }`, i, v.IntN(5), 5+v.IntN(5), v.IntN(3)),
			fmt.Sprintf(`addCommand { name = "m.c%d", params = "P%d", chat = %t, run = print }`, i, v.IntN(3), v.often(5)),
			fmt.Sprintf(`export("e%d", %d)`, i, v.IntN(9)),
			fmt.Sprintf(`override(import "lib", "l%d", function(parent) return parent() .. %d end)`, i, v.IntN(9)),
			fmt.Sprintf(`function serverCmd.K%d() end allowCommand("K%[1]d", { args = {} })`, i),
			fmt.Sprintf(`override(serverCmd, "L%d", print)`, i),
			fmt.Sprintf(`new "ScriptObject" { name = "S%d" }.own.n = %d`, i, v.IntN(9)),
			fmt.Sprintf(`new "Marker" { name = "M%d", position = vec(%d, 0, 0) }`, i, v.IntN(9)),
			fmt.Sprintf(`schedule(%d, print)`, 1000*(1+v.IntN(9))),
			fmt.Sprintf(`tag "t%d"`, i),
			fmt.Sprintf(`new "SimGroup" { name = "G%d" }:add(new "ScriptObject" { name = "H%[1]d" })`, i),
		} {
			if v.often(4) {
				v.add("%s", line)
			}
		}
	}
}

// TestReloadEqualsFreshStart checks that after reloads a mod has the same declarations as on a
// server that started with its last version. State that is carried over is not compared:
// datablocks and classes that are in no file any more stay.
func TestReloadEqualsFreshStart(t *testing.T) {
	for seed := range testenv.Seeds(t, 3, 10) {
		r := rand.New(rand.NewPCG(seed, 7))
		lib := map[string]string{"lib/server/init.lua": `for i = 0, 2 do export("l" .. i, function() return i end) end`}
		e := edit(t, lib, "lib")
		e.write(map[string]string{"m/mod.toml": "name = 'm'\nversion = '1.0.0'\ndepends = ['lib']\n"}).write(newVersion(r))
		require.Equal(t, "m 1.0.0 is on", e.line("mod enable m"), "seed %d", seed)
		for range 4 {
			files := newVersion(r)
			e.write(files).ticks(r.IntN(3))
			if r.IntN(5) == 0 {
				e.line("mod disable m")
				require.Equal(t, "m 1.0.0 is on", e.line("mod enable m"))
			} else {
				require.Contains(t, e.line("mod reload m"), "m 1.0.0 reloaded", "seed %d\n%s", seed, files)
			}
			fresh := edit(t, lib, "lib").write(map[string]string{"m/mod.toml": "name = 'm'\nversion = '1.0.0'\ndepends = ['lib']\n"}).write(files)
			require.Equal(t, "m 1.0.0 is on", fresh.line("mod enable m"))
			want := fresh.scripts.Declared("m", fresh.scripts)
			e.ticks(1) // deleted objects are removed
			require.Equal(t, want, e.scripts.Declared("m", fresh.scripts), "seed %d\n%s", seed, files)
		}
		require.Empty(t, e.log)
	}
}
