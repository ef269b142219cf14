package serverlist

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/query"
	"github.com/torc-engine/torc/netcore/seal"
)

func udp(address string) netcore.Addr { return netcore.UDPAddr(netip.MustParseAddrPort(address)) }

var listAddress = udp("203.0.113.1:28000")

// town is a list, and the servers that it asks.
type town struct {
	*List
	now     netcore.Time
	servers map[netcore.Addr]*fake
	sent    map[netcore.Addr]int
}

// fake is a server.
type fake struct {
	*query.Responder
	key    seal.Key // that it has registered
	info   query.Info
	silent bool
}

func newTown(cfg Config) *town {
	cfg.Entropy, cfg.Via = rand.Reader, ":28000"
	return &town{List: New(cfg), servers: map[netcore.Addr]*fake{}, sent: map[netcore.Addr]int{}}
}

// add adds a server that is registered.
func (w *town) add(at string, info query.Info) *fake {
	f := &fake{Responder: query.NewResponder(rand.Reader), key: info.Key, info: info}
	w.servers[udp(at)] = f
	w.Heard(w.now, info.Key, udp(at), true)
	return f
}

// run lets time pass in steps of 100 ms.
func (w *town) run(d time.Duration) {
	for end := w.now + d; w.now < end; w.now += 100 * time.Millisecond {
		var answers []func()
		w.Send(w.now, func(to netcore.Addr, b []byte) {
			w.sent[to]++
			if f := w.servers[to]; f != nil && !f.silent {
				if b := f.Answer(w.now, listAddress, b, func() query.Info { return f.info }); b != nil {
					b = bytes.Clone(b)
					answers = append(answers, func() { w.Receive(w.now, to, b) })
				}
			}
		})
		for _, answer := range answers {
			answer()
		}
	}
}

// stay lets time pass while all servers stay registered.
func (w *town) stay(d time.Duration) {
	for ; d > 0; d -= 5 * time.Second {
		for at, f := range w.servers { // any order
			w.Heard(w.now, f.key, at, true)
		}
		w.run(min(d, 5*time.Second))
	}
}

func (w *town) only(t *testing.T) Entry {
	t.Helper()
	all := w.Entries(w.now)
	require.Len(t, all, 1)
	return all[0]
}

// TestServerComesAndGoes: a server is listed when it has answered, at most 3 s after its
// registration, and it is gone when the registration ends.
func TestServerComesAndGoes(t *testing.T) {
	w := newTown(Config{Began: 1_800_000_000})
	assert.Equal(t, "[]\n", string(JSON(w.Entries(w.now))))
	w.add("192.0.2.1:28000", query.Info{
		Version: 10, Key: seal.Key{1}, Password: true, Players: 3, Bots: 2, MaxPlayers: 16, Name: "Älpha", Mission: "valley",
		ModCount: 1, Mods: []query.Mod{{Name: "ctf", Version: "1"}}, Web: "https://:8443",
	})
	assert.Empty(t, w.Entries(w.now), "nobody has asked it")
	w.run(time.Second)
	e := w.only(t)
	assert.Equal(t, Entry{
		Key: seal.Key{1}, Address: netip.MustParseAddrPort("192.0.2.1:28000"), Via: ":28000", Name: "Älpha", Mission: "valley", Players: 3, Bots: 2,
		Max: 16, Password: true, Mods: []string{"ctf"}, Protocol: 10, Web: "https://192.0.2.1:8443", Seen: 1_800_000_000,
	}, e)
	assert.JSONEq(t, `[{"key": "`+seal.Key{1}.String()+`", "address": "192.0.2.1:28000", "via": ":28000", "name": "Älpha", "mission": "valley", "players": 3,
		"bots": 2, "max": 16, "password": true, "mods": ["ctf"], "protocol": 10, "web": "https://192.0.2.1:8443", "seen": 1800000000}]`, string(JSON([]Entry{e})))
	w.run(28 * time.Second)
	w.only(t)
	w.run(2 * time.Second)
	assert.Empty(t, w.Entries(w.now))
	w.Heard(w.now, seal.Key{1}, udp("192.0.2.1:28000"), true)
	w.run(time.Second)
	w.Heard(w.now, seal.Key{1}, udp("192.0.2.1:28000"), false)
	assert.Empty(t, w.Entries(w.now), "the operator has set sv.public to false")
	assert.Zero(t, w.Servers())
	assert.Empty(t, w.queue)
}

