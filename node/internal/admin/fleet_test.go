package admin

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/audit"
	"github.com/torc-engine/torc/node/internal/bans"
	"github.com/torc-engine/torc/node/internal/rights"
)

// fleetRig is a server with a player, and with the lists of a fleet that answers as the test says.
type fleetRig struct {
	*Admin
	*enginetest.Rig
	t       *testing.T
	asked   []Change
	answers func(answer func(string, error)) // nil: later, by answer
	answer  func(string, error)
	printed []string
	shown   []string
}

func (r *fleetRig) Shown(list string) { r.shown = append(r.shown, list) }

// newFleetRig returns a server of a fleet. The player of the rig is in the game.
func newFleetRig(t *testing.T) *fleetRig {
	r := &fleetRig{t: t, Rig: enginetest.New(t, enginetest.Options{})}
	clock := func() time.Time { return began }
	r.Admin = &Admin{
		Host: r.Server.Host, Console: console.New(func(string) {}), Bans: new(bans.List), Mutes: new(bans.List), Allowed: new(bans.List), Rights: new(rights.List),
		Recent: new(Recent), Audit: audit.New(clock), Now: clock, Fleet: r,
		Answer: func() func(string, error) {
			return func(out string, err error) {
				if err != nil {
					out = "error: " + err.Error()
				}
				r.printed = append(r.printed, out)
			}
		},
	}
	for _, l := range []*bans.List{r.Bans, r.Mutes, r.Allowed} {
		l.Fleet = new(bans.Set)
	}
	r.Rights.Fleet = new(rights.Set)
	for _, c := range r.Commands() {
		require.NoError(t, r.Console.Register(c))
	}
	for _, v := range r.Variables() {
		require.NoError(t, r.Console.Bind(v))
	}
	r.Server.SetScripts(r.Gate(r.Server.Story))
	r.Join()
	return r
}

// Change implements Fleet.
func (r *fleetRig) Change(c Change, answer func(string, error)) {
	r.asked = append(r.asked, c)
	if r.answer = answer; r.answers != nil {
		r.answers(answer)
	}
}

// line runs a line on the console, and returns its output or its error.
func (r *fleetRig) line(line string) string {
	r.t.Helper()
	out, err := r.Console.Exec(line)
	if err != nil {
		return "error: " + err.Error()
	}
	return out
}

var stranger = seal.Key{7}

// TestHereWithoutAFleet: without a fleet the option changes nothing, wherever it is in the line.
func TestHereWithoutAFleet(t *testing.T) {
	r := newFleetRig(t)
	r.Fleet = nil
	for _, l := range []*bans.List{r.Bans, r.Mutes, r.Allowed} {
		l.Fleet = nil
	}
	r.Rights.Fleet = nil
	key := stranger.String()
	for _, c := range []struct{ line, list, want string }{
		{"ban " + key + " 2h --here too loud", "bans", key + " for 2h0m0s  too loud"},
		{"unban --here " + key, "bans", ""},
		{"mute --here " + key + " rude", "mutes", key + " forever  rude"},
		{"unmute " + key + " --here", "mutes", ""},
		{"allow " + key + " --here", "allowed", key + " forever"},
		{"disallow " + key + " --here", "allowed", ""},
		{"role.give " + key + " mod --here", "role", key + " mod"},
		{"role take " + key + " --here mod", "role", ""},
		{"role.allow mod kick --here", "role", "mod may kick"},
		{"role deny --here mod kick", "role", ""},
	} {
		assert.Empty(t, r.line(c.line), c.line)
		assert.Equal(t, c.want, r.line(c.list), c.line)
	}
	assert.Equal(t, "error: that key is not banned (bans lists the banned keys)", r.line("unban "+key+" --here"))
	assert.Equal(t, "error: usage: ban ID|NAME|KEY [10m|2h|forever] [REASON] [--here]", r.line("ban --here"))
	assert.Equal(t, "error: usage: unban KEY [--here]", r.line("unban"))
	assert.Equal(t, "error: usage: role.give ID|NAME|KEY ROLE [--here]", r.line("role.give --here mod"))
}

