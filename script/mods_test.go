package script

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
)

// folder makes a folder of mods from lines "name version; depends, …; conflicts, …; optional, …".
func folder(lines ...string) fstest.MapFS {
	fs := fstest.MapFS{}
	for _, line := range lines {
		parts := strings.Split(line+";;;", ";")
		name, version, _ := strings.Cut(parts[0], " ")
		list := func(s string) string {
			var quoted []string
			for _, item := range strings.Split(s, ",") {
				if item = strings.TrimSpace(item); item != "" {
					quoted = append(quoted, `"`+item+`"`)
				}
			}
			return "[" + strings.Join(quoted, ", ") + "]"
		}
		text := "name = \"" + name + "\"\nversion = \"" + version + "\"\ndepends = " + list(parts[1]) + "\nconflicts = " + list(parts[2]) + "\noptional = " + list(parts[3]) + "\n"
		fs[name+"/mod.toml"] = &fstest.MapFile{Data: []byte(text)}
	}
	return fs
}

func TestOrder(t *testing.T) {
	for _, c := range []struct {
		name   string
		mods   []string
		wanted string
		want   string
	}{
		{"base is always there and first", []string{"base 1.0.0", "a 1.0.0"}, "a", "base a"},
		{"wanted order is kept", []string{"base 1.0.0", "a 1.0.0", "b 1.0.0"}, "b a", "base b a"},
		{"dependencies come first", []string{"base 1.0.0", "a 1.0.0;c,b", "b 1.0.0", "c 1.0.0;b"}, "a", "base b c a"},
		{"nothing twice", []string{"base 1.0.0", "a 1.0.0;b", "b 1.0.0;base"}, "a b a base", "base b a"},
		{"ranges", []string{"base 1.2.3", "a 1.0.0;base >=1.0"}, "a", "base a"},
		{"caret", []string{"base 1.2.3", "a 1.0.0;base ^1.1"}, "a", "base a"},
		{"without base", []string{"a 1.0.0"}, "a", "a"},
		{"missing", []string{"base 1.0.0"}, "ctf", "error: there is no mod ctf; installed are: base"},
		{"missing dependency", []string{"base 1.0.0", "a 1.0.0;zzz"}, "a", "error: mod a needs zzz, which is not installed; installed are: a, base"},
		{"version", []string{"base 1.0.0", "a 1.0.0;base >=2.0"}, "a", "error: mod a needs base >=2.0, but version 1.0.0 is installed"},
		{"version, although loaded", []string{"base 1.0.0", "a 1.0.0;c", "b 1.0.0;c >=2", "c 1.0.0"}, "a b", "error: mod b needs c >=2, but version 1.0.0 is installed"},
		{"circle", []string{"base 1.0.0", "x 1.0.0;a", "a 1.0.0;b", "b 1.0.0;c", "c 1.0.0;a"}, "x", "error: mods depend on each other in a circle: a -> b -> c -> a"},
		{"conflict", []string{"base 1.0.0", "a 1.0.0;;b", "b 1.0.0"}, "a b", "error: mod a conflicts with b 1.0.0; load only one of them"},
		{"conflict with other versions only", []string{"base 1.0.0", "a 1.0.0;;b <1.0", "b 1.0.0"}, "a b", "base a b"},
		{"optional is loaded first", []string{"base 1.0.0", "a 1.0.0;;;b", "b 1.0.0"}, "a b", "base b a"},
		{"optional alone brings nothing in", []string{"base 1.0.0", "a 1.0.0;;;b", "b 1.0.0"}, "a", "base a"},
		{"optional need not be installed", []string{"base 1.0.0", "a 1.0.0;;;zzz"}, "a", "base a"},
		{"optional that another needs", []string{"base 1.0.0", "a 1.0.0;;;b", "b 1.0.0", "c 1.0.0;b"}, "a c", "base b a c"},
		{"optional has a version too", []string{"base 1.0.0", "a 1.0.0;;;b >=2", "b 1.0.0"}, "a b", "error: mod a works with b >=2, but version 1.0.0 is installed"},
		{"wrong version of an optional that is not loaded", []string{"base 1.0.0", "a 1.0.0;;;b >=2", "b 1.0.0"}, "a", "base a"},
		{"circle through an optional", []string{"base 1.0.0", "a 1.0.0;b", "b 1.0.0;;;a"}, "a", "error: mods depend on each other in a circle: a -> b -> a"},
		{"nobody needs a circle", []string{"base 1.0.0", "a 1.0.0;b", "b 1.0.0;;;a"}, "b", "base b"},
		{"two ranges that exclude each other", []string{"base 1.0.0", "a 1.0.0;c >=2", "b 1.0.0;c <2", "c 2.1.0"}, "a b", "error: mod b needs c <2, but version 2.1.0 is installed"},
		{"a pre-release", []string{"base 1.1.0-beta.1", "a 1.0.0;base >=1.0"}, "a", "error: mod a needs base >=1.0, but version 1.1.0-beta.1 is installed; a pre-release counts only if the range names one, as in >=1.1.0-0"},
		{"a pre-release that is meant", []string{"base 1.1.0-beta.1", "a 1.0.0;base >=1.1.0-0"}, "a", "base a"},
		{"a pre-release out of the range anyway", []string{"base 1.1.0-beta.1", "a 1.0.0;base >=2"}, "a", "error: mod a needs base >=2, but version 1.1.0-beta.1 is installed"},
		{"a slip in a name", []string{"base 1.0.0", "stats 1.0.0", "a 1.0.0;stat"}, "a", "error: mod a needs stat, which is not installed; installed are: a, base, stats; did you mean stats?"},
		{"conflict that a dependency brings in", []string{"base 1.0.0", "a 1.0.0;c", "b 1.0.0;;c", "c 1.0.0"}, "a b", "error: mod b conflicts with c 1.0.0; load only one of them"},
	} {
		t.Run(c.name, func(t *testing.T) {
			installed, bad := Discover(folder(c.mods...))
			require.Empty(t, bad)
			for range 5 {
				list, err := Order(installed, strings.Fields(c.wanted)...)
				if want, failing := strings.CutPrefix(c.want, "error: "); failing {
					require.EqualError(t, err, want)
					continue
				}
				require.NoError(t, err)
				var got []string
				for _, m := range list {
					got = append(got, m.Name)
				}
				require.Equal(t, c.want, strings.Join(got, " "))
			}
		})
	}
}