// TestSilentServersStay: a query without an answer marks the numbers as old. It is repeated each
// minute, with few packets.
func TestSilentServersStay(t *testing.T) {
	w := newTown(Config{})
	f := w.add("192.0.2.1:28000", query.Info{Key: seal.Key{1}, Name: "x", Players: 5})
	w.stay(50 * time.Second)
	assert.Equal(t, 2, w.sent[udp("192.0.2.1:28000")], "one query")
	f.silent, f.info.Players = true, 9
	w.stay(30 * time.Second)
	e := w.only(t)
	assert.True(t, e.Old)
	assert.Equal(t, 5, e.Players)
	w.sent = map[netcore.Addr]int{}
	w.stay(2 * time.Minute)
	assert.LessOrEqual(t, w.sent[udp("192.0.2.1:28000")], 2*8)
	assert.True(t, w.only(t).Old)
	f.silent = false
	w.stay(time.Minute)
	e = w.only(t)
	assert.False(t, e.Old)
	assert.Equal(t, 9, e.Players)

	never := w.add("192.0.2.2:28000", query.Info{Key: seal.Key{2}})
	never.silent = true
	w.stay(time.Minute)
	w.only(t) // what has never answered is not listed
}

// TestOnlyProvenAddressesAreAsked: the list sends nothing but queries, only to addresses that have
// registered, and believes only their answers and their keys.
func TestOnlyProvenAddressesAreAsked(t *testing.T) {
	w := newTown(Config{})
	w.add("192.0.2.1:28000", query.Info{Key: seal.Key{1}, Name: "honest"})
	w.add("192.0.2.2:28000", query.Info{Key: seal.Key{2}, Name: "thief"}).info.Key = seal.Key{1} // claims the key of the first
	victim := udp("198.51.100.7:53")
	for range 1000 {
		w.Receive(w.now, victim, []byte{0xE4, 1, 2, 3})
		w.Receive(w.now, victim, append([]byte{0xE4, 1}, make([]byte, 32)...))
	}
	w.stay(2 * time.Minute)
	assert.Equal(t, "honest", w.only(t).Name)
	assert.Len(t, w.sent, 2)
	assert.Zero(t, w.sent[victim])
}

// TestTwoKeysOfOneAddress: they are asked one after the other.
func TestTwoKeysOfOneAddress(t *testing.T) {
	w := newTown(Config{})
	w.add("192.0.2.1:28000", query.Info{Key: seal.Key{1}, Name: "one"})
	w.Heard(w.now, seal.Key{2}, udp("192.0.2.1:28000"), true)
	w.run(20 * time.Second)
	assert.Equal(t, "one", w.only(t).Name)
	assert.Equal(t, 2, w.Servers())
}

// TestNamesAreHarmless: a name is one line of at most 64 characters without anything invisible.
// JSON keeps markup as text.
func TestNamesAreHarmless(t *testing.T) {
	w := newTown(Config{})
	bad := "<script>alert(1)</script>\x1b[2J\u202e\u200b\xff\n" + strings.Repeat("ä", 40)
	w.add("192.0.2.1:28000", query.Info{Key: seal.Key{1}, Name: bad, Mission: bad, ModCount: 1, Mods: []query.Mod{{Name: bad}}})
	w.run(time.Second)
	e := w.only(t)
	for _, text := range append(e.Mods, e.Name, e.Mission) {
		assert.LessOrEqual(t, utf8.RuneCountInString(text), maxName)
		assert.True(t, utf8.ValidString(text))
		assert.NotContains(t, text, "\u202e")
		for _, r := range text {
			assert.Greater(t, r, ' '-1)
		}
	}
	assert.NotContains(t, string(JSON([]Entry{e})), "<script>")
}

