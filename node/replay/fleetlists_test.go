package replay_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/node/internal/fleet/fakebus"
	"github.com/torc-engine/torc/script/store"
)

// playerKey returns the text of the key of a player.
func playerKey(t *testing.T, seed byte) string { return identityOf(t, seed).Public.String() }

// listOf is a list of the fleet.
func listOf(name string) bus.Group { return bus.Group{Bucket: bus.Lists, Name: name} }

// types runs a line of a server, and returns its answer, an error as text.
func (x *crossing) types(i int, line string) string {
	out, err := x.servers[i].Console().Exec(line)
	if err != nil {
		return err.Error()
	}
	return out
}

// tries lets a new client join a server, and reports whether it plays.
func (x *crossing) tries(seed byte, i int) (plays bool, ended string) {
	w := x.client(fmt.Sprint("Ann ", seed), identityOf(x.t, seed))
	x.join(w, serverAt[i].String(), engine.ConnectArgs{})
	return w.plays(), w.ended
}

// saved returns servers of a fleet with data folders.
func saved(folders [2]string) func(int, *node.Config) {
	return func(i int, c *node.Config) { c.Data = folders[i] }
}

// again starts a server that has ended, with its folder, in the same fleet.
func (x *crossing) again(i int, folders [2]string) *crossing {
	require.NoError(x.t, x.servers[i].Close())
	y := newFleet(x.t, saved([2]string{x.t.TempDir(), folders[i]}))
	y.world, y.now = x.world, x.now
	y.dead[0] = true
	return y
}

// TestBanReachesAServerThatWasDown is F7: a ban is made while another server is down. That one
// refuses the key before its first accepted join. The lists need 1.4 s, and joins wait for them.
func TestBanReachesAServerThatWasDown(t *testing.T) {
	t.Parallel()
	x := newFleet(t)
	x.world = fakebus.New(700 * time.Millisecond)
	x.dead[1] = true
	x.run(3 * time.Second)
	x.on(0, "ban "+playerKey(t, 1)+" forever cheats")
	x.run(3 * time.Second)
	assert.Contains(t, strings.Join(x.said[0], "\n"), "bans: the fleet has "+playerKey(t, 1))
	x.dead[1] = false
	began := x.now
	ann, bob := x.client("Ann", identityOf(t, 1)), x.client("Bob", identityOf(t, 2))
	require.NoError(t, ann.Dialer.Connect(serverAt[1].String(), engine.ConnectArgs{}))
	require.NoError(t, bob.Dialer.Connect(serverAt[1].String(), engine.ConnectArgs{}))
	for ann.ended == "" {
		require.False(t, ann.plays() || bob.plays(), "nobody is let in before")
		require.Less(t, x.now-began, 3*time.Second)
		x.run(time.Millisecond)
	}
	assert.Contains(t, ann.ended, "banned: cheats")
	assert.Greater(t, x.now-began, 1400*time.Millisecond)
	x.run(time.Second)
	assert.True(t, bob.plays(), bob.ended)
	x.replayAll()
}

// TestCopyCountsAfter3s: without its fleet, a server lets players join after 3 s, by the copy of
// the last lists.
func TestCopyCountsAfter3s(t *testing.T) {
	t.Parallel()
	folders := [2]string{t.TempDir(), t.TempDir()}
	x := newFleet(t, saved(folders))
	x.run(time.Second)
	x.on(0, "ban "+playerKey(t, 1)+" forever cheats")
	x.run(6 * time.Second)
	require.NoError(t, x.servers[0].Close())
	x = x.again(1, folders)
	x.world.Die()
	began := x.now
	ann, bob := x.client("Ann", identityOf(t, 1)), x.client("Bob", identityOf(t, 2))
	require.NoError(t, ann.Dialer.Connect(serverAt[1].String(), engine.ConnectArgs{}))
	require.NoError(t, bob.Dialer.Connect(serverAt[1].String(), engine.ConnectArgs{}))
	x.run(2900 * time.Millisecond)
	assert.Empty(t, ann.ended)
	assert.False(t, bob.plays())
	for !bob.plays() {
		require.Less(t, x.now-began, 5*time.Second)
		x.run(time.Millisecond)
	}
	assert.Contains(t, ann.ended, "banned: cheats")
	assert.Contains(t, x.logs[1].String(), "the lists of the fleet are not read yet")
	x.replays(x.ends(1))
}

