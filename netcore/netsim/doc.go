// Package netsim is a network in a box: machines with addresses, bad lines
// between them, and a virtual clock. Nothing in it sleeps or is random beyond
// its seed, so a run that fails fails again.
//
//	n := netsim.New(seed)
//	n.Attach(a, client)            // anything with Receive, Tick and Send
//	n.Attach(b, server)
//	n.Link(a, b, up, down)         // each direction has its own LinkParams
//	n.Run(10*time.Second, 16*time.Millisecond)
//	n.Hash()                       // equal for equal runs
//
// Time advances in steps. At each step every machine is ticked and may send;
// between steps datagrams arrive at their own times, and who received one may
// send at once, as a program does that is woken by its socket.
//
// The line model itself is netcore.Link, because a running connection can be
// given a bad line too. Only tests import this package.
package netsim