// TestOrderOfList: servers are sorted by people, of whom 64 count, then by their time in the list.
// Bots do not count, and inventing more people than 64 gains nothing.
func TestOrderOfList(t *testing.T) {
	w := newTown(Config{})
	for i, info := range []query.Info{
		{Name: "empty"}, {Name: "64", Players: 64}, {Name: "liar", Players: 60_000}, {Name: "bots", Bots: 100}, {Name: "two", Players: 2},
	} {
		info.Key = seal.Key{byte(9 - i)}
		w.add(fmt.Sprintf("192.0.2.%d:28000", i+1), info)
		w.run(time.Second)
	}
	var names []string
	for _, e := range w.Entries(w.now) {
		names = append(names, e.Name)
	}
	assert.Equal(t, []string{"64", "liar", "two", "empty", "bots"}, names)
}

// TestLinksLeadToTheServer: a link is shown if its host is an address of the server, or a name that
// resolves to one.
func TestLinksLeadToTheServer(t *testing.T) {
	asked := 0
	names := map[string][]netip.Addr{
		"own.example.org":   {netip.MustParseAddr("198.51.100.1"), netip.MustParseAddr("192.0.2.1")},
		"other.example.org": {netip.MustParseAddr("198.51.100.1")},
	}
	w := newTown(Config{Resolve: func(at netip.Addr, host string, done func([]netip.Addr)) bool {
		asked++
		assert.Equal(t, netip.MustParseAddr("192.0.2.1"), at)
		done(names[host])
		return false
	}})
	f := w.add("192.0.2.1:28000", query.Info{Key: seal.Key{1}})
	for web, want := range map[string]string{
		"":                                 "",
		"http://:28000":                    "http://192.0.2.1:28000",
		"https://":                         "https://192.0.2.1",
		"http://192.0.2.1":                 "http://192.0.2.1",
		"http://[::ffff:192.0.2.1]:80":     "http://[::ffff:192.0.2.1]:80",
		"http://192.0.2.2:28000":           "",
		"https://own.example.org":          "https://own.example.org",
		"https://Own.example.org:8443/":    "https://own.example.org:8443",
		"https://other.example.org":        "",
		"https://nobody.example.org":       "",
		"https://own.example.org/path":     "",
		"https://own.example.org/s/a-1/":   "https://own.example.org/s/a-1",
		"https://own.example.org/s/A":      "",
		"https://own.example.org/s/a/b":    "",
		"https://own.example.org/s/..":     "",
		"https://own.example.org?x":        "",
		"https://user@own.example.org":     "",
		"https://own.example.org#x":        "",
		"javascript:alert(1)":              "",
		"javascript://own.example.org/%0a": "",
		"https://localhost":                "",
		"https://own.example.org:0":        "",
		"https://own.example.org:99999":    "",
		"https://own_example.org":          "",
		"ws://own.example.org":             "",
		"https://own.example.org\"><b>":    "",
	} {
		f.info.Web = web
		w.stay(65 * time.Second)
		assert.Equal(t, want, w.only(t).Web, web)
	}
	f.info.Web = "https://own.example.org"
	w.stay(65 * time.Second)
	asked = 0
	w.stay(5 * time.Minute)
	assert.Zero(t, asked, "a name is looked up again after ten minutes")
	names["own.example.org"] = nil
	w.stay(10 * time.Minute)
	assert.Empty(t, w.only(t).Web)
}

// TestHiddenServers: hidden servers are not shown, and shown again at once.
func TestHiddenServers(t *testing.T) {
	hidden := true
	w := newTown(Config{Hidden: func(key seal.Key, at netip.Addr) bool {
		return hidden && key == (seal.Key{1}) && at == netip.MustParseAddr("192.0.2.1")
	}})
	w.add("192.0.2.1:28000", query.Info{Key: seal.Key{1}})
	w.add("192.0.2.1:28001", query.Info{Key: seal.Key{2}})
	w.run(time.Second)
	assert.Equal(t, seal.Key{2}, w.only(t).Key)
	hidden = false
	assert.Len(t, w.Entries(w.now), 2)
}