// TestBanDropsAPlayer: a ban of another server drops a player who plays, and a mute silences one.
// Both end with the entry.
func TestBanDropsAPlayer(t *testing.T) {
	t.Parallel()
	x := newFleet(t)
	x.run(time.Second)
	ann := x.client("Ann", identityOf(t, 1))
	x.join(ann, serverAt[1].String(), engine.ConnectArgs{})
	require.True(t, ann.plays())
	muted := func() string {
		x.on(1, `for c in clientGroup:each() do echo("muted", c.muted) end`)
		return x.said[1][len(x.said[1])-1]
	}
	assert.Equal(t, "muted\tnil", muted())
	x.on(0, "mute "+playerKey(t, 1)+" 1h noise")
	x.run(100 * time.Millisecond)
	assert.Contains(t, muted(), "noise")
	x.on(0, "unmute "+playerKey(t, 1))
	x.run(100 * time.Millisecond)
	assert.Equal(t, "muted\tnil", muted())

	x.on(0, "ban "+playerKey(t, 1)+" 1h cheats")
	x.run(200 * time.Millisecond)
	assert.Contains(t, ann.ended, "banned: cheats")
	assert.Contains(t, x.types(1, "bans"), playerKey(t, 1))
	assert.Contains(t, x.types(1, "bans"), "hub")
	plays, ended := x.tries(1, 1)
	assert.False(t, plays)
	assert.Contains(t, ended, "banned: cheats")
	x.on(1, "unban "+playerKey(t, 1))
	x.run(100 * time.Millisecond)
	for i := range 2 {
		plays, ended = x.tries(1, i)
		assert.True(t, plays, ended)
	}
	x.replayAll()
}

// TestBanHoldsHereAtOnce: a ban counts at the server where it is typed before the fleet has it. If
// the fleet does not take it, it holds on this server only, and the operator is told so.
func TestBanHoldsHereAtOnce(t *testing.T) {
	t.Parallel()
	folders := [2]string{t.TempDir(), t.TempDir()}
	x := newFleet(t, saved(folders))
	x.world = fakebus.New(200 * time.Millisecond)
	x.run(2 * time.Second)
	kept := func(n byte) bool {
		text, _ := os.ReadFile(filepath.Join(folders[0], "bans"))
		return strings.Contains(string(text), playerKey(t, n))
	}
	x.on(0, "ban "+playerKey(t, 1))
	_, ended := x.tries(1, 0)
	assert.Contains(t, ended, "banned")
	x.run(time.Second)
	assert.False(t, kept(1), "it is in the fleet")

	x.world.Refuses = "NATS does not let this server write to torc_lists"
	x.on(0, "ban "+playerKey(t, 2))
	x.run(time.Second)
	assert.Contains(t, strings.Join(x.said[0], "\n"), "this holds on this server only: NATS does not let this server write to torc_lists")
	assert.True(t, kept(2))
	_, ended = x.tries(2, 0)
	assert.Contains(t, ended, "banned")
	x.on(0, "unban "+playerKey(t, 1))
	x.run(time.Second)
	assert.Contains(t, strings.Join(x.said[0], "\n"), "the fleet keeps "+playerKey(t, 1)+" in bans: NATS does not let")
	_, ended = x.tries(1, 0)
	assert.Contains(t, ended, "banned")
	x.world.Refuses = ""

	x.world.Cut("hub")
	x.run(100 * time.Millisecond)
	assert.Equal(t, "this holds on this server only: the line to the fleet is down", x.types(0, "ban "+playerKey(t, 3)))
	assert.True(t, kept(3))
	x.world.Heal("hub")
	x.run(2 * time.Second)
	x.on(0, "ban "+playerKey(t, 4))
	x.world.Cut("hub") // the answer is lost, and the server ends
	x.replayAll()
	assert.True(t, kept(4), "nobody knows whether the fleet has it")
}

