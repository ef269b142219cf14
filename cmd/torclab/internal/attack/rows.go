package attack

import "context"

// Row is an attack of the table.
type Row struct {
	ID      string
	Require string // what must hold meanwhile
	// Proofs are tests, as FOLDER.TEST, that hold the row, or the rest of it.
	Proofs []string

	play  func(r *round) error
	own   bool                                                  // it needs the console or the settings of the suite's own server
	space bool                                                  // it needs a network namespace of its own
	long  bool                                                  // it is not in the short form: that runs on busy machines
	site  func(ctx context.Context, torc string) (*site, error) // starts another server for it; nil is that of the suite
}

// busySite starts a server with the mod long.
func busySite(ctx context.Context, torc string) (*site, error) {
	return startSetup(ctx, torc, setup{listen: "127.0.0.1:0", mod: "long", script: longMod})
}

// Rows are all rows in the order of the table.
var Rows = []*Row{
	{ID: "3", Require: "a busy machine cuts no handler in half; a match goes on", long: true, play: playBusy, own: true, site: busySite,
		Proofs: []string{"cmd/torc.TestMatchGoesOnOnABusyMachine", "script/vm.TestElapsedTimeEndsNothing"}},
	{ID: "6", Require: "an honest join takes at most 2 s beside 64 half-open sessions, and beside 100,000 spoofed packets/s", play: playHalfOpen,
		Proofs: []string{"netcore.TestAddressLimits", "netcore.TestFloodFromForgedAddresses"}},
	{ID: "6-ipv6", Require: "row 6 over IPv6: limits count a /64, weaker a /48", play: playHalfOpen6, own: true, space: true, site: anySite},
	{ID: "9", Require: "a server with several addresses answers from the one that was asked", play: playTwoHomed, own: true, space: true, site: anySite,
		Proofs: []string{"netcore/udp.TestAnswersLeaveFromTheAskedAddress", "netcore.TestAnswersLeaveFromTheAskedAddress"}},
	{ID: "16", Require: "a dead name server stops no server; every address of a name is tried", play: playDeadNames, own: true, space: true, site: anySite,
		Proofs: []string{"node.TestDeadNameServer", "node.TestEveryAddressOfANameIsTried"}},
	{ID: "A1", Require: "100,000 spoofed requests/s: an honest join takes at most 2 s, no memory per source", play: playSpoofed,
		Proofs: []string{"netcore.TestFloodFromForgedAddresses", "netcore.TestChallengeRingKeepsNewest"}},
	{ID: "A1-forged", Require: "row A1 with a forged source address for each packet", play: playForgedSources, own: true, space: true, site: anySite,
		Proofs: []string{"netcore.TestFloodFromForgedAddresses"}},
	{ID: "A24", Require: "≤ 1 KiB/s of log from 100,000 bad packets/s", play: playJunk, own: true, Proofs: []string{"engine.TestFloodLogIsRateLimited"}},
	{ID: "A26", Require: "ICMP errors end nothing", play: playICMP},
	{ID: "A27", Require: "no choice of addresses slows the tables down: an honest join takes at most 2 s", play: playAddresses,
		Proofs: []string{"netcore.TestAddressLimiterIsBounded"}},

	{ID: "W1", Require: "WebSockets that say nothing or noise disturb no game, an address has 8, another web site none", play: playWeb, own: true, site: webSite,
		Proofs: []string{"node.TestHostileBrowsers", "node.TestLimitsHoldForBrowsers", "node/internal/web.TestGate", "node/internal/web.TestSockets",
			"node/internal/web.TestSilentReplaceTheOldest", "node/internal/web.TestBadMessages", "node/internal/web.TestFullLine"}},
	{ID: "W2", Require: "offers of WebRTC that lead nowhere, STUN, garbage of DTLS and noise over an open channel disturb no game", play: playRTC, own: true, site: webSite,
		Proofs: []string{"node.TestJoinsOverWebRTC", "node/internal/web.TestBadOffers", "node/internal/web.TestHalfOpenRTC", "node/internal/web.TestBadRTCMessages",
			"node/internal/web.TestOnlyKnownPeersGetDatagrams", "node/internal/web.TestFloodOfAPeer", "node/internal/web.TestFullRTCLine"}},
}
