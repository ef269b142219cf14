// Package agonestest is the sidecar of Agones for tests. It follows the published description of
// the REST interface of its SDK: the paths, the bodies, the states, and the stream of changes.
//
// # Where to read
//
//	sidecar.go   the calls, and what they change
package agonestest