// TestChangesOfListsCompare: a change is compared with the list that the operator has seen. The
// answer names the server that was first.
func TestChangesOfListsCompare(t *testing.T) {
	t.Parallel()
	x := newFleet(t)
	x.run(time.Second)
	key := playerKey(t, 1)
	x.on(0, "ban "+key+" 1h cheats")
	x.run(100 * time.Millisecond)
	x.on(0, "bans")
	x.on(0, "ban "+key+" 2h cheats") // its own change is no conflict
	x.run(100 * time.Millisecond)
	x.on(0, "bans")
	x.on(1, "ban "+key+" forever worse")
	x.run(100 * time.Millisecond)
	assert.Contains(t, x.types(0, "unban "+key)+strings.Join(x.said[0], "\n"), "arena-2 has changed the entry of "+key+" meanwhile: look at bans, and try again")
	x.run(100 * time.Millisecond)
	assert.Contains(t, x.types(1, "bans"), "worse")
	x.on(0, "bans")
	x.on(0, "unban "+key)
	x.run(100 * time.Millisecond)
	assert.NotContains(t, x.types(1, "bans"), key)

	from := [2]int{len(x.said[0]), len(x.said[1])}
	x.on(0, "ban "+key+" 1h one") // both at once
	x.on(1, "ban "+key+" 2h two")
	x.run(200 * time.Millisecond)
	lost := 0
	for i := range 2 {
		if strings.Contains(strings.Join(x.said[i][from[i]:], "\n"), "has changed the entry of "+key) {
			lost++
		}
	}
	assert.Equal(t, 1, lost)
	assert.Equal(t, x.types(0, "bans"), x.types(1, "bans"))
	x.replayAll()
}

// TestRolesOfAHostileMember: whoever writes roles into the fleet becomes nobody by it. Roles count
// up to fleet.trustRoles.
func TestRolesOfAHostileMember(t *testing.T) {
	t.Parallel()
	x := newFleet(t)
	x.run(time.Second)
	roles := func(i int) string {
		x.on(i, `for c in clientGroup:each() do echo("roles", table.concat(c.roles, " ")) end`)
		return x.said[i][len(x.said[i])-1]
	}
	x.world.Put(listOf("roles"), playerKey(t, 1), store.EncodeFields(map[string]string{"name": "Ann", "roles": "admin moderator"}), "evil")
	x.run(100 * time.Millisecond)
	plays, ended := x.tries(1, 1)
	require.True(t, plays, ended)
	assert.Equal(t, "roles\t", roles(1))
	x.on(1, "fleet.trustRoles moderator")
	assert.Equal(t, "roles\tmoderator", roles(1))
	x.on(1, "fleet.trustRoles none")
	assert.Equal(t, "roles\t", roles(1))

	assert.Equal(t, "this holds on this server only: this server does not trust the fleet with the role moderator (fleet.trustRoles)", x.types(0, "role.give "+playerKey(t, 2)+" moderator"))
	x.on(0, "fleet.trustRoles moderator")
	x.on(0, "role.give "+playerKey(t, 3)+" moderator")
	x.run(100 * time.Millisecond)
	assert.NotNil(t, x.world.Value(listOf("roles"), playerKey(t, 3)).Data)
	x.on(1, `fleet.trustRoles "moderator builder"`)
	x.on(1, "role.give "+playerKey(t, 3)+" builder")
	x.run(100 * time.Millisecond)
	fields, err := store.DecodeFields(x.world.Value(listOf("roles"), playerKey(t, 3)).Data)
	require.NoError(t, err)
	assert.Equal(t, "builder moderator", fields["roles"])
	x.on(0, "role.take "+playerKey(t, 3)+" moderator")
	x.run(100 * time.Millisecond)
	x.on(1, "role.take "+playerKey(t, 3)+" builder")
	x.run(100 * time.Millisecond)
	x.world.Put(listOf("roles"), playerKey(t, 5), store.EncodeFields(map[string]string{"roles": strings.TrimSpace(strings.Repeat("a ", 32))}), "evil")
	x.run(100 * time.Millisecond)
	assert.Equal(t, "this holds on this server only: a key has at most 32 roles in the fleet", x.types(1, "role.give "+playerKey(t, 5)+" builder"))
	assert.Nil(t, x.world.Value(listOf("roles"), playerKey(t, 3)).Data)

	x.on(1, "fleet.trustRoles none")
	x.on(1, "sv.allowedOnly true")
	x.world.Put(listOf("allowed"), playerKey(t, 4), store.EncodeFields(nil), "evil")
	x.run(100 * time.Millisecond)
	_, ended = x.tries(4, 1)
	assert.Contains(t, ended, "only players whom the operator has allowed")
	x.on(1, "fleet.trustRoles moderator")
	plays, ended = x.tries(4, 1)
	assert.True(t, plays, ended)
	x.replayAll()
}

