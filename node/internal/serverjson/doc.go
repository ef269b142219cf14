// Package serverjson is /server.json of a server's page: where programs reach the server whose link
// a browser opens. The section server.json of netcore/PROTOCOL.md specifies it.
//
// # Where to read
//
//	server.go  what it says
//	ask.go     a client asks for it over HTTP
package serverjson
