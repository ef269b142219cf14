package natsfleet

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/natstest"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// warns waits until the operator is told a sentence with a text.
func (m *member) warns(text string) {
	m.t.Helper()
	m.until("warns: "+text, func() bool {
		for _, w := range m.warned {
			if strings.Contains(w, text) {
				return true
			}
		}
		return false
	})
}

// TestNATSIsAbsentAtTheStart is F6: a server starts alone, and joins when NATS comes.
func TestNATSIsAbsentAtTheStart(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	c.Nodes[0].Kill()
	a := join(t, config(c), "arena-1")
	a.warns("no NATS server of the fleet answers")
	assert.False(t, a.line.Up)
	a.bus.Do(bus.Follow{Group: coins})
	a.bus.Do(bus.Ask{To: "arena-2", Number: 1, Note: note("seat", "")})
	a.until("is told at once", func() bool { _, ok := a.replies[1]; return ok })
	assert.Equal(t, "the fleet is not reached", a.replies[1].Err)
	c.Nodes[0].Start()
	a.until("is loaded", func() bool { return a.loaded[coins] != nil })
	assert.True(t, a.line.Up)
	rev := a.must(coins, set("n", "1", 0))[0]

	// NATS goes and comes back. The server writes the orders of that time afterwards, and loads all
	// values anew.
	c.Nodes[0].Kill()
	a.until("sees the line go", func() bool { return !a.line.Up })
	n := a.commit(coins, set("n", "2", rev))
	a.loaded[coins] = nil
	c.Nodes[0].Start()
	assert.Empty(t, a.outcome(n).Err)
	a.until("is loaded again", func() bool { return a.loaded[coins] != nil })
	a.until("sees its value", func() bool { return a.text(coins, "n") == "2" })
}

// TestAWipedNATSIsRefusedUntilItIsRestored is the rest of F6.
func TestAWipedNATSIsRefusedUntilItIsRestored(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	a := join(t, config(c), "arena-1").follow(coins)
	base := a.must(coins, set("ann", "1", 0), set("bob", "2", 0))[0]
	lived := *a.loaded[coins]
	c.Nodes[0].Kill()
	c.Nodes[0].Wipe()
	late := a.commit(coins, set("ann", "9", base))
	a.loaded[coins] = nil
	c.Nodes[0].Start()
	a.warns("torc_shared: the bucket is empty, although this server has seen values in it: run torc fleet restore")
	assert.Nil(t, a.loaded[coins], "nothing is loaded")
	assert.NotContains(t, a.outcomes, late)

	// A server that starts now knows nothing of it, and makes another life of the bucket.
	b := join(t, config(c), "arena-2").follow(coins)
	assert.NotEqual(t, lived.Epoch, b.loaded[coins].Epoch)
	a.warns("torc_shared: the bucket is not the one that this server has seen: run torc fleet restore")
	b.must(coins, set("cat", "3", 0))
	values := map[string][]bus.Value{"coins": {{Key: "ann", Data: []byte("1"), Owner: "arena-1"}, {Key: "bob", Data: []byte("2"), Owner: "arena-1"}}}
	restore := func() error { return config(c).Restore(context.Background(), bus.Shared, lived.Epoch, values) }
	require.EqualError(t, restore(), "torc_shared has 1 keys: it must have no values")
	require.NoError(t, request(context.Background(), b.bus.(*fleetBus).nc, "STREAM.PURGE.KV_torc_shared", map[string]string{"filter": "$KV.torc_shared.coins.*"}, &struct{}{}))
	require.NoError(t, restore())
	for _, m := range []*member{a, b} {
		m.until("has the restored values", func() bool {
			m.take()
			return m.loaded[coins] != nil && m.loaded[coins].Epoch.Count == lived.Epoch.Count+1
		})
		assert.Len(t, m.values[coins], 2)
		assert.Equal(t, "1", m.text(coins, "ann"))
	}
	assert.True(t, a.outcome(late).Conflict, "what was not answered before ends as a conflict")
	a.must(coins, set("ann", "5", a.values[coins]["ann"].Rev))
	b.until("sees it", func() bool { return b.text(coins, "ann") == "5" })
	require.EqualError(t, restore(), "torc_shared has 2 keys: it must have no values")
}

