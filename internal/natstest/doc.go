// Package natstest runs nats-server for tests: one node, or three that form a cluster. The program
// is that of the environment variable TORC_NATS. Without it, the tests are skipped.
//
// # Where to read
//
//	cluster.go     nodes: start, kill, stop, wipe, and who leads
//	relay.go       what separates nodes, or servers from nodes, as a network does
//	node_linux.go  a node ends with its test, whatever ends that; its CPU time
//	node_other.go  the same on other systems
package natstest
