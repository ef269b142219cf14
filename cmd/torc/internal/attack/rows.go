package attack

import "context"

// Row is an attack of the table.
type Row struct {
	ID      string
	Require string // what must hold meanwhile
	// Proofs are tests, as FOLDER.TEST, that hold the row, or the rest of it.
	Proofs []string

	play  func(r *round) error
	own   bool                                     // it needs the console or the settings of the suite's own server
	space bool                                     // it needs a network namespace of its own
	long  bool                                     // it is not in the short form: that runs on busy machines
	site  func(ctx context.Context) (*site, error) // starts another server for it; nil is that of the suite
}

// gateSite starts a server with the mod gate.
func gateSite(ctx context.Context) (*site, error) { return startChild(ctx, "127.0.0.1:0", "gate") }

// Rows are all rows in the order of the table.
var Rows = []*Row{
	{ID: "1", Require: "odd arguments of commands suspend no handler; the console's lines arrive", play: playOdd,
		Proofs: []string{"script.TestEveryCallWithEveryValue", "script/vm.TestThreeAddressesAreTheModsFault"}},
	{ID: "2", Require: "chat of 32,000 bytes of invalid UTF-8 suspends no handler", play: playInvalidChat, Proofs: []string{"script.TestChatCostsLittle"}},
	{ID: "3", Require: "a busy machine cuts no handler in half; a match goes on", long: true, play: playBusy, own: true,
		Proofs: []string{"cmd/torc.TestMatchGoesOnOnABusyMachine", "script/vm.TestElapsedTimeEndsNothing"}},
	{ID: "4", Require: "mod enable resumes suspended handlers; suspensions end by themselves", play: playSuspended, own: true,
		Proofs: []string{"script.TestEnableSuspendedAndBrokenMods", "script/vm.TestSuspensionsEndAndDouble", "script/vm.TestProbationEnds"}},
	{ID: "5", Require: "nobody gets past a gate that refuses, errs or never ends", play: playGate, own: true, site: gateSite,
		Proofs: []string{"script.TestGatesFailClosed", "script.TestSuspendedGatesRefuse", "script.TestChatFiltersFailClosed", "engine.TestScopeQuestions"}},
	{ID: "6", Require: "an honest join takes at most 2 s beside 64 half-open sessions, and beside 100,000 spoofed packets/s", play: playHalfOpen,
		Proofs: []string{"netcore.TestAddressLimits", "netcore.TestFloodFromForgedAddresses"}},
	{ID: "7", Require: "1,000 joins a minute with one look-alike name are fine", play: playNames, Proofs: []string{"script.TestNamesCostLittle"}},
	{ID: "8", Require: "at most 5 guesses a minute of an address are checked; honest joins go on, and are in the log", play: playGuesses, own: true,
		Proofs: []string{"engine.TestGuessedPasswords", "engine.TestGuessesAreBounded"}},
	{ID: "9", Require: "a server with several addresses answers from the one that was asked", play: playTwoHomed, own: true, space: true, site: anySite,
		Proofs: []string{"netcore/udp.TestAnswersLeaveFromTheAskedAddress", "netcore.TestAnswersLeaveFromTheAskedAddress"}},
	{ID: "10", Require: "a huge or deep mod.toml is refused, and the rest runs", play: playDeep, own: true, site: deepSite, Proofs: []string{"internal/boundtoml.TestDecode", "script/manifest.TestDiscover"}},
	{ID: "11", Require: "no player is called like the server, an admin or another player", play: playReserved},
	{ID: "12", Require: "8 lines in 10 s of an address, 1 KiB/s of log for a peer, 2 votes of an address", play: playReasons,
		Proofs: []string{"node/internal/logs.TestPeersShareTheLog", "engine.TestFloodHidesNoOtherPeer"}},
	{ID: "13", Require: "no fresh key gets in from a banned address; others do", play: playBan, own: true, Proofs: []string{"node.TestBansOfAddresses"}},
	{ID: "14", Require: "symbolic links of a mod and an exposed identity are refused", play: playLinks, own: true,
		Proofs: []string{"script/manifest.TestLinks", "script.TestChangingSymlinksStayInside", "node/internal/keys.TestExposedIdentity"}},
	{ID: "15", Require: "the same key replaces its old connection, which is told so", play: playReturn},
	{ID: "16", Require: "a dead name server stops no server; every address of a name is tried", play: playDeadNames, own: true, space: true, site: anySite,
		Proofs: []string{"node.TestDeadNameServer", "node.TestEveryAddressOfANameIsTried"}},
	{ID: "17", Require: "onLeaveTrigger gets nil for a body that is gone", play: playTriggers, own: true, Proofs: []string{"script.TestDeletedArgumentsAreNil"}},
	{ID: "18", Require: "no mod changes the datablock of another mod", play: playDatablocks, own: true, Proofs: []string{"script.TestDatablocksOfOtherMods"}},
	{ID: "19", Require: "a join, a leave, a kick, a wrong password and a wrong version are in the log", play: playLog, own: true,
		Proofs: []string{"engine.TestJoinsAreLogged", "engine.TestWrongVersionIsLogged"}},
	{ID: "20", Require: "a flipped bit of a stored value is found", play: playDamage, own: true,
		Proofs: []string{"node/internal/store.TestFlippedBits", "script.TestDamagedValueNamesItsKey"}},

	{ID: "A1", Require: "100,000 spoofed requests/s: an honest join takes at most 2 s, no memory per source", play: playSpoofed,
		Proofs: []string{"netcore.TestFloodFromForgedAddresses", "netcore.TestChallengeRingKeepsNewest"}},
	{ID: "A2", Require: "one answer per request, not larger than it", play: playAmplification, Proofs: []string{"netcore.TestAnswersToUnprovenAddresses"}},
	{ID: "A3", Require: "replayed packets do nothing", play: playReplay, Proofs: []string{"netcore.TestReplayedLater", "netcore.TestHandshakeReplay"}},
	{ID: "A4", Require: "forged packets with the right address do nothing", play: playTampered(200, forge), Proofs: []string{"netcore.TestInvalidPacketsChangeNothing"}},
	{ID: "A5", Require: "packets with a flipped bit do nothing", play: playTampered(100, flip), Proofs: []string{"netcore.TestInvalidPacketsChangeNothing"}},
	{ID: "A6", Require: "cut and extended packets, up to 65,507 bytes, do nothing", play: playTampered(50, cut), Proofs: []string{"netcore.TestInvalidPacketsChangeNothing"}},
	{ID: "A7", Require: "sealed packets of random bits disconnect only their sender, without much memory", play: playSections,
		Proofs: []string{"netcore/event.TestHostileSections", "netcore/ghost.TestHugeCounts", "netcore.TestAuthenticNoise"}},
	{ID: "A8", Require: "class ids out of range, and classes of a client, construct nothing", play: playClasses,
		Proofs: []string{"engine.TestForgedClasses", "netcore/event.FuzzEvents"}},
	{ID: "A9", Require: "ghosts of a client disconnect it, references to absent ghosts are nil", play: playGhosts, own: true, site: siteWith("probe"),
		Proofs: []string{"netcore/ghost.TestGhostMatrix", "netcore/ghost.TestEveryID", "engine.TestForgedGhosts"}},
	{ID: "A10", Require: "at most 512 KiB for a connection that acknowledges almost nothing", play: playDeaf,
		Proofs: []string{"netcore/event.TestEarlyEventsAreBounded", "netcore/event.TestStalledQueueEndsTheConnection", "netcore/event.TestDuplicatesAreDropped"}},
	{ID: "A11", Require: "tags of a client cost bounded memory", play: playTags, Proofs: []string{"netcore/event.TestFullTable", "script.TestTagsAreCountedAndGivenBack"}},
	{ID: "A12", Require: "an honest join takes at most 2 s beside clients that never load; silent ones lose their seats", play: playStuck,
		Proofs: []string{"engine.TestStalledJoinIsEnded", "engine.TestSilentClientsLoseTheirSeat"}},
	{ID: "A13", Require: "acks of packets that were not sent disconnect; acks of lost packets gain nothing", play: playAcks,
		Proofs: []string{"netcore.TestViolations", "netcore.TestSkippedNumber", "netcore.TestNumbersAreSkipped"}},
	{ID: "A14", Require: "50 clients that flood commands disturb nobody", play: playCommands, Proofs: []string{"engine.TestCommandFloodIsLimited"}},
	{ID: "A15", Require: "8 chat lines in 10 s", play: playChatFlood},
	{ID: "A16", Require: "moves ≤ ticks × 1.01 + 8, at a pace of 2, 10 and 100", play: playFast, own: true,
		Proofs: []string{"cmd/torc.TestFastClocksGainNothing", "engine.TestMoreMovesThanTime", "engine.TestStallAndBurst"}},
	{ID: "A17", Require: "moves ≤ ticks × 1.01 + 8, with a slow, a fast and a jumping clock", play: playClocks, own: true,
		Proofs: []string{"cmd/torc.TestClientStateDoesNotReachServer"}},
	{ID: "A18", Require: "expansions of %n: at most 1,024 bytes for a text, 8 KiB for a command", play: playBombs, own: true, site: siteWith("probe"),
		Proofs: []string{"engine.TestExpansionBombs", "engine.TestExpansionIsBounded"}},
	{ID: "A19", Require: "hostile scripts end inside their budget, with at most 64 MiB more live heap", play: playScripts, own: true, site: siteWith("bombs"),
		Proofs: []string{"script/vm.TestHostileScriptsEndInsideTheirBudget"}},
	{ID: "A20", Require: "no control or format character of a client reaches a player, the log or the console", play: playTexts,
		Proofs: []string{"engine.TestPeerTextIsPrintable", "console.TestClean", "node/internal/logs.TestOneRecordIsOnePlainLine"}},
	{ID: "A21", Require: "no path of a mod leaves its folder", play: playPaths, own: true, site: siteWith("inmate"),
		Proofs: []string{"script.TestPathsStayInsideMods", "script.TestModNamesAreNotPaths", "script.TestInvalidPathsAreNotOpened"}},
	{ID: "A22", Require: "no line and no command of a client without a role has the rights of an operator", play: playOperator, own: true,
		Proofs: []string{"cmd/torc.TestRolesOnTheBuiltBinary", "node/remote.TestSocketIsForItsOwner"}},
	{ID: "A23", Require: "torc is in no list of servers and answers no question of other games", play: playForeign,
		Proofs: []string{"netcore.TestAnswersToUnprovenAddresses"}},
	{ID: "A24", Require: "≤ 1 KiB/s of log from 100,000 bad packets/s", play: playJunk, own: true, Proofs: []string{"engine.TestFloodLogIsRateLimited"}},
	{ID: "A25", Require: "no key seals two packets with one number, no key is in two sessions", play: playNumbers, Proofs: []string{"netcore/seal.TestNonceNeverRepeats"}},
	{ID: "A26", Require: "ICMP errors end nothing", play: playICMP},
	{ID: "A27", Require: "no choice of addresses slows the tables down: an honest join takes at most 2 s", play: playAddresses,
		Proofs: []string{"netcore.TestAddressLimiterIsBounded"}},
	{ID: "A28", Require: "forged ends of a connection do nothing", play: playTampered(200, forgeDrops), Proofs: []string{"netcore.TestInvalidPacketsChangeNothing"}},
	{ID: "A29", Require: "a hostile server writes no file and runs no script on a client", play: playServer,
		Proofs: []string{"engine.TestHostileServer", "engine.FuzzHost", "netcore/ghost.FuzzGhostUnpack"}},
	{ID: "A30", Require: "a difference of pack and unpack disconnects its client, and is located", play: playMarks,
		Proofs: []string{"engine.TestGhostsEqualTheirObjects", "engine.TestCheckNamesTheFieldThatDiffers", "netcore.TestCheckNamesTheSection"}},

	{ID: "W1", Require: "WebSockets that say nothing or noise disturb no game, an address has 8, another web site none", play: playWeb, own: true, site: webSite,
		Proofs: []string{"node.TestHostileBrowsers", "node.TestLimitsHoldForBrowsers", "node/internal/web.TestGate", "node/internal/web.TestSockets",
			"node/internal/web.TestSilentReplaceTheOldest", "node/internal/web.TestBadMessages", "node/internal/web.TestFullLine"}},
	{ID: "W2", Require: "offers of WebRTC that lead nowhere, STUN, garbage of DTLS and noise over an open channel disturb no game", play: playRTC, own: true, site: webSite,
		Proofs: []string{"node.TestJoinsOverWebRTC", "node/internal/web.TestBadOffers", "node/internal/web.TestHalfOpenRTC", "node/internal/web.TestBadRTCMessages",
			"node/internal/web.TestOnlyKnownPeersGetDatagrams", "node/internal/web.TestFloodOfAPeer", "node/internal/web.TestFullRTCLine"}},
	{ID: "M1", Require: "copies of packets from another address move no connection and amplify nothing", play: playCopies,
		Proofs: []string{"netcore.TestCopiesDoNotMove", "netcore.TestChaos"}},
	{ID: "6-ipv6", Require: "row 6 over IPv6: limits count a /64, weaker a /48", play: playHalfOpen6, own: true, space: true, site: anySite},
	{ID: "A1-forged", Require: "row A1 with a forged source address for each packet", play: playForgedSources, own: true, space: true, site: anySite,
		Proofs: []string{"netcore.TestFloodFromForgedAddresses"}},
	{ID: "8-ipv6", Require: "at most 5 guesses a minute of a /64, 20 of a /48", play: playGuesses6, own: true, space: true, site: anySite,
		Proofs: []string{"engine.TestGuessedPasswords"}},
}
