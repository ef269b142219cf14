package manifest

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
		{"missing", []string{"base 1.0.0"}, "ctf", "error: unknown mod ctf; installed are: base"},
		{"missing dependency", []string{"base 1.0.0", "a 1.0.0;zzz"}, "a", "error: mod a needs zzz, which is not installed; installed are: a, base"},
		{"version", []string{"base 1.0.0", "a 1.0.0;base >=2.0"}, "a", "error: mod a needs base >=2.0, but version 1.0.0 is installed"},
		{"version, although loaded", []string{"base 1.0.0", "a 1.0.0;c", "b 1.0.0;c >=2", "c 1.0.0"}, "a b", "error: mod b needs c >=2, but version 1.0.0 is installed"},
		{"circle", []string{"base 1.0.0", "x 1.0.0;a", "a 1.0.0;b", "b 1.0.0;c", "c 1.0.0;a"}, "x", "error: circular dependency of mods: a -> b -> c -> a"},
		{"conflict", []string{"base 1.0.0", "a 1.0.0;;b", "b 1.0.0"}, "a b", "error: mod a conflicts with b 1.0.0; load only one of them"},
		{"conflict with other versions only", []string{"base 1.0.0", "a 1.0.0;;b <1.0", "b 1.0.0"}, "a b", "base a b"},
		{"optional is loaded first", []string{"base 1.0.0", "a 1.0.0;;;b", "b 1.0.0"}, "a b", "base b a"},
		{"optional alone brings nothing in", []string{"base 1.0.0", "a 1.0.0;;;b", "b 1.0.0"}, "a", "base a"},
		{"optional need not be installed", []string{"base 1.0.0", "a 1.0.0;;;zzz"}, "a", "base a"},
		{"optional that another needs", []string{"base 1.0.0", "a 1.0.0;;;b", "b 1.0.0", "c 1.0.0;b"}, "a c", "base b a c"},
		{"optional has a version too", []string{"base 1.0.0", "a 1.0.0;;;b >=2", "b 1.0.0"}, "a b", "error: mod a works with b >=2, but version 1.0.0 is installed"},
		{"wrong version of an optional that is not loaded", []string{"base 1.0.0", "a 1.0.0;;;b >=2", "b 1.0.0"}, "a", "base a"},
		{"circle through an optional", []string{"base 1.0.0", "a 1.0.0;b", "b 1.0.0;;;a"}, "a", "error: circular dependency of mods: a -> b -> a"},
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
		"name = \"console\"\nversion = \"1.0.0\"":                         `name "console" is reserved for the console`,
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
		"\ufeffnmae = \"a\"":                                              `line 1: unknown key "nmae"; known are`,
		"name = \"a\nversion":                                             `line 1 `,
	} {
		_, err := parseManifest(text)
		assert.ErrorContains(t, err, want, text)
	}
}

// TestLinks checks that the files of a mod are not reached through symbolic links.
func TestLinks(t *testing.T) {
	link := func(to string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(to), Mode: fs.ModeSymlink} }
	mods := folder("other 1.0.0", "a 1.0.0", "b 1.0.0")
	mods["other/server/init.lua"] = &fstest.MapFile{Data: []byte("x")}
	mods["a/lib"] = link("../other/server")
	mods["a/server/own.lua"] = &fstest.MapFile{Data: []byte("own")}
	mods["a/server/init.lua"] = link("../../other/server/init.lua")
	mods["b/server"] = link("../other/server")
	mods["c/mod.toml"] = link("../other/mod.toml")
	found, bad := Discover(NewEditions([]fs.FS{mods})...)
	require.Len(t, bad, 2)
	assert.EqualError(t, bad[0], "mods/b: server is a symbolic link: a mod reads only files of its own folder, so put a copy there")
	assert.ErrorContains(t, bad[1], "mods/c/mod.toml: mod.toml is a symbolic link")

	own := found["a"].FS
	text, err := fs.ReadFile(own, "server/own.lua")
	require.NoError(t, err)
	assert.Equal(t, "own", string(text))
	for _, name := range []string{"lib/init.lua", "server/init.lua"} {
		_, err := fs.ReadFile(own, name)
		assert.ErrorAs(t, err, new(*LinkError), name)
		assert.ErrorIs(t, err, fs.ErrPermission)
		_, err = own.Open(name)
		assert.ErrorAs(t, err, new(*LinkError), name)
	}
	_, err = fs.ReadDir(own, "lib")
	assert.ErrorAs(t, err, new(*LinkError))
	_, err = fs.Stat(own, "server/init.lua")
	assert.NoError(t, err, "a linked file is not missing")
	_, err = fs.ReadFile(own, "nowhere.lua")
	assert.ErrorIs(t, err, fs.ErrNotExist)
}

