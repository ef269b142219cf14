// Package listserver runs a rendezvous, and the public list of its servers. netcore/rendezvous is
// the rendezvous itself, and node/internal/serverlist what is in the list.
//
//	server ──▶ UDP: registers ──▶ rendezvous ──▶ list ──▶ GET /servers.json, GET / ──▶ clients, CDN
//	       ◀── UDP: is asked by a query ◀───────────┘
//
// One goroutine, that of Run, owns all but the HTTP server. That asks it for the servers at most
// each two seconds, and keeps the file with its compressed form. On the disk are the key of the
// rendezvous, and the files hidden and blocked with keys and ranges of addresses, and nothing else.
//
// # Where to read
//
//	server.go    the socket, the data folder and the loop
//	commands.go  the console
//	resolve.go   the names in links
//	pages.go     servers.json and the page
//	page         the files of the page
package listserver
