package torc_test

import (
	"errors"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A row of caps is a queue or a table that a peer can make longer, and what bounds it.
type capRow struct {
	what     string // a row's beginning of docs/server.md if it begins with "|": operators can meet this cap
	folder   string // of the constant
	constant string
	most     int64  // in the unit of the constant: a number, bytes, or nanoseconds
	test     string // fills the queue; of the same folder, unless another stands before it
	above    string // what happens to the next entry; the end of that row of the page
}

// caps has a row for each queue and table that a peer can make longer. A new one gets a row here,
// and a test that fills it. The limits of mods are on docs/limits.md.
var caps = []capRow{
	// Strangers at the game's port.
	{"| datagrams at the game's port that the server has not handled | 4,096 |", "netcore/udp", "maxQueued", 4096, "TestQueueDrops", "the newest is lost"},
	{"requests that wait for a challenge", "netcore", "maxChallenges", 1024, "TestChallengeRingKeepsNewest", "it replaces the oldest"},
	{"resets that wait to be sent", "netcore", "maxResets", 256, "TestPendingResetsAreBounded", "it is dropped"},
	{"requests that wait for the key exchange", "netcore", "maxWaiting", 256, "TestAddressLimits", "the client is told to wait, and puzzles get harder"},
	{"| joining clients of one address | 8 |", "netcore", "defaultHalfOpenByAddress", 8, "TestAddressLimits", "the client is told to wait"},
	{"| joining clients of all addresses | 2,048 |", "netcore", "defaultHalfOpen", 2048, "TestAddressLimits", "it replaces the oldest"},
	{"| connections of one address | 8 |", "netcore", "defaultConnections", 8, "TestAddressLimits", "it is refused, with the reason"},
	{"pieces of an introduction", "netcore", "maxPieces", 10, "TestForgedIntroductions", "the packet is dropped"},
	{"time of introductions that wait for a decision", "netcore", "maxDecision", 2e9, "TestUndecidedIntroductionsAreBounded", "it is refused: try again"},
	{"| connect requests that mods answer later | 256 |", "netcore", "maxDeferred", 256, "TestIdleDeferralsMakeRoom", "it replaces one of the address with the most, a silent one first, else it is refused: try again"},
	{"time of connect requests that mods answer later", "engine", "DeferTime", 10e9, "script TestDeferredRequestsAreRefused", "it is refused: try again"},
	{"addresses with a rate limit, twice", "netcore", "limiterSize", 4096, "TestAddressLimiterIsBounded", "the older half is forgotten"},
	{"cookies that were used, for 30 s, twice", "netcore/seal", "maxSpent", 32768, "TestSpentIsBounded", "the key exchange fails"},
	{"addresses with wrong passwords, twice", "engine", "guessTable", 4096, "TestGuessesAreBounded", "the older half is forgotten"},
	{"| players' keys that have given the right password | 4,096 |", "engine", "knownKeys", 4096, "TestGuessesAreBounded", "it replaces the oldest"},
	{"used tickets of one peer, for 40 s", "netcore/seal", "maxUsed", 4096, "TestTicketTableFull", "it is refused: try again later"},
	{"time between two orders to go to another server", "engine", "transferPause", 50e6, "TestTransfersPerSecond", "it waits; mods take turns, then addresses"},
	{"| log bytes per second about one client | 1 KiB |", "node/internal/logs", "peerBytes", 1 << 10, "TestPeersShareTheLog", "the lines are counted, not written"},
	{"| log bytes per second about all clients, for each kind of line | 8 KiB |", "node/internal/logs", "peersBytes", 8 << 10, "TestPeersShareTheLog", "the lines are counted, not written"},

	// Connected players.
	{"packets in flight", "netcore", "Window", 1024, "TestWindow", "the server sends it nothing"},
	{"packets held behind a gap", "netcore", "maxHeld", 32, "TestHeldPacketsAreFew", "the gap is given up"},
	{"bytes of early events (32 MiB for all connections)", "netcore/event", "maxEarlyBytes", 64 << 10, "TestEarlyEventsAreBounded", "the connection ends"},
	{"bytes of large events in pieces (32 MiB for all connections, with the row above)", "netcore/event", "clientMaxBytes", 64 << 10, "TestPiecesAreBounded", "the connection ends"},
	{"events of a channel without an acknowledgement", "netcore/event", "orderWindow", 4096, "TestSenderStaysInTheWindow", "the next one waits in its lane"},
	{"bytes of those events", "netcore/event", "maxInFlightBytes", 48 << 10, "TestSenderStaysInTheWindow", "the next one waits in its lane"},
	{"events of a mod that wait for a client", "netcore/event", "maxQueuedEvents", 8192, "TestPostRefuses", "the mod gets an error; after 45 s the connection ends"},
	{"bytes of those events", "netcore/event", "maxQueuedBytes", 512 << 10, "TestLanesAreBounded", "the mod gets an error; after 45 s the connection ends"},
	{"texts that a client has announced", "netcore/event", "clientTags", 1024, "TestHostileSections", "the connection ends"},
	{"| talkers whom a player hears at a time | 4, and a quarter of its line up to 12 kB/s |", "engine/voice", "Places", 4, "TestNoAddressTakesThePlacesOfOthers", "the farthest is not sent; talkers of one address make room for others"},
	{"talkers that a client knows", "engine", "maxTalkers", 1024, "TestHostileServerCannotFloodADecoder", "it replaces the one that is silent longest"},
	{"frames of talkers whose names a client does not know", "engine", "maxUnknown", 4, "TestHostileServerCannotFloodADecoder", "the oldest is dropped"},
	{"moves that wait", "netcore/move", "Max", 30, "TestMovesAreTakenOnce", "the connection ends"},
	{"events that wait for scripts", "engine", "maxInbox", 4096, "TestInboxHasItsCap", "the connection ends"},
	{"commands that wait for the client's share of a tick", "engine", "maxWaiting", 64, "TestWaitingCommandsAreBounded", "the newest are refused, and the client is told"},
	{"offers of events of the client's object that wait for its share, two for each", "script", "maxPostponed", 128, "TestEventsOfAHeavyClientWait", "repeated ones are dropped"},
	{"bytes that wait for a spectator, and a piece of 1 KiB", "engine", "watchAhead", 8 << 10, "TestSlowSpectatorsSkip", "it skips to a newer state"},

	// Players, together.
	{"events of objects in a tick", "engine/sim", "MaxEvents", 16384, "TestEventsAreBounded", "the newest is dropped and counted"},
	{"peers with faults, for each handler of a mod", "script/vm", "maxPeerFaults", 256, "TestPeerFaultsAreBounded", "it replaces one whose pause is over, or the oldest of the address with the most"},
	{"| players in `recent` | 1,000, for 30 days |", "node/internal/admin", "maxLeft", 1000, "TestRememberedPlayersAreBounded", "the oldest of the address with the most is forgotten"},
	{"lines of the file of these players", "node/internal/admin", "maxLines", 3000, "TestFileOfRecentIsBounded", "it is written anew"},
	{"keys in the file of those that gave the password", "node/internal/keys", "maxPassed", 4096, "TestPassed", "the oldest is forgotten"},
	{"| warnings in `status` and on the net page | 8 |", "node/internal/logs", "maxWarnings", 8, "TestWatch", "the oldest is forgotten"},
	{"datagrams between a server and the client in its process", "netcore", "maxPipeQueue", 1024, "TestPipeQueue", "the newest is lost"},

	// Browsers.
	{"| downloads and other TCP connections of browsers | 512 |", "node/internal/web", "maxSockets", 512, "TestDownloadsSurviveFloods", "it replaces an idle one of the address with the most; if all are busy, one of an address with more; never one that took 4 kB in the last 2 s"},
	{"| these of one address | 32 |", "node/internal/web", "socketsPerAddress", 32, "TestSocketsOfOneAddress", "it is closed"},
	{"| browsers that have not joined | 256 |", "node/internal/web", "maxSilent", 256, "TestSilentPeersAreShared", "it replaces the newest of an address with more; if all have one, one that has made no progress for 5 s; else it is refused"},
	{"| these from one address | 8 |", "node/internal/web", "silentPerAddress", 8, "TestSilentWebSockets", "it is refused"},
	{"bytes of an offer for WebRTC", "node/internal/web", "maxOffer", 16 << 10, "TestBadOffers", "it is refused"},
	{"addresses from which one browser sends", "node/internal/web", "maxPaths", 8, "TestPathsOfAPeer", "datagrams of another address are dropped"},
	{"datagrams of one browser that wait", "node/internal/web", "maxWaiting", 64, "TestFloodOfAPeer", "the newest is lost"},
	{"datagrams that wait for one browser", "node/internal/web", "burst", 16, "TestOutbox", "the newest is lost"},

	// Operators.
	{"| SSH connections that have shown no key | 128 |", "node/internal/sshd", "maxPending", 128, "TestPendingLimits", "it replaces the oldest of the address with the most, never one of a known network"},
	{"| SSH connections of one address that have shown no key | 4 |", "node/internal/sshd", "pendingPerAddress", 4, "TestPendingLimits", "it is closed"},
	{"networks from which SSH keys were accepted", "node/internal/sshd", "maxNetworks", 256, "TestKnownNetworks", "it replaces the oldest"},
	{"addresses with failed SSH connections", "node/internal/sshd", "maxAddresses", 4096, "TestAllAddresses", "it replaces another one"},
	{"| SSH sessions | 8 |", "node/internal/sshd", "maxSessions", 8, "TestSessionLimits", "it is refused, with the reason"},
	{"| SSH sessions of one key | 4 |", "node/internal/sshd", "sessionsPerKey", 4, "TestSessionLimits", "it is refused, with the reason"},
	{"| bytes of a line in an SSH session without a terminal | 64 KiB |", "node/internal/sshd", "maxPiped", 64 << 10, "TestPipedLinesAreBounded", "the session ends"},
	{"characters of a typed line", "node/internal/sshd", "maxTyped", 4096, "TestTypedLinesAreBounded", "the rest is cut"},
	{"| bytes of output that a terminal has not taken | 1 MiB |", "console/prompt", "maxBacklog", 1 << 20, "TestPipeDropsTheOldestWhenNobodyReads", "the oldest lines are dropped, and a note says so"},
	{"| console connections from this machine | 8 |", "node/remote", "maxClients", 8, "TestSessionsAreBounded", "it is refused, with the reason"},
	{"functions that wait for the game's goroutine", "node/internal/core", "queuedPosts", 16, "TestPostsAreBounded", "the caller waits"},
	{"requests for metrics that wait", "node/internal/metrics", "waiting", 4, "TestScrapeTimeout", "it waits, for 5 s at most"},
	{"| open net pages | 4 |", "node/internal/netpage", "maxPages", 4, "TestOpenPagesAreBounded", "it replaces the oldest of the address with the most, else it is refused"},
	{"addresses with wrong keys of the net page", "node/internal/netpage", "maxAddresses", 1024, "TestAddressesWithWrongKeysAreBounded", "it replaces the oldest"},

	// Disks.
	{"batches of stored values that wait for the disk", "node/internal/store", "maxQueue", 16, "TestQueueIsBounded", "the batch fails, and the mod is told"},
	{"| blocks of the journal that wait for the disk | 64 |", "node/internal/journals", "queued", 64, "TestASlowDiskStopsNobody", "the journal ends, and the log says so"},
	{"| lines of a capture that wait for the disk | 1,024 |", "node", "queuedLines", 1024, "TestCaptureOnSlowDisk", "the capture ends, and the log says so"},
	{"| bytes of a demo that wait for the disk | 16 MiB |", "node/internal/demos", "maxQueued", 16 << 20, "TestSlowDisk", "the demo ends, and the log says so"},
	{"pieces of a demo that wait for the disk", "node/internal/demos", "maxWrites", 1024, "TestSlowDisk", "the demo ends, and the log says so"},

	// Connections of mods.
	{"connections that a listener of a mod has accepted", "node/internal/modnet", "maxAccepted", 64, "TestFullListener", "the quietest of the host with the most is closed, else the new one"},
	{"those of one IPv4 address or IPv6 /64", "node/internal/modnet", "maxOfGroup", 8, "TestFullListener", "it is closed"},
	{"bytes of a connection that wait for the mod", "script/sockets", "Window", 64 << 10, "node/internal/modnet TestWindow", "the peer waits"},
	{"bytes that wait for the peer", "script/sockets", "MaxQueued", 64 << 10, "TestSendLimit", "the mod is told"},
	{"bytes of a line", "script/sockets", "maxLine", 8192, "TestCutLine", "the connection ends"},
	{"bytes of an HTTP response", "script/sockets", "MaxBody", 1 << 20, "node/internal/modnet TestBodies", "the request fails, with the reason"},

	// Other servers of a fleet.
	{"messages of other servers that wait for a mod", "script/messages", "maxWaiting", 1024, "TestInboxSurvivesFloods", "the newest of the server with the most is lost"},
	{"bytes of these messages", "script/messages", "maxWaitingBytes", 2 << 20, "TestInboxSurvivesFloods", "the newest of the server with the most is lost"},

	// Rendezvous, searches and relays.
	{"| servers of a rendezvous | 16,384 |", "netcore/rendezvous", "maxServers", 16384, "TestServersAreBounded", "it is not registered"},
	{"| servers of a rendezvous at one address | 8 |", "netcore/rendezvous", "serversByAddress", 8, "TestTableLimits", "it is not registered"},
	{"servers of a list", "node/internal/serverlist", "maxServers", 16384, "TestManyServersAreAskedInTurn", "it is not listed"},
	{"servers that a list asks at once", "node/internal/serverlist", "maxAsked", 512, "TestSilentServersLeaveRoom", "it waits"},
	{"names that a list looks up at once", "node/listserver", "maxNames", 256, "TestNamesByOwner", "the link is shown later"},
	{"servers that a client reads of a list", "node/internal/serverlist", "maxRead", 20000, "TestHostileLists", "it is skipped"},
	{"bytes of a list", "node/internal/serverlist", "MaxSize", 8 << 20, "TestHostileLists", "the list is refused"},
	{"addresses of one server", "netcore/rendezvous", "maxAddrs", 5, "TestTableLimits", "it replaces the oldest"},
	{"clients that a server punches to", "netcore/rendezvous", "maxPunches", 64, "TestPunchesAreBounded", "it replaces the oldest"},
	{"those of one host", "netcore/rendezvous", "hostPunches", 4, "TestOneHostCannotLockClientsOut", "it is not punched to"},
	{"servers that a search has found", "netcore/query", "maxServers", 256, "TestSearchIgnoresStrangers", "it is not shown"},
	{"| clients of `torc relay` | 1,024 |", "cmd/internal/relay", "maxClients", 1024, "TestRelayClientsAreBounded", "its datagrams are dropped"},

	// Clients of a hostile server.
	{"bytes of large events in pieces", "netcore/event", "serverMaxBytes", 256 << 10, "TestPiecesAreBounded", "the connection ends"},
	{"texts that the server has announced", "netcore/event", "serverTags", 65536, "TestServerTable", "it replaces the text with its number"},
	{"bytes of earlier values of ghosts", "netcore/ghost", "valueBytes", 128 << 20, "TestValuesAreBounded", "the connection ends"},
	{"bytes of a recording that wait to be played", "engine/recording", "maxWaiting", 64 << 20, "TestWaitingBytesAreBounded", "the connection ends"},
	{"forms that a client keeps", "engine/form", "maxShown", 16, "TestABoardShowsTheNewestForms", "it takes the place of the oldest"},
	{"commands of a recording in a tick", "engine/spectate", "maxCalls", 4096, "TestCommandsOfATickAreBounded", "the connection ends"},
}

// A sharedRow is a limit that all addresses share, and the test that walks it.
type sharedRow struct{ what, folder, constant, test string }

// sharedCaps are the limits that one party could use up for all. Each has a test with the numbers
// of testenv.Crowds: so many addresses are over the limit, and honest parties get by. Places in the
// game are the exception: sv.reserved keeps some of them.
var sharedCaps = []sharedRow{
	{"TCP connections of browsers", "node/internal/web", "maxSockets", "TestDownloadsSurviveFloods"},
	{"browsers that have not joined", "node/internal/web", "maxSilent", "TestSilentPeersAreShared"},
	{"offers of WebRTC", "node/internal/web", "offerRate", "TestOffersSurviveFloods"},
	{"SSH connections that have shown no key", "node/internal/sshd", "maxPending", "TestOperatorsGetInBesideFloods"},
	{"SSH connections per second", "node/internal/sshd", "allBurst", "TestOperatorsGetInBesideFloods"},
	{"joining clients", "netcore", "defaultHalfOpen", "TestHandshakesSurviveFloods"},
	{"connect requests that mods answer later", "netcore", "maxDeferred", "TestDeferralsSurviveFloods"},
	{"key exchanges that wait", "netcore", "maxWaiting", "TestHandshakesSurviveFloods"},
	{"open net pages", "node/internal/netpage", "maxPages", "TestNetPagesSurviveFloods"},
	{"places for spectators", "node", "webWatchers", "engine TestSpectatorsSurviveFloods"},
	{"answers to queries", "netcore/query", "answersPerSecond", "TestQueriesSurviveFloods"},
	{"challenges of queries", "netcore/query", "challengesPerSecond", "TestQueriesSurviveFloods"},
	{"lookups at a rendezvous", "netcore/rendezvous", "lookupsPerSecond", "TestRendezvousSurvivesFloods"},
	{"registrations at a rendezvous", "netcore/rendezvous", "registrationsPerSecond", "TestRendezvousSurvivesFloods"},
	{"servers of a rendezvous", "netcore/rendezvous", "maxServers", "TestRendezvousSurvivesFloods"},
	{"introductions of a server", "netcore/rendezvous", "introductionsByServer", "TestRendezvousSurvivesFloods"},
	{"clients that a server punches to", "netcore/rendezvous", "maxPunches", "TestRendezvousSurvivesFloods"},
	{"messages of other servers that wait for a mod", "script/messages", "maxWaiting", "TestInboxSurvivesFloods"},
	{"bytes of messages of other servers", "node/internal/fleet", "allBytes", "node/replay TestMessagesSurviveFloods"},
	{"remembered players", "node/internal/admin", "maxLeft", "TestFewAddressesForgetNobodyElse"},
}

// TestSharedCapsAreWalked checks each row of sharedCaps: the code uses the limit, and its test
// walks testenv.Crowds.
func TestSharedCapsAreWalked(t *testing.T) {
	read := func(folder string) *capFolder { return readCapFolder(t, folder) }
	for _, r := range sharedCaps {
		assert.NotZero(t, read(r.folder).uses[r.constant], "no code uses %s of %s, the limit of %s", r.constant, r.folder, r.what)
		place, test, elsewhere := strings.Cut(r.test, " ")
		if !elsewhere {
			place, test = r.folder, r.test
		}
		names, exists := read(place).tests[test]
		assert.True(t, exists, "%s has no test %s", place, test)
		assert.True(t, names["Crowds"], "the test %s does not walk testenv.Crowds", test)
	}
}

// TestQueuesHaveTheirCaps checks each row of caps: the constant has its number, the code uses it,
// and the test of the row exists and names it. If operators can meet the cap, docs/server.md has
// it.
func TestQueuesHaveTheirCaps(t *testing.T) {
	page, err := os.ReadFile("docs/server.md")
	require.NoError(t, err)
	read := func(folder string) *capFolder { return readCapFolder(t, folder) }
	seen := map[string]bool{}
	for _, r := range caps {
		what := r.folder + " " + r.constant
		assert.False(t, seen[what], "%s has two rows", what)
		seen[what] = true
		if strings.HasPrefix(r.what, "|") {
			assert.Contains(t, string(page), "\n"+r.what+" "+r.above+" |\n", what)
		}
		f := read(r.folder)
		if !assert.NotNil(t, f.values[r.constant], "%s does not exist", what) {
			continue
		}
		got, exact := constant.Int64Val(constant.ToInt(f.values[r.constant]))
		assert.True(t, exact, what)
		assert.Equal(t, r.most, got, "the number of %s", what)
		place, test, elsewhere := strings.Cut(r.test, " ")
		if !elsewhere {
			place, test = r.folder, r.test
		}
		assert.NotZero(t, f.uses[r.constant]+read(place).uses[r.constant], "no code uses %s", what)
		names, exists := read(place).tests[test]
		assert.True(t, exists, "%s has no test %s", place, test)
		assert.True(t, names[r.constant] || names[exported(r.constant)], "the test %s does not name %s", test, r.constant)
	}
}

// exported returns the name that a file export_test.go gives a constant.
func exported(name string) string {
	return string(unicode.ToUpper(rune(name[0]))) + name[1:]
}

// A capFolder is a package, as far as caps need it.
type capFolder struct {
	values map[string]constant.Value
	uses   map[string]int             // of a name in the code, besides its declaration as a constant
	tests  map[string]map[string]bool // the names in each test
}

// capFolders are the packages that were read, for all tests.
var capFolders = map[string]*capFolder{}

// readCapFolder reads the files of a package. It knows the values of constants that need no other
// package than time.
func readCapFolder(t *testing.T, folder string) *capFolder {
	if f := capFolders[folder]; f != nil {
		return f
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "%s does not exist", folder)
	f := &capFolder{values: map[string]constant.Value{}, uses: map[string]int{}, tests: map[string]map[string]bool{}}
	set := token.NewFileSet()
	var code []*ast.File
	for _, path := range files {
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		if strings.HasSuffix(path, "_test.go") {
			f.addTests(file)
		} else {
			code = append(code, file)
		}
	}
	c := types.Config{IgnoreFuncBodies: true, Importer: onlyTime{}, Error: func(error) {}}
	p, _ := c.Check(folder, set, code, nil) // the other imports are missing
	for _, name := range p.Scope().Names() {
		if c, ok := p.Scope().Lookup(name).(*types.Const); ok && c.Val().Kind() != constant.Unknown {
			f.values[name] = c.Val()
		}
	}
	for _, file := range code {
		for name, n := range namesIn(file) {
			f.uses[name] += n
		}
	}
	for name := range f.values {
		f.uses[name]--
	}
	capFolders[folder] = f
	return f
}

// addTests notes the names in the tests of a file.
func (f *capFolder) addTests(file *ast.File) {
	for _, d := range file.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && strings.HasPrefix(d.Name.Name, "Test") {
			names := map[string]bool{}
			for name := range namesIn(d.Body) {
				names[name] = true
			}
			f.tests[d.Name.Name] = names
		}
	}
}

// namesIn counts the identifiers in a node.
func namesIn(node ast.Node) map[string]int {
	names := map[string]int{}
	ast.Inspect(node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names[id.Name]++
		}
		return true
	})
	return names
}

// onlyTime is an importer that knows the durations of the package time, and nothing else.
type onlyTime struct{}

func (onlyTime) Import(path string) (*types.Package, error) {
	if path != "time" {
		return nil, errors.New("not needed")
	}
	p := types.NewPackage(path, path)
	d := types.NewNamed(types.NewTypeName(token.NoPos, p, "Duration", nil), types.Typ[types.Int64], nil)
	p.Scope().Insert(d.Obj())
	for name, n := range map[string]int64{"Millisecond": 1e6, "Second": 1e9, "Minute": 60e9, "Hour": 3600e9} {
		p.Scope().Insert(types.NewConst(token.NoPos, p, name, d, constant.MakeInt64(n)))
	}
	p.MarkComplete()
	return p, nil
}