func TestManifest(t *testing.T) {
	m, err := parseManifest("name = \"ctf\"\nversion = \"1.2.0\"\ndescription = \"Flags\"\ndepends = [\"base >=1.0, <2\"]\npermissions = [\"console.kick\"]\n")
	require.NoError(t, err)
	assert.Equal(t, "1.2.0", m.Version.String())
	assert.Equal(t, []string{"console.kick"}, m.Permissions)
	assert.Equal(t, "base", m.Depends[0].Name)
	assert.True(t, m.Compatible("1.9.9"))
	assert.False(t, m.Compatible("2.0.0"))
	assert.False(t, m.Compatible("x"))

	head := "name = \"a\"\nversion = \"1.0.0\"\n"
	for text, want := range map[string]string{
		"name = \"A b\"\nversion = \"1.0.0\"":                             `name "A b" must be 1 to 32 of a–z, 0–9 and _`,
		"name = \"console\"\nversion = \"1.0.0\"":                         `name "console" is taken by what is typed at the console`,
		"version = \"1.0.0\"":                                             `name "" must be`,
		"name = \"" + strings.Repeat("a", 33) + "\"\nversion = \"1.0.0\"": `must be 1 to 32`,
		"name = \"a\"\nversion = \"1\"":                                   `version "1" must be three numbers like 1.0.0`,
		"name = \"a\"":                                                    `version "" must be`,
		head + "nmae = \"x\"":                                             `unknown key "nmae"; known are`,
		head + "depends = [\"base >=banana\"]":                            `depends: ">=banana" is not a range of versions`,
		head + "depends = [\"Base\"]":                                     `depends: "Base" must begin with the name of a mod`,
		head + "depends = [\"a\"]":                                        `depends: "a" names the mod itself`,
		head + "depends = [\n\"base\"\n":                                  `line `,
		head + "depends = \"base\"":                                       `depends`,
		head + "optional = [\"a\"]":                                       `optional: "a" names the mod itself`,
		head + "depends = [\"b >=1\", \"b <2\"]":                          `depends: b is named in depends already`,
		head + "depends = [\"b\"]\noptional = [\"b\"]":                    `optional: b is named in depends already`,
		head + "depends = [\"b\"]\nconflicts = [\"b\"]":                   `conflicts: the mod depends on b`,
		"name = \"a\nversion":                                             `line 1: `,
	} {
		_, err := parseManifest(text)
		assert.ErrorContains(t, err, want, text)
	}
}