// TestRestoreLooksAtManyKeys: a bucket with more keys than NATS names in an answer is not empty.
func TestRestoreLooksAtManyKeys(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	a := join(t, config(c), "arena-1").follow(coins)
	const batches = 4
	for batch := range batches {
		var list []bus.Write
		for i := range bus.MaxWrites {
			list = append(list, set(fmt.Sprintf("%0250d", batch*bus.MaxWrites+i), "1", 0))
		}
		a.must(coins, list...)
	}
	err := config(c).Restore(t.Context(), bus.Shared, a.loaded[coins].Epoch, nil)
	require.ErrorIs(t, err, bus.ErrNotEmpty)
	require.EqualError(t, err, fmt.Sprintf("torc_shared has %d keys: it must have no values", batches*bus.MaxWrites))
}

// TestAnOlderCopyIsRefused: a NATS that has come back from an old backup would take back what was
// acknowledged. A server that was started anew knows that too, and goes on when the values are
// there: a new leader of NATS can lag behind for seconds.
func TestAnOlderCopyIsRefused(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	a := join(t, config(c), "arena-1").follow(coins)
	folder := t.TempDir()
	keep := func(name string) {
		c.Nodes[0].Kill()
		require.NoError(t, os.CopyFS(filepath.Join(folder, name), os.DirFS(c.Nodes[0].Data)))
		c.Nodes[0].Start()
	}
	bring := func(name string) {
		c.Nodes[0].Kill()
		a.until("sees the line go", func() bool { return !a.line.Up }) // takes what has come since
		c.Nodes[0].Wipe()
		require.NoError(t, os.CopyFS(c.Nodes[0].Data, os.DirFS(filepath.Join(folder, name))))
		a.loaded[coins] = nil
		c.Nodes[0].Start()
	}
	rev := a.must(coins, set("n", "1", 0))[0]
	keep("old")
	life := bus.Follow{Group: coins, Epoch: a.loaded[coins].Epoch, Newest: a.must(coins, set("n", "2", rev))[0]}
	keep("new")
	bring("old")
	anew := join(t, config(c), "arena-2")
	anew.bus.Do(life)
	for _, m := range []*member{anew, a} {
		m.until("is told", func() bool {
			require.Nil(t, m.loaded[coins])
			return slices.Contains(m.warned, "torc_shared: the bucket is an older copy of what this server has seen: run torc fleet restore")
		})
	}
	bring("new")
	for _, m := range []*member{a, anew} {
		m.until("has the newest value", func() bool { return m.loaded[coins] != nil && m.text(coins, "n") == "2" })
	}
}

// TestAGroupThatIsFollowedLater: values of a mod that is loaded later do not look like an older
// copy, although the newest of them is older than what others have written.
func TestAGroupThatIsFollowedLater(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	late := bus.Group{Bucket: bus.Shared, Name: "late"}
	join(t, config(c), "arena-2").follow(late).must(late, set("n", "1", 0))
	a := join(t, config(c), "arena-1").follow(coins)
	rev := a.must(coins, set("n", "1", 0))[0]
	a.follow(late)
	assert.GreaterOrEqual(t, a.loaded[late].Last, rev)
}

// TestAWipedNATSIsRefusedAfterANewStart: a server that has values of an earlier run makes no empty
// bucket.
func TestAWipedNATSIsRefusedAfterANewStart(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	a := join(t, config(c), "arena-1")
	a.bus.Do(bus.Follow{Group: coins, Epoch: bus.Epoch{Count: 1, ID: 5}, Newest: 8})
	a.until("is told", func() bool {
		require.Nil(t, a.loaded[coins])
		return len(a.warned) > 0
	})
	a.warns("torc_shared: the bucket is empty, although this server has seen values in it: run torc fleet restore")
}

// TestMaxFileFailsAtOnce is F5 with the max_file of an account: the put fails with the reason, and
// reads go on. The max_file of the whole node is no such limit: NATS then does not answer an atomic
// batch.
func TestMaxFileFailsAtOnce(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{Users: "accounts { TORC { jetstream: { max_mem: 16M, max_file: 8M }, users: [{ user: torc, password: pw }] } }"})
	as := Config{URLs: []string{strings.Replace(c.URLs[0], "//", "//torc:pw@", 1)}}
	a := join(t, as, "arena-1").follow(coins)
	big := strings.Repeat("x", 500<<10)
	var out bus.Outcome
	kept := 0
	for i := 0; out.Err == ""; i++ {
		if out = a.outcome(a.commit(coins, set(strconv.Itoa(i), big, 0))); out.Err == "" {
			kept++
		}
	}
	assert.Regexp(t, "^the fleet does not store the value: ", out.Err)
	t.Logf("%d values of 500 KiB in 8 MB, then: %s", kept, out.Err)
	late := join(t, as, "arena-2").follow(coins)
	assert.Len(t, late.values[coins], kept)
}

