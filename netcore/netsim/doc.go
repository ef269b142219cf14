// Package netsim simulates a network: machines with addresses, lossy links
// between them, and a virtual clock. It never sleeps, and all randomness comes
// from the seed, so a failing run is reproducible.
//
//	n := netsim.New(seed)
//	n.Attach(a, client)            // a Machine: Receive, Tick and Send
//	n.Attach(b, server)
//	n.Link(a, b, up, down)         // each direction has its own LinkParams
//	n.Run(10*time.Second, 16*time.Millisecond)
//	n.Hash()                       // equal for equal runs
//
// Time advances in steps. At each step the network calls Tick and Send of every
// machine. Between steps datagrams arrive at their own times. A machine that
// receives one can send immediately, like a program that wakes up for its socket.
//
// A Bottleneck is a line with a capacity and a queue that several links share:
//
//	line := netsim.NewBottleneck(256_000, 100*time.Millisecond)
//	n.Through(a, b, line)
//
// CUBIC is a sender like TCP, for measurements beside it.
//
// The link model is netcore.Link, because a real connection can use it too.
//
// torc relay is a network whose machines are sockets: datagrams enter with Send, and
// Due tells when the next one leaves. No server or client of a game imports this
// package.
package netsim