func TestDiscover(t *testing.T) {
	first := folder("base 1.0.0", "a 1.0.0")
	first["notes.txt"] = &fstest.MapFile{Data: []byte("x")}
	first["empty/readme"] = &fstest.MapFile{Data: []byte("x")}
	first["wrong/mod.toml"] = &fstest.MapFile{Data: []byte("name = \"right\"\nversion = \"1.0.0\"\n")}
	second := folder("a 2.0.0")
	bombs := map[string]string{ // each took gigabytes in the parser, or the whole stack
		"b1": strings.Repeat("[", 4<<20),
		"b2": "a = " + strings.Repeat("[", 30<<10),
		"b3": strings.Repeat("a.", 15<<10) + "a = 1",
		"b4": strings.Repeat("x", 30<<10) + " = 1",
	}
	third := fstest.MapFS{"b5/mod.toml/x": &fstest.MapFile{}}
	for name, text := range bombs {
		third[name+"/mod.toml"] = &fstest.MapFile{Data: []byte(text)}
	}
	_, bad := Discover(third)
	for i, want := range []string{"b1/mod.toml: the file is larger than 32 KiB", "b2/mod.toml:1: arrays, tables", "b3/mod.toml:1: arrays, tables", "b4/mod.toml:1: unknown key", "b5/mod.toml: it is not a regular file"} {
		require.Len(t, bad, 5)
		assert.ErrorContains(t, bad[i], "mods/"+want)
		assert.Less(t, len(bad[i].Error()), 500)
	}
	found, bad := Discover(first, second)
	assert.Equal(t, []string{"a", "base"}, Names(found))
	assert.Equal(t, "2.0.0", found["a"].Version.String())
	assert.Equal(t, []string{"mods/a", ""}, []string{found["a"].Replaces, found["base"].Replaces})
	newest, err := Newest("a", []fs.FS{first, second})
	require.NoError(t, err)
	assert.Equal(t, []string{"2.0.0", "mods/a"}, []string{newest.Version.String(), newest.Replaces})
	require.Len(t, bad, 1)
	assert.EqualError(t, bad[0], `mods/wrong/mod.toml:1: the mod is named "right" but its folder "wrong"; they must be the same`)
}