// TestTheFleetSaysHowDurableItIs reads sync_interval where the account may.
func TestTheFleetSaysHowDurableItIs(t *testing.T) {
	t.Parallel()
	users := `accounts {
	SYS { users: [{ user: admin, password: pw }], exports: [{ service: "$SYS.REQ.SERVER.PING.VARZ", response_type: stream, response_threshold: 2s }] }
	TORC { jetstream: enabled, users: [{ user: torc, password: pw }], imports: [{ service: { account: SYS, subject: "$SYS.REQ.SERVER.PING.VARZ" } }] }
}
system_account: SYS`
	for sync, want := range map[string]string{"always": "always", "2m": "2m0s"} {
		c := natstest.New(t, natstest.Options{Sync: sync, Users: users})
		a := join(t, Config{URLs: []string{strings.Replace(c.URLs[0], "//", "//torc:pw@", 1)}}, "arena-1")
		a.until("knows it", func() bool { a.take(); return a.line.Sync == want })
		if sync != "always" {
			a.warns("a power failure loses acknowledged values. Set sync_interval: always")
		}
	}
}

// TestWrongCredentials: the server plays on, and says why it is alone.
func TestWrongCredentials(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{Users: "authorization { user: torc, password: pw }"})
	a := join(t, Config{URLs: []string{strings.Replace(c.URLs[0], "//", "//torc:wrong@", 1)}}, "arena-1")
	a.warns("NATS refuses the credentials of this server")
	assert.False(t, a.line.Up)
}

// TestAStoppedNATSHoldsUpNobody: orders and news cost the loop nothing, and the end takes what it
// was given.
func TestAStoppedNATSHoldsUpNobody(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	a := join(t, config(c), "arena-1").follow(coins)
	c.Nodes[0].Signal(syscall.SIGSTOP)
	defer c.Nodes[0].Signal(syscall.SIGCONT)
	value := strings.Repeat("x", bus.MaxNote)
	for i := range 5000 {
		a.present(bus.Server{Players: i})
		a.bus.Do(bus.Send{Note: note("x", value)})
		a.commit(coins, set("n", value, 0))
		a.take()
	}
	began := time.Now()
	require.ErrorContains(t, a.bus.Close(time.Second), "batches of values have not reached the fleet")
	assert.Less(t, time.Since(began), 10*time.Second)
	a.bus.Do(bus.Send{Note: note("x", value)})
	require.NoError(t, a.bus.Close(time.Second), "the second end is none")
}

// TestForeignData: whatever another program writes into the buckets is counted and named, and a
// server can write over it.
func TestForeignData(t *testing.T) {
	t.Parallel()
	c := natstest.New(t, natstest.Options{})
	a, b := join(t, config(c), "arena-1").follow(coins), join(t, config(c), "arena-2").follow(coins)
	a.must(coins, set("n", "1", 0), set("m", "1", 0))
	ctx, nc := context.Background(), b.bus.(*fleetBus).nc
	k := keys{"torc_shared"}
	for subject, data := range map[string]string{
		k.value("coins", "n"): "not torc", k.subject("coins.###"): "x", k.subject("coins.a.b"): "x", k.subject("other"): "x",
		"$KV.torc_servers.Big": "x", "$KV.torc_servers.arena-9": "\x01\x00 cut", "$KV.torc_servers.a.b": "x",
	} {
		_, err := publish(ctx, nc, message(subject, []byte(data)))
		require.NoError(t, err)
	}
	require.NoError(t, nc.Publish("torc.from.arena-2.all", []byte("x")))
	require.NoError(t, nc.Publish("torc.from.", []byte("x")))
	a.warns("the value of a key of the group coins that torc has not written")
	a.warns("a key of the group coins that torc has not written")
	a.warns("the presence of a server that torc has not written")
	a.warns("messages of ")
	assert.Empty(t, a.text(coins, "n"))
	late := join(t, config(c), "arena-3").follow(coins)
	assert.Len(t, late.values[coins], 1)
	late.must(coins, set("n", "2", 0))
	a.until("sees it", func() bool { return a.text(coins, "n") == "2" })

	// The record of the epoch is gone: nobody takes the bucket.
	_, err := publish(ctx, nc, message(k.subject(epochKey), []byte("not torc")))
	require.NoError(t, err)
	a.warns("torc_shared: not written by torc, or by a newer one")
}

