package natsfleet

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/natstest"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// block returns the block of docs/fleet.md that begins with a line.
func block(t *testing.T, line string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/fleet.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(page), "```\n"+line)
	require.True(t, found, line)
	text, _, _ := strings.Cut(rest, "```")
	return line + text
}

// TestConfigurationsOfThePage: nats-server takes the configurations of one node and of three.
func TestConfigurationsOfThePage(t *testing.T) {
	program := natstest.Program(t)
	for _, line := range []string{`listen: "127.0.0.1:4222"`, "server_name: n1"} {
		file := filepath.Join(t.TempDir(), "nats.conf")
		require.NoError(t, os.WriteFile(file, []byte(block(t, line)), 0o600))
		out, err := exec.Command(program, "-t", "-c", file).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

// TestPermissionsOfThePage: with them, a game server does all that it must, cannot write the lists,
// cannot speak or be present under another name, cannot remove a bucket, and does not hear the
// answers to other servers.
func TestPermissionsOfThePage(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{Users: block(t, "authorization {")})
	as := func(user string) Config {
		return Config{URLs: []string{strings.Replace(c.URLs[0], "//", "//"+user+"@", 1)}}
	}
	bans := bus.Group{Bucket: bus.Lists, Name: "bans"}
	admin := join(t, as("admin:change%20me"), "admin").follow(bans).follow(coins)
	game := join(t, as("arena-1:change%20me%20too"), "arena-1").follow(coins).follow(bans)
	meet(admin, game)
	game.must(coins, set("ann", "1", 0))
	out := game.outcome(game.commit(bans, set("key", "for ever", 0)))
	assert.Equal(t, "NATS does not let this server write to torc_lists", out.Err)
	admin.must(bans, set("key", "for ever", 0))
	game.until("sees the ban", func() bool { return game.text(bans, "key") == "for ever" })
	game.bus.Do(bus.Send{Note: note("hello", "all")})
	admin.until("hears it", func() bool { return len(admin.messages) == 1 })
	admin.bus.Do(bus.Ask{To: "arena-1", Number: 1, Note: note("seat", "")})
	game.until("is asked", func() bool { return len(game.messages) == 1 })
	game.bus.Do(bus.Answer{To: "admin", Number: 1, Value: []byte("yes")})
	admin.until("has the answer", func() bool { return string(admin.replies[1].Value) == "yes" })

	nc := game.bus.(*fleetBus).nc
	pose := sign{Server: bus.Server{Name: "admin", Key: seal.Key{1}}}
	for _, m := range []string{"$KV.torc_servers.admin", "torc.from.admin.all"} {
		require.NoError(t, nc.Publish(m, pose.encode()))
	}
	for _, call := range []string{"STREAM.DELETE.KV_torc_shared", "STREAM.PURGE.KV_torc_lists", "STREAM.UPDATE.KV_torc_lists", "STREAM.SNAPSHOT.KV_torc_lists"} {
		require.NoError(t, nc.Publish("$JS.API."+call, []byte(`{}`)))
	}
	rolls := message("$KV.torc_shared.coins.x", nil)
	rolls.Header.Set("Nats-Rollup", "all")
	require.NoError(t, nc.PublishMsg(rolls))
	overhear, err := nc.SubscribeSync("_INBOX.>")
	require.NoError(t, err)
	forge(t, nc)
	game.must(coins, set("bob", "1", 0)) // all of that has come to NATS
	admin.must(coins, set("eve", "1", 0))
	fresh := join(t, as("admin:change%20me"), "look").follow(bans).follow(coins)
	assert.Len(t, fresh.values[bans], 1)
	assert.Equal(t, "for ever", fresh.text(bans, "key"))
	assert.Len(t, fresh.values[coins], 4)
	admin.take()
	assert.Len(t, admin.messages, 1)
	heard, _, err := overhear.Pending()
	require.NoError(t, err)
	assert.Zero(t, heard, "answers to other servers")
}

// forge lets NATS itself write what this member must not: NATS asks no permission for the subject
// of an answer, nor for that of a repetition.
func forge(t *testing.T, nc *nats.Conn) {
	forged := content{owner: "admin", data: []byte("forged")}.encode()
	mine, list := keys{"torc_shared"}.value("coins", "mine"), keys{"torc_lists"}
	require.NoError(t, nc.Publish(mine, forged))
	for n, to := range []string{list.value("bans", "key"), list.value("bans", "forged"), "torc.from.admin.all", "$KV.torc_servers.admin"} {
		name := fmt.Sprint("FORGE", n)
		stream := fmt.Sprintf(`{"name":%q,"subjects":["torc.from.arena-1.%s"],"storage":"memory","republish":{"src":"torc.from.arena-1.%s","dest":%q}}`, name, name, name, to)
		reader := fmt.Sprintf(`{"stream_name":"KV_torc_shared","config":{"name":%q,"filter_subject":%q,"deliver_policy":"last_per_subject","ack_policy":"none"}}`, name, mine)
		pushing := fmt.Sprintf(`{"stream_name":"KV_torc_shared","config":{"name":"PUSH%s","deliver_subject":%q,"filter_subject":%q,"deliver_policy":"last_per_subject","ack_policy":"none"}}`, name, to, mine)
		for _, m := range []*nats.Msg{
			{Subject: "$JS.API.STREAM.CREATE." + name, Data: []byte(stream)},
			{Subject: "torc.from.arena-1." + name, Data: forged},
			{Subject: "$JS.API.DIRECT.GET.KV_torc_shared." + mine, Reply: to},
			{Subject: "$JS.API.CONSUMER.CREATE.KV_torc_shared." + name, Data: []byte(reader)},
			{Subject: "$JS.API.CONSUMER.MSG.NEXT.KV_torc_shared." + name, Reply: to, Data: []byte(`{"batch":1,"no_wait":true}`)},
			{Subject: "$JS.API.CONSUMER.CREATE.KV_torc_shared.PUSH" + name, Data: []byte(pushing)},
		} {
			require.NoError(t, nc.PublishMsg(m))
		}
	}
}
