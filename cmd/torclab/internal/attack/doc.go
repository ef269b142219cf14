// Package attack plays attacks against a running server, for `torclab attack`. Each row of its
// table is an attack with a requirement. 16 honest clients play beside each attack, and must not
// notice it.
//
// The rows are attacks that only a black box shows: floods from many addresses, hosts with several
// addresses, ICMP, dead name servers, busy machines, the entries for browsers. Rules that a test
// inside one process holds have no row: internal/mutants/faults has a planted fault for each. The
// short form does not play row 3, and names the tests that hold it.
//
//	attack.go    runs rows and prints the table     rows.go     all rows
//	round.go     the tools of one row               honest.go   the honest clients
//	client.go    a client without Lua               crew.go     clients on one goroutine
//	server.go    the server of the suite            address.go  which servers may be attacked
//	flood.go     packets from many addresses        play*.go    the attacks
//	space*.go    a network namespace of its own
//
// A row judges by counts: ticks, packets, chat lines, joins. Only two figures are times, because
// their requirement is one: an honest join takes at most 2 s, and each attack lasts some seconds.
//
// Each attacking client has a source address of its own in 127.0.0.0/8, which needs Linux. The
// server of the suite has net.limitLoopback on, so each of these addresses is a stranger to it.
//
// # Where to read
//
//	rows.go, round.go                  the table of attacks, and one that is played
//	attack.go, address.go              options
//	server.go                          the server under attack
//	client.go, crew.go, honest.go      clients, many of them, and those that only play
//	flood.go                           packets from many addresses
//	play_addresses.go, play_space.go   attacks from many addresses, in a network namespace
//	play_web.go, play_rtc.go           attacks through the entry of browsers
//	play_wire.go, play_own_machine.go  attacks on the wire; a busy machine
//	space_linux.go, space_other.go     processes in a network namespace
package attack
