package vm

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// files returns a folder of files, given as alternating paths and contents.
func files(pairs ...string) fstest.MapFS {
	list := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		list[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return list
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
		{`return require "server.loop"`, `error: circular require of "server.loop"`},
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
