// Package line measures connections on lines that are slow, shared, changing or broken. It has the
// rows of a table: a line, the requirement on connections there, and how to measure it.
//
// A row runs on a Medium. Simulated is netsim, in virtual time: every run gives the same figures.
// The other medium is a relay between real sockets, in torclab bench. Tests hold the requirements
// on netsim.
package line