// TestChangesOfAFleet: without the option, a change goes to the fleet, and into no list of this
// server. With it the fleet learns nothing.
func TestChangesOfAFleet(t *testing.T) {
	r := newFleetRig(t)
	r.answers = func(answer func(string, error)) { answer("done", nil) }
	key, target := stranger.String(), bans.Target{Key: stranger}
	for _, c := range []struct {
		line, list string
		want       Change
	}{
		{"ban " + key + " 2h too loud", "bans", Change{List: BanList, Ban: bans.Ban{Target: target, Until: began.Add(2 * time.Hour), Reason: "too loud"}}},
		{"mute " + key, "mutes", Change{List: MuteList, Ban: bans.Ban{Target: target}}},
		{"allow " + key, "allowed", Change{List: AllowList, Ban: bans.Ban{Target: target}}},
		{"role.give " + key + " mod", "role", Change{List: RoleList, Key: stranger, Role: "mod"}},
	} {
		r.asked = nil
		assert.Equal(t, "done", r.line(c.line))
		assert.Equal(t, []Change{c.want}, r.asked)
		assert.Empty(t, r.line(c.list), "it is not in a list of this server")
		r.asked = nil
		assert.Empty(t, r.line(c.line+" --here"))
		assert.Empty(t, r.asked)
		assert.Contains(t, r.line(c.list), "here "+key)
	}
	r.asked = nil
	for _, line := range []string{"role.give " + key + " Mod", "ban nobody", "ban 0.0.0.0/0", "role.allow mod kick", "role.deny mod kick"} {
		r.line(line)
	}
	assert.Empty(t, r.asked, "mistakes, and commands of roles, do not leave this server")
	r.answers = func(answer func(string, error)) { answer("", errors.New("no right")) }
	assert.Equal(t, "error: no right", r.line("ban "+key))
}

// TestRemovalsOfAFleet: a removal ends what this server has and what the fleet has. With the option
// only the first, and it says what still holds.
func TestRemovalsOfAFleet(t *testing.T) {
	key, target := stranger.String(), bans.Target{Key: stranger}
	const still, leaveOut = "the fleet still has it (--here changes this server only)", "error: only the fleet has it: leave out --here"
	for _, list := range []struct{ name, undo, missing string }{
		{"ban", "unban " + key, "error: that key is not banned (bans lists the banned keys)"},
		{"mute", "unmute " + key, "error: that key is not muted (mutes lists the muted keys)"},
		{"allow", "disallow " + key, "error: that key is not in the list (allowed lists the keys)"},
		{"role.give", "role.take " + key + " mod", `error: "` + key + `" has no role "mod" (role lists the roles of players)`},
	} {
		for _, c := range []struct {
			own, theirs, only bool
			want              string
			asks              int
		}{
			{false, false, false, list.missing, 0}, {false, false, true, list.missing, 0},
			{true, false, false, "", 0}, {true, false, true, "", 0},
			{false, true, false, "done", 1}, {false, true, true, leaveOut, 0},
			{true, true, false, "done", 1}, {true, true, true, still, 0},
		} {
			r := newFleetRig(t)
			r.answers = func(answer func(string, error)) { answer("done", nil) }
			option := map[bool]string{true: " --here"}[c.only]
			if c.own {
				require.Empty(t, r.line(list.name+" "+key+map[bool]string{true: " mod"}[list.name == "role.give"]+" --here"))
			}
			if c.theirs {
				for _, l := range []*bans.List{r.Bans, r.Mutes, r.Allowed} {
					l.Fleet.Put(bans.Foreign{Ban: bans.Ban{Target: target}})
				}
				r.Rights.Fleet.Put(rights.Holder{Key: stranger, Roles: []string{"mod"}})
			}
			assert.Equal(t, c.want, r.line(list.undo+option), "%s: %+v", list.undo, c)
			require.Len(t, r.asked, c.asks)
			for _, asked := range r.asked {
				assert.True(t, asked.Remove)
			}
			for _, shows := range []string{"bans", "mutes", "allowed", "role"} {
				assert.NotContains(t, r.line(shows), "here "+key)
			}
		}
	}
}

// TestOutcomesOfAFleet: an outcome that comes later answers the line that asked for it.
func TestOutcomesOfAFleet(t *testing.T) {
	r := newFleetRig(t)
	assert.Empty(t, r.line("ban "+stranger.String()))
	r.answer("", errors.New("the fleet is away"))
	assert.Equal(t, []string{"error: the fleet is away"}, r.printed)
	said := ""
	r.Answer = func() func(string, error) { return func(out string, _ error) { said = out } }
	assert.Empty(t, r.line("mute "+stranger.String()))
	r.answer("muted everywhere", nil)
	assert.Equal(t, "muted everywhere", said)
	assert.Len(t, r.printed, 1)
}

