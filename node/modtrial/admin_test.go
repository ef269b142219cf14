package modtrial

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/script/trial"
)

// TestAdministrationMatchesServer checks that administration commands do the same in a mod test and
// on a server.
func TestAdministrationMatchesServer(t *testing.T) {
	r, err := newRunner(Options{Folders: []fs.FS{mods.FS()}, Mod: "hello", Seed: 1})
	require.NoError(t, err)
	trial, err := newTestServer(r)
	require.NoError(t, err)
	server, err := node.NewServer(node.Config{Server: node.ServerConfig{Load: []string{"hello"}}, Common: node.Common{Strict: true}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	require.NoError(t, server.Start())
	const key = "mqwuupo3bvfwigqlcrcg6hhmc6i6djie26i6nfhtyg6bnfyuvnuq"
	for _, side := range []struct {
		name    string
		host    *engine.Host
		console *console.Console
	}{
		{"torc mod test", trial.server.Host, trial.server.Console},
		{"a server", server.Host(), server.Console()},
	} {
		for range 2 {
			_, err := side.host.AddBot("Bob")
			require.NoError(t, err)
		}
		_, err := side.host.AddBot("Ann Lee")
		require.NoError(t, err)
		for _, c := range []struct{ line, out, err string }{
			{"kick Bob", "", `ambiguous player name "Bob": use an id (players lists them)`},
			{"ban bob", "", `ambiguous player name "bob": use an id (players lists them)`},
			{"ban ann_lee", "", `"ann_lee" is a bot and has no key`},
			{"kick 4242", "", `no player has the id or name "4242" (players lists them)`},
			{"ban nobody", "", `no player has the id or name "nobody", and it is not a key (players lists them)`},
			{"kick", "", "usage: kick ID|NAME [REASON]"},
			{"unban " + key, "", "that key is not banned (bans lists the banned keys)"},
			{"ban " + key + " forever too loud", "", ""},
			{"bans", key + " forever  too loud", ""},
			{"unban " + key, "", ""},
			{"bans", "", ""},
			{"role.give " + key + " Moderator", "", "a role name must be 1 to 32 of a–z, 0–9 and _"},
			{"role.give " + key + " moderator", "", ""},
			{"role.take " + key + " builder", "", `"` + key + `" has no role "builder" (role lists the roles of players)`},
			{"role", key + " moderator", ""},
			{"role.take " + key + " moderator", "", ""},
			{"kick ann_lee", "", ""},
		} {
			out, err := side.console.Exec(c.line)
			assert.Equal(t, c.out, out, "%s: %s", side.name, c.line)
			if c.err == "" {
				assert.NoError(t, err, "%s: %s", side.name, c.line)
			} else {
				assert.EqualError(t, err, c.err, "%s: %s", side.name, c.line)
			}
		}
	}
}

// TestBansHoldInTests checks that a banned player cannot join in a test, as on a server.
func TestBansHoldInTests(t *testing.T) {
	r, err := newRunner(Options{Folders: []fs.FS{mods.FS()}, Mod: "hello", Seed: 1})
	require.NoError(t, err)
	s, err := newTestServer(r)
	require.NoError(t, err)
	ann, err := s.Enter(trial.ActorConfig{Name: "Ann"})
	require.NoError(t, err)
	until := func(done func() bool) {
		for range 1000 {
			if s.tick(); done() {
				return
			}
		}
		require.Fail(t, "it never came")
	}
	until(func() bool { return len(s.server.Host.Connections()) == 1 && ann.Host.Server() != nil })
	_, err = s.server.Console.Exec("ban Ann forever too loud")
	require.NoError(t, err)
	until(func() bool { return ann.Refused != "" })
	assert.Equal(t, "kicked: banned: too loud (forever)", ann.Refused)
	ann.Refused = ""
	_, err = ann.Console.Exec("reconnect")
	require.NoError(t, err)
	until(func() bool { return ann.Refused != "" })
	assert.Equal(t, "banned: too loud (forever)", ann.Refused)
}