// TestEntriesAreShort: no server takes more than 300 bytes of the file, whatever it says.
func TestEntriesAreShort(t *testing.T) {
	long := Entry{
		Key: seal.Key{1}, Address: netip.MustParseAddrPort("[2001:db8:1111:2222:3333:4444:5555:6666]:28000"),
		Name: strings.Repeat("\U0001F600", maxName), Mission: strings.Repeat("<", maxMission), Players: 65535, Bots: 65535, Max: 65535, Password: true,
		Protocol: 1<<32 - 1, Web: "https://" + strings.Repeat("w", maxHost-4) + ".org:28000", Draining: true, Seen: 1 << 40, Old: true,
	}
	for range maxMods {
		long.Mods = append(long.Mods, strings.Repeat("m", maxMission))
	}
	for _, host := range []string{"", "a.list.example.org", strings.Repeat("v", maxHost-4) + ".org"} {
		long.Via = host + ":28000"
		require.True(t, ValidVia(long.Via))
		b := long.appendJSON(nil)
		assert.LessOrEqual(t, len(b), maxEntry)
		all, err := Parse(JSON([]Entry{long, long}), "list.example.org")
		require.NoError(t, err)
		require.Len(t, all, 2)
		assert.Equal(t, long.Key, all[1].Key)
		assert.NotEmpty(t, all[1].Via)
		if len(host) < maxHost {
			assert.Equal(t, long.Address, all[1].Address)
		}
	}
	long.Via = strings.Repeat("v", maxEntry)
	assert.NotEmpty(t, long.appendJSON(nil), "the list never stands still")
	long.Via, long.Web = ":28000", ""
	assert.Greater(t, len(long.appendJSON(nil)), maxEntry-12, "as much of the name as there is room for")
}

// TestValidVia: an address that clients would not read is none.
func TestValidVia(t *testing.T) {
	for text, valid := range map[string]bool{ // any order
		"list.example.org:28000": true, "[2001:db8::1]:28000": true, ":28000": true, "localhost:1": true,
		"": false, "list.example.org": false, "list.example.org:": false, "list.example.org:0": false, "list:28000": false,
		"list.example.org:65536": false, "[fe80::1%eth0]:28000": false, strings.Repeat("v", maxHost-3) + ".org:28000": false,
	} {
		assert.Equal(t, valid, ValidVia(text), text)
	}
}

// TestTenThousandServers: the file of 10,000 servers has at most 700 kB in gzip. The short form has
// a fifth of them.
func TestTenThousandServers(t *testing.T) {
	all := make([]Entry, testenv.Length(2000, 10_000))
	for i := range all {
		e := &all[i]
		_, _ = rand.Read(e.Key[:])
		e.Address = netip.AddrPortFrom(netip.AddrFrom4([4]byte(e.Key[:4])), 28000)
		e.Via, e.Protocol, e.Seen = ":28000", 10, 1_800_000_000+int64(i%60)
		e.Name, e.Mission = fmt.Sprintf("%s %x", []string{"Capture the flag of", "Deathmatch at", "torc"}[i%3], e.Key[:3]), []string{"valley", "canyon", "island"}[i%3]
		e.Players, e.Max, e.Mods = i%32, 32, []string{"ctf"}
		if i%2 == 0 {
			e.Web = fmt.Sprintf("https://play%d.example.org", i)
		}
	}
	plain := JSON(all)
	var gz bytes.Buffer
	z := gzip.NewWriter(&gz)
	_, _ = z.Write(plain)
	require.NoError(t, z.Close())
	t.Logf("%d bytes, %d in gzip", len(plain), gz.Len())
	assert.LessOrEqual(t, gz.Len(), 70*len(all))
	read, err := Parse(plain, "list.example.org")
	require.NoError(t, err)
	assert.Len(t, read, len(all))
}

// TestManyServersAreAskedInTurn: 2,000 servers that come at once are all asked within 3 s, and a
// full list takes no further one until registrations end.
func TestManyServersAreAskedInTurn(t *testing.T) {
	w := newTown(Config{})
	for i := range 2000 {
		w.add(fmt.Sprintf("10.0.%d.%d:1", i/250, i%250), query.Info{Key: seal.Key{byte(i), byte(i >> 8), 1}})
	}
	w.run(3 * time.Second)
	assert.Len(t, w.Entries(w.now), 2000)
	for i := range maxServers {
		w.Heard(w.now, seal.Key{byte(i), byte(i >> 8), 2}, udp("192.0.2.1:1"), true)
	}
	assert.Equal(t, maxServers, w.Servers())
	w.Heard(w.now+registeredTime, seal.Key{3}, udp("192.0.2.1:1"), true)
	assert.Equal(t, 1, w.Servers())
}