// TestErrorsNameTheLine checks that an error of a manifest has file and line, in the form of
// compilers, and with the path on the disk if the folder knows it.
func TestErrorsNameTheLine(t *testing.T) {
	head := "# the mod\nname = \"a\"\n\nversion = \"1.0.0\"\n"
	for text, want := range map[string]string{
		"name = \"a\"\nversion = \"1.0.0\n":                             ":2: a string of this line has no closing quote",
		"name = \"a\"\nversion = \"1\"":                                 ":2: version \"1\" must be",
		"# name = \"a\"\nversion = \"1.0.0\"\n  'name' = \"A\"":         ":3: name \"A\" must be",
		"name = \"a\"\n":                                                ": version \"\" must be",
		head + "nmae = \"x\"":                                           ":5: unknown key \"nmae\"; known are name, version, description, depends, optional, conflicts, permissions; did you mean name?",
		head + "permissions = [\n  \"console.kick\",\n  \"banana\",\n]": ":7: permissions: unknown \"banana\"; known are mod.delete, mod.override, mod.settings, console.NAME, net:HOST:PORT, listen:PORT, transfer and transfer:HOST:PORT; did you mean console.banana?",
		head + "permissions = [\"mod.overide\"]":                        ":5: permissions: unknown \"mod.overide\"; known are mod.delete, mod.override, mod.settings, console.NAME, net:HOST:PORT, listen:PORT, transfer and transfer:HOST:PORT; did you mean mod.override?",
		head + "permissions = [\"console.*\"]":                          ":5: permissions: unknown \"console.*\"",
		head + "depends = [\n  \"b\",\n  \"c >=banana\"]":               ":7: depends: \">=banana\" is not a range",
		head + "depends = [\"b >=1\"]\noptional = [\n\"b\"]":            ":7: optional: b is named in depends already",
		head + "depends = [\"b\"]\nconflicts = [\"b\"]":                 ":6: conflicts: the mod depends on b",
		head + "depends = \"b\"":                                        ":5: depends: incompatible types: TOML value has type string",
		head + "x = [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]":              ":5: arrays, tables",
		"name = \"b\"\nversion = \"1.0.0\"":                             ":1: the mod is named \"b\" but its folder \"a\"",
	} {
		files := fstest.MapFS{"a/mod.toml": &fstest.MapFile{Data: []byte(text)}}
		for where, mods := range map[string]fs.FS{"mods/a": files, "/srv/my mods/a": onDisk{files}} {
			for _, folder := range []fs.FS{mods, NewEditions([]fs.FS{mods})[0]} {
				_, bad := Discover(folder)
				require.Len(t, bad, 1, text)
				require.ErrorContains(t, bad[0], where+"/mod.toml"+want, text)
				_, err := Newest("a", []fs.FS{folder})
				require.EqualError(t, err, bad[0].Error())
			}
		}
	}
}

type onDisk struct{ fs.FS }

func (onDisk) Dir() string { return "/srv/my mods" }

// TestBrokenIsNotMissing checks that Explain tells why a mod could not be read.
func TestBrokenIsNotMissing(t *testing.T) {
	mods := folder("base 1.0.0", "a 1.0.0;b", "b x", "c 1.0.0;d")
	installed, bad := Discover(mods)
	for wanted, want := range map[string]string{
		"b":    `mods/b/mod.toml:2: version "x" must be three numbers like 1.0.0 (see semver.org)`,
		"a":    `mod a needs b, which cannot be loaded: mods/b/mod.toml:2: version "x" must be three numbers like 1.0.0 (see semver.org)`,
		"c":    `mod c needs d, which is not installed; installed are: a, base, c`,
		"bsae": `unknown mod bsae; installed are: a, base, c; did you mean base?`,
	} {
		_, err := Order(installed, wanted)
		assert.EqualError(t, Explain(err, bad), want)
	}
	_, err := Order(installed, "base")
	assert.NoError(t, Explain(err, bad))
}

// TestAFolderTooDeep checks the error for a mod whose folder lies in a folder of the same name.
func TestAFolderTooDeep(t *testing.T) {
	files := folder("base 1.0.0", "a 1.0.0;deep")
	mods := onDisk{files}
	files["deep/deep-main/mod.toml"] = &fstest.MapFile{Data: []byte("name = \"deep\"\nversion = \"1.0.0\"\n")}
	installed, bad := Discover(mods)
	const want = "/srv/my mods/deep has no mod.toml, but /srv/my mods/deep/deep-main has: move that folder up, into the folder of mods"
	_, err := Order(installed, "deep")
	assert.EqualError(t, Explain(err, bad, mods), want)
	_, err = Order(installed, "a")
	assert.EqualError(t, Explain(err, bad, mods), "mod a needs deep, which cannot be loaded: "+want)
	_, err = Newest("deep", []fs.FS{mods})
	assert.EqualError(t, err, want)
	_, err = Order(installed, "[")
	assert.ErrorContains(t, Explain(err, bad, mods), "unknown mod [;")
}
