// Package swarm runs many clients of one server on one goroutine: a load for that server.
//
// # Where to read
//
//	swarm.go   the loop of all clients, and the end
//	client.go  one of the clients: its key, its socket, its ticks
//	follow.go  a client goes to another server
package swarm
