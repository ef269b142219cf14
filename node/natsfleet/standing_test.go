package natsfleet

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/natstest"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// TestOverwrittenEntryStands: a member without the right to write the lists lets NATS put its
// answers over a ban, once with bytes and once without. The ban stands, also after NATS was away,
// and can be written again and removed.
func TestOverwrittenEntryStands(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{Users: block(t, "authorization {")})
	as := func(user string) Config {
		return Config{URLs: []string{strings.Replace(c.URLs[0], "//", "//"+user+"@", 1)}}
	}
	bans := bus.Group{Bucket: bus.Lists, Name: "bans"}
	admin := join(t, as("admin:change%20me"), "admin").follow(bans).follow(coins)
	rev := admin.must(bans, set("key", "for ever", 0))[0]
	admin.until("has read the ban", func() bool { return admin.text(bans, "key") == "for ever" })
	evil := join(t, as("arena-1:change%20me%20too"), "arena-1").bus.(*fleetBus).nc
	ban, mine := keys{"torc_lists"}.value("bans", "key"), keys{"torc_shared"}.value("coins", "mine")
	first := message(mine, content{owner: "admin"}.encode())
	first.Header.Set("Nats-Batch-Id", "evil")
	first.Header.Set("Nats-Batch-Sequence", "1")
	for _, m := range []*nats.Msg{first, message(mine, content{owner: "admin"}.encode())} {
		m.Reply = ban
		require.NoError(t, evil.PublishMsg(m))
		before := rev
		admin.until("hears of the answer", func() bool { rev = admin.values[bans]["key"].Rev; return rev > before })
		assert.Equal(t, "for ever", admin.text(bans, "key"))
		assert.Equal(t, "admin", admin.values[bans]["key"].Owner)
	}
	admin.until("warns", func() bool { return strings.Contains(strings.Join(admin.warned, "\n"), "write the entry again") })
	delete(admin.loaded, bans)
	c.Nodes[0].Kill()
	c.Nodes[0].Start()
	c.Nodes[0].WaitHealthy()
	admin.until("has read the list again", func() bool { return admin.loaded[bans] != nil })
	assert.Equal(t, "for ever", admin.text(bans, "key"))

	rev = admin.must(bans, set("key", "for ever", rev))[0]
	fresh := join(t, as("admin:change%20me"), "look").follow(bans)
	assert.Equal(t, "for ever", fresh.text(bans, "key"))
	admin.must(bans, bus.Write{Key: "key", Base: rev})
	fresh.until("sees that it is removed", func() bool { return fresh.values[bans]["key"].Data == nil })
}
