// Package browsers serves what browsers need of a server: the client of the game, its datagrams,
// and the net page.
//
// # Where to read
//
//	service.go  the TCP port, the build of the client, and the links
//	netview.go  the net page: who can open it, and what it shows
package browsers
