// Package attack plays attacks against a running server, for `torc attack`. Each row of its table is
// an attack with a requirement. 16 honest clients play beside each attack, and must not notice it.
//
// Rows 1 to 20 are attacks on the availability of a game: limits that one client uses up for all,
// mods that are blamed for the faults of clients, checks that fail open. Rows A1 to A30 are attacks
// on the protocol, on scripts and on operators. Rows W1 and W2 are attacks over WebSockets and WebRTC. Some rows come from mods, files, name servers or other
// processes: the suite plays these with its own server. The short form does not play row 3, and names the
// tests that hold it.
//
//	attack.go    runs rows and prints the table     rows.go     all rows
//	round.go     the tools of one row               honest.go   the honest clients
//	client.go    a client without Lua               crew.go     clients on one goroutine
//	server.go    the server of the suite            address.go  which servers may be attacked
//	tamper.go    changes packets and streams        flood.go    packets from many addresses
//	relay.go     changes the inside of sealed packets
//	play*.go     the attacks                        mods.go     the mods of its servers
//	space*.go    a network namespace of its own
//
// A row judges by counts: ticks, packets, chat lines, joins. Only two figures are times, because
// their requirement is one: an honest join takes at most 2 s, and each attack lasts some seconds.
//
// Each attacking client has a source address of its own in 127.0.0.0/8, which needs Linux. The server
// of the suite has net.limitLoopback on, so each of these addresses is a stranger to it.
package attack