// TestSilentServersLeaveRoom: servers that never answer are asked less and less, so however many
// owners have eight of them, a server that comes then is listed within 3 s.
func TestSilentServersLeaveRoom(t *testing.T) {
	for _, owners := range testenv.Every(2, testenv.Crowds) {
		w := newTown(Config{})
		for i := range owners * 8 {
			w.Heard(0, seal.Key{byte(i), byte(i >> 8), 2}, udp(fmt.Sprintf("198.51.%d.%d:%d", i/8/250, i/8%250, 1+i%8)), true)
		}
		for _, r := range w.byKey { // any order
			r.at[0].until = netcore.Never
		}
		w.Send(0, func(netcore.Addr, []byte) {})
		assert.Len(t, w.asked, min(8*owners, maxAsked))
		w.run(2 * time.Minute)
		clear(w.sent)
		w.run(time.Minute)
		for at, sent := range w.sent { // any order
			require.LessOrEqual(t, sent, 8, at)
		}
		w.add("192.0.2.1:28000", query.Info{Key: seal.Key{1}, Name: "honest"})
		w.run(3 * time.Second)
		assert.Equal(t, "honest", w.only(t).Name, owners)
	}
}

// TestHeapOfTenThousandServers: 10,000 servers that say all that they can take at most 40 MiB, with
// the file of the list. The short form has a fifth of them.
func TestHeapOfTenThousandServers(t *testing.T) {
	heap := func() int {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	servers := testenv.Length(2000, 10_000)
	before, l := heap(), New(Config{Entropy: rand.Reader, Via: "a.long.name.of.a.list.example.org:28000"})
	for i := range servers {
		l.Heard(0, seal.Key{byte(i), byte(i >> 8)}, udp(fmt.Sprintf("10.0.%d.%d:1", i/250, i%250)), true)
	}
	for _, r := range l.byKey { // any order
		info := query.Info{Name: strings.Repeat("\U0001F600", maxName), Mission: strings.Repeat("m", maxMission), Web: "https://" + strings.Repeat("w", maxHost-4) + ".org:28000"}
		for range maxMods {
			info.Mods = append(info.Mods, query.Mod{Name: strings.Repeat("m", maxMission)})
		}
		l.answered(0, r, &info)
	}
	file := JSON(l.Entries(0))
	used := heap() - before
	t.Logf("%d bytes, %d of them are the file", used, len(file))
	assert.Less(t, used, servers*(40<<20)/10_000)
	runtime.KeepAlive(l)
	runtime.KeepAlive(file)
}

// TestHostileLists: a list is a stranger's text. Unusable entries are skipped, and the rest is
// bounded and harmless.
func TestHostileLists(t *testing.T) {
	key := seal.Key{1}.String()
	for text, want := range map[string]string{
		`[]`: "", `[{}]`: "", `[null, 1, "x", [], {"key": 1}]`: "",
		`[{"key": "` + key + `"}]`: "",
		`[{"key": "` + key + `", "address": "192.0.2.1:5", "players": 3}]`:                                         "192.0.2.1:5#" + key,
		`[{"key": "` + key + `", "via": ":5", "players": "3"}, {"key": "` + key + `", "via": ":6"}]`:               "via:list.example.org:6#" + key,
		`[{"key": "` + key + `", "via": "other.example.org:5", "address": "[2001:db8::1]:6"}]`:                     "via:other.example.org:5,[2001:db8::1]:6#" + key,
		`[{"key": "` + key + `", "via": "x y:5", "address": "224.0.0.1:6"}]`:                                       "",
		`[{"key": "` + key + `", "via": "o.example.org:5#` + key + `", "address": "192.0.2.1:0"}]`:                 "",
		`[{"key": "` + key + `x", "via": ":5"}]`:                                                                   "",
		`[{"key": "` + key + `", "via": ":5", "name": "\u001b[2J", "players": -5, "max": 99999999, "seen": -1}]`:   "via:list.example.org:5#" + key,
		`[{"key": "` + key + `", "via": ":5", "web": "javascript:alert(1)", "mods": ["\u202e", "b"], "x": {}}]`:    "via:list.example.org:5#" + key,
		`[{"key": "` + key + `", "via": ":5", "web": "http://:80"}]`:                                               "via:list.example.org:5#" + key,
		`[{"key": "` + key + `", "via": "--accept-key:5"}, {"key": "` + key + `", "address": "fe80::1%eth0:5"}]`:   "",
		`[{"key": "` + key + `", "via": "a,via:b.example:5"}, {"key": "` + key + `", "address": "192.0.2.1:5\n"}]`: "",
	} {
		all, err := Parse([]byte(text), "list.example.org")
		require.NoError(t, err, text)
		if want == "" {
			assert.Empty(t, all, text)
			continue
		}
		require.Len(t, all, 1, text)
		assert.Equal(t, want, all[0].Join(), text)
		assert.NotContains(t, Table(all, nil), "\x1b", text)
		assert.NotContains(t, Table(all, nil), "\u202e", text)
		assert.GreaterOrEqual(t, all[0].Players, 0)
		assert.Less(t, all[0].Max, 1<<16)
		assert.Empty(t, all[0].Web)
	}
	for _, bad := range []string{"", "{}", "[", "null x", "<html>"} {
		_, err := Parse([]byte(bad), "h")
		assert.Equal(t, errMalformed, err, bad)
	}
	_, err := Parse(make([]byte, MaxSize+1), "h")
	assert.EqualError(t, err, "it has more than 8 MiB")
	many, err := Parse([]byte("["+strings.Repeat(`{"key":"`+key+`","via":":5"},`, 2*maxRead)+"0]"), "h.example")
	require.NoError(t, err)
	assert.Len(t, many, maxRead)
}

// TestMerge: several lists are one by key. The newest answer counts, and a list that got none hides
// no other.
func TestMerge(t *testing.T) {
	e := func(key byte, name string, players int, seen int64, old bool) Entry {
		return Entry{Key: seal.Key{key}, Name: name, Players: players, Seen: seen, Old: old}
	}
	all := Merge(
		[]Entry{e(1, "a", 1, 100, false), e(2, "b", 2, 100, true), e(4, "d", 9, 100, false)},
		[]Entry{e(1, "newer", 7, 101, false), e(2, "answered", 3, 50, false), e(3, "c", 0, 100, false), e(4, "silent", 0, 900, true)},
	)
	var names []string
	for _, e := range all {
		names = append(names, e.Name)
	}
	assert.Equal(t, []string{"d", "newer", "answered", "c"}, names)
	assert.Empty(t, Merge())
}

// TestFavouritesComeFirst: the table has favourites at its top.
func TestFavouritesComeFirst(t *testing.T) {
	all := []Entry{{Key: seal.Key{1}, Name: "full", Players: 9}, {Key: seal.Key{2}, Name: "mine", Old: true, Password: true, Bots: 2}}
	table := Table(all, func(k seal.Key) bool { return k == seal.Key{2} })
	assert.Less(t, strings.Index(table, "mine"), strings.Index(table, "full"))
	assert.Contains(t, table, "mine (no mission, favourite, password, does not answer, 2 bots, protocol 0")
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`[{"key":"`+seal.Key{1}.String()+`","address":"192.0.2.1:5","via":":5","name":"x","web":"https://a.example"}]`), "list.example.org")
	f.Fuzz(func(t *testing.T, b []byte, host string) {
		all, err := Parse(b, host)
		if err != nil {
			return
		}
		again, err := Parse(JSON(all), host)
		require.NoError(t, err)
		assert.Len(t, again, len(all))
		for _, e := range Merge(all, again) {
			assert.NotContains(t, e.Join(), " ")
			assert.NotContains(t, e.Join(), "\n")
		}
		assert.True(t, json.Valid(JSON(all)))
	})
}

func FuzzAnswers(f *testing.F) {
	f.Add([]byte{0xE4, 2})
	f.Fuzz(func(_ *testing.T, b []byte) {
		w := newTown(Config{})
		w.add("192.0.2.1:28000", query.Info{Key: seal.Key{1}}).silent = true
		w.run(200 * time.Millisecond)
		w.Receive(w.now, udp("192.0.2.1:28000"), b)
		w.Entries(w.now)
	})
}