// TestListsThatDoNotCount: an empty bucket of lists and an older one lift no ban, also after a new
// start. One with a higher epoch does.
func TestListsThatDoNotCount(t *testing.T) {
	t.Parallel()
	folders := [2]string{t.TempDir(), t.TempDir()}
	x := newFleet(t, saved(folders))
	x.run(time.Second)
	x.on(0, "ban "+playerKey(t, 1))
	x.run(6 * time.Second)
	epoch := x.world.Epoch(bus.Lists)
	x.world.Wipe(bus.Lists, epoch)
	x.run(time.Second)
	_, ended := x.tries(1, 1)
	assert.Contains(t, ended, "banned")
	assert.Equal(t, 1, strings.Count(x.logs[1].String(), "the fleet has lost lists"))
	assert.Equal(t, "this holds on this server only: the fleet has lost its lists (torc fleet restore)", x.types(1, "ban "+playerKey(t, 2)))
	x = x.again(1, folders)
	_, ended = x.tries(1, 1)
	assert.Contains(t, ended, "banned")
	x.world.Wipe(bus.Lists, bus.Epoch{Count: epoch.Count + 1, ID: 9})
	x.run(time.Second)
	plays, ended := x.tries(1, 1)
	assert.True(t, plays, ended)
	x.replays(x.ends(1))
}

// TestFloodOfLists: members that fill the lists without end let the game go on. A ban of another
// server arrives meanwhile, and the journal replays.
func TestFloodOfLists(t *testing.T) {
	t.Parallel()
	rounds := testenv.Length(12, 40)
	for _, floods := range testenv.Every(2, testenv.Crowds) {
		x := newFleet(t)
		x.run(time.Second)
		for n := range rounds {
			for i := range 500 {
				key := fmt.Sprintf("100.%d.%d.%d", n, i/200, i%200)
				x.world.Put(listOf("bans"), key, store.EncodeFields(map[string]string{"reason": "flood"}), fmt.Sprint("flood-", i%floods))
			}
			if n == rounds/2 {
				x.on(0, "ban "+playerKey(t, 1))
			}
			x.run(10 * time.Millisecond)
		}
		x.run(300 * time.Millisecond)
		_, ended := x.tries(1, 1)
		assert.Contains(t, ended, "banned: forever", "%d floods", floods)
		x.replayAll()
	}
}

// TestOverEntriesLeaveTheBucket: one of two servers removes an entry whose time is over from the
// lists of the fleet. One that counts stays.
func TestOverEntriesLeaveTheBucket(t *testing.T) {
	t.Parallel()
	x := newFleet(t)
	x.run(time.Second)
	for key, until := range map[string]string{"10.1.2.3": "1999-12-31T12:00:00Z", "10.1.2.4": "2199-12-31T12:00:00Z"} { // any order: both are there
		x.world.Put(listOf("bans"), key, store.EncodeFields(map[string]string{"until": until}), "a server that has left")
	}
	x.run(40 * time.Second)
	gone := x.world.Value(listOf("bans"), "10.1.2.3")
	assert.Nil(t, gone.Data)
	assert.Equal(t, "arena-2", gone.Owner, "the first one by name")
	assert.NotNil(t, x.world.Value(listOf("bans"), "10.1.2.4").Data)
	x.replayAll()
}