// TestTLS: the certificate of NATS is checked, and a connection without one needs a flag.
func TestTLS(t *testing.T) {
	t.Parallel()
	cert, key, roots := certificate(t)
	c := natstest.New(t, natstest.Options{More: "tls { cert_file: \"" + cert + "\", key_file: \"" + key + "\" }"})
	url := strings.Replace(c.URLs[0], "nats://", "tls://", 1)
	a := join(t, Config{URLs: []string{url}, Roots: roots}, "arena-1").follow(coins)
	a.must(coins, set("n", "1", 0))
	b := join(t, Config{URLs: []string{url}}, "arena-2")
	b.warns("the connection to the fleet is not secure")
	assert.False(t, b.line.Up)
}

// TestWrongSettings: a bucket of one replica on three nodes is told, with the command that mends
// it.
func TestWrongSettings(t *testing.T) {
	k := keys{"torc_shared"}
	good := k.settings(3)
	assert.Empty(t, good.check(good))
	for want, change := range map[string]func(*settings){
		"the bucket KV_torc_shared has 1 replica of 3: run nats stream edit KV_torc_shared --replicas 3":                    func(s *settings) { s.Replicas = 1 },
		"the bucket KV_torc_shared takes no atomic batches: run nats stream edit KV_torc_shared --allow-batch":              func(s *settings) { s.Atomic = false },
		"the bucket KV_torc_shared forgets values after 1m0s: run nats stream edit KV_torc_shared --max-age 0s":             func(s *settings) { s.MaxAge = time.Minute },
		"the bucket KV_torc_shared keeps 5 messages of a key: run nats stream edit KV_torc_shared --max-msgs-per-subject 1": func(s *settings) { s.Latest = 5 },
		"the bucket KV_torc_shared is stored in the wrong place (memory): back it up, remove it, and restore it":            func(s *settings) { s.Storage = inMemory },
	} {
		is := good
		change(&is)
		assert.Equal(t, want, good.check(is))
	}
}

// TestConfigs lists what cannot be a fleet.
func TestConfigs(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "creds")
	require.NoError(t, os.WriteFile(secret, nil, 0o644))
	for want, c := range map[string]Config{
		"a fleet needs 1 to 32 URLs of NATS servers, not 0":                                             {},
		`"A" is not a prefix of a fleet: 1 to 32 of a-z, 0-9 and -`:                                     {URLs: []string{"nats://127.0.0.1:1"}, Prefix: "A"},
		"http://127.0.0.1:1 must begin with nats:// or tls://":                                          {URLs: []string{"http://127.0.0.1:1"}},
		"***@127.0.0.1:1/x must be nats://HOST:PORT or tls://HOST:PORT":                                 {URLs: []string{"nats://u:p@127.0.0.1:1/x"}},
		"either all URLs of a fleet begin with tls://, or none":                                         {URLs: []string{"nats://127.0.0.1:1", "tls://127.0.0.1:2"}},
		secret + " can be read by other users: run chmod 600 " + secret:                                 {URLs: []string{"nats://localhost:1"}, Creds: secret},
		"the credentials of the fleet: stat /none/creds: no such file or directory":                     {URLs: []string{"nats://[::1]:1"}, Creds: "/none/creds"},
		"nats://192.0.2.1:1 encrypts nothing: use tls://, or --fleet-plain in a network that you trust": {URLs: []string{"nats://u:p@192.0.2.1:1"}},
	} {
		require.EqualError(t, c.Check(), want)
	}
	require.NoError(t, Config{URLs: []string{"nats://192.0.2.1:1"}, Plain: true}.Check())
	require.NoError(t, Config{URLs: []string{"tls://192.0.2.1:1"}}.Check())
}

// pool returns certificates that are believed.
func pool(t *testing.T, cert []byte) *x509.CertPool {
	p := x509.NewCertPool()
	require.True(t, p.AppendCertsFromPEM(cert))
	return p
}

func write(t *testing.T, name, kind string, der []byte) (path string, text []byte) {
	text = pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	path = filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path, text
}