func TestDiscover(t *testing.T) {
	first := folder("base 1.0.0", "a 1.0.0")
	first["notes.txt"] = &fstest.MapFile{Data: []byte("x")}
	first["empty/readme"] = &fstest.MapFile{Data: []byte("x")}
	first["wrong/mod.toml"] = &fstest.MapFile{Data: []byte("name = \"right\"\nversion = \"1.0.0\"\n")}
	second := folder("a 2.0.0")
	found, bad := Discover(first, second)
	assert.Equal(t, []string{"a", "base"}, names(found))
	assert.Equal(t, "2.0.0", found["a"].Version.String())
	require.Len(t, bad, 1)
	assert.EqualError(t, bad[0], `mods/wrong/mod.toml: the mod is named "right" but its folder "wrong"; they must be the same`)
}

func files(pairs ...string) *Manifest {
	fs := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		fs[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return &Manifest{Name: "x", FS: fs}
}

func TestLoadRunsSharedThenTheSide(t *testing.T) {
	for _, side := range []Realm{Server, Client} {
		r := newRig(t, func(c *Config) { c.Side = side })
		m, err := r.Load(files("shared/b.lua", `order = order .. "b"`, "shared/a.lua", `order = "a"`, "shared/sub/c.lua", `order = order .. "c"`,
			"server/init.lua", `order = order .. "S"`, "client/init.lua", `order = order .. "C"`, "server/other.lua", `order = "no"`))
		require.NoError(t, err)
		assert.Equal(t, lua.LString("ab"+side.Letters()), m.Global("order"))
		assert.Equal(t, []*Mod{m}, r.Mods)
	}
}

func TestAModThatFailsIsLeftOut(t *testing.T) {
	r := newRig(t)
	bad := files("server/init.lua", "local x = 1\nundefinedThing(x)")
	bad.Name = "bad"
	child := files("server/init.lua", "")
	child.Name, child.Depends = "child", []Need{{Name: "bad", Text: "bad"}}
	worse := files("shared/a.lua", "x = = 1")
	worse.Name = "worse"
	good := files()
	good.Name = "good"
	errs := r.LoadAll([]*Manifest{bad, child, worse, good})
	require.Len(t, errs, 3)
	assert.EqualError(t, errs[0], "mod bad is not loaded: mods/bad/server/init.lua:2: undefined global 'undefinedThing'")
	assert.EqualError(t, errs[1], "mod child is not loaded: it needs bad, which failed to load")
	assert.EqualError(t, errs[2], "mod worse is not loaded: mods/worse/shared/a.lua:1: syntax error near '='")
	require.Len(t, r.Mods, 1)
	assert.Equal(t, "good", r.Mods[0].Name)
}

func TestExecAndRequire(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{`return exec "server/util.lua"`, "1 1"},
		{`return exec("server/util.lua"), exec("server/util.lua"), runs`, "1 1 2"},
		{`return require "server.util", require "server.util", runs`, "1 1 1"},
		{`return require "server.none"`, "true"},
		{`return exec "../y/secret.lua"`, `error: exec: "../y/secret.lua" must be the path of a .lua file in the mod's own folder`},
		{`return exec "/etc/passwd.lua"`, `error: must be the path`},
		{`return exec "server/../../y.lua"`, `error: must be the path`},
		{`return exec "mod.toml"`, `error: must be the path`},
		{`return exec "server/missing.lua"`, `error: there is no file mods/x/server/missing.lua`},
		{`return require "...y.secret"`, `error: must be the path`},
		{`return require "server.loop"`, `error: "server.loop" is required in a circle`},
		{`return exec "server/broken.lua"`, `error: mods/x/server/broken.lua:1: syntax error`},
		{`return exec "server/raises.lua"`, `error: mods/x/server/raises.lua:2: oops`},
		{`return (pcall(require, "server.raises")), (pcall(require, "server.raises")), tries`, "false false 2"},
		{`return eval "1 + 1", eval "return 3", (eval "y = 4"), y`, "2 3 nil 4"},
		{`return eval "= ="`, `error: eval: mods/x (eval):1: syntax error`},
	} {
		r := newRig(t)
		m := r.NewMod("x", files("server/util.lua", `runs = (rawget(_G, "runs") or 0) + 1 return 1, runs`, "server/none.lua", "",
			"server/loop.lua", `require "server.loop"`, "server/broken.lua", "x = =", "server/raises.lua", "tries = (rawget(_G, 'tries') or 0) + 1\nerror('oops')"))
		got := r.runIn(m, c.source)
		if want, bad := strings.CutPrefix(c.want, "error: "); bad {
			require.Contains(t, got, want, c.source)
			continue
		}
		require.Equal(t, c.want, got, c.source)
	}
}