// TestABanOfAFleetDisconnects: a ban that a fleet brings ends the connection, and is the reason not
// to join again.
func TestABanOfAFleetDisconnects(t *testing.T) {
	for name, ban := range map[string]func(r *fleetRig, e bans.Foreign){
		"news": func(r *fleetRig, e bans.Foreign) { r.Bans.Fleet.Put(e); r.ListsChanged() },
		"a line": func(r *fleetRig, e bans.Foreign) {
			r.answers = func(func(string, error)) { r.Bans.Fleet.Put(e) }
			r.line("ban " + e.Key.String())
		},
		"here after all": func(r *fleetRig, e bans.Foreign) { require.NoError(t, r.HoldHere(Change{List: BanList, Ban: e.Ban})) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newFleetRig(t)
			key := r.Peer(0).Key()
			ban(r, bans.Foreign{Ban: bans.Ban{Target: bans.Target{Key: key}, Reason: "theft"}})
			r.Run(time.Second)
			assert.Empty(t, r.Server.Connections())
			assert.Contains(t, r.Clients[0].Story.Lines, "ended: kicked: banned: theft (forever) (timed out false)")
		})
	}
}

// TestRolesOfAFleetAndPlainHTTP: a key that others can know never holds a role of a fleet, not even
// with sv.plainRoles, and is noted.
func TestRolesOfAFleetAndPlainHTTP(t *testing.T) {
	r := newFleetRig(t)
	c := r.Peer(0)
	require.NoError(t, r.Rights.Give(c.Key(), "builder", ""))
	r.Rights.Fleet.Put(rights.Holder{Key: c.Key(), Roles: []string{"moderator", rights.Admin}})
	require.NoError(t, r.Rights.Allow("moderator", "kick"))
	roles := func() []string {
		assert.Equal(t, r.Permits().May(c, "kick"), len(r.Permits().Roles(c)) == 2)
		return r.Permits().Roles(c)
	}
	assert.Equal(t, []string{"builder"}, roles(), "nothing is trusted")
	r.Rights.Trust, _ = rights.ParseTrust("moderator")
	assert.Equal(t, []string{"builder", "moderator"}, roles())

	plain := true
	r.Plain = func(netcore.Addr) bool { return plain }
	assert.Empty(t, roles())
	require.Empty(t, r.line("sv.plainRoles true"))
	assert.Equal(t, []string{"builder"}, roles())
	assert.Contains(t, r.line("role.give "+c.Key().String()+" moderator"), "plays over plain HTTP, where others on the network can steal the key: use HTTPS or the program")
	assert.Empty(t, r.asked)
	assert.Empty(t, r.line("role.give "+c.Key().String()+" smith --here"))
	assert.Empty(t, r.line("role.take "+c.Key().String()+" smith --here"))
	r.NotePlain()
	plain = false
	assert.Equal(t, []string{"builder"}, roles(), "a thief of the key has no page")
	assert.Contains(t, r.line("role"), c.Key().String()+" was used over plain HTTP")

	require.Empty(t, r.line("role.take "+c.Key().String()+" builder"))
	r.answers = func(answer func(string, error)) { r.Rights.Fleet.Put(rights.Holder{Key: c.Key()}); answer("", nil) }
	require.Empty(t, r.line("role.take "+c.Key().String()+" moderator"))
	assert.False(t, r.Rights.Exposed(c.Key()), "the operator of this server has taken the last role")
	r.Rights.Fleet.Put(rights.Holder{Key: c.Key(), Roles: []string{"moderator"}})
	assert.Equal(t, []string{"moderator"}, r.Permits().Roles(c))
}

// TestAllowedPlayersOfAFleet: they count only on a server that trusts the fleet.
func TestAllowedPlayersOfAFleet(t *testing.T) {
	r := newFleetRig(t)
	c := r.Peer(0)
	require.Empty(t, r.line("sv.allowedOnly true"))
	r.Allowed.Fleet.Put(bans.Foreign{Ban: bans.Ban{Target: bans.Target{Key: c.Key()}}})
	assert.False(t, r.MayMove(c, c.Address()))
	r.Rights.Trust, _ = rights.ParseTrust("speaker")
	assert.True(t, r.MayMove(c, c.Address()))
	r.Allowed.Fleet.Replace(nil)
	require.Empty(t, r.line("allow "+c.Key().String()+" --here"))
	assert.True(t, r.MayMove(c, c.Address()))
	r.Rights.Trust = rights.Trust{}
	assert.True(t, r.MayMove(c, c.Address()), "the list of this server always counts")
}
