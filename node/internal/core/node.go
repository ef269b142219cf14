package core

import (
	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/script"
)

// Node is the common part of servers, clients and swarms. The methods that say so must be called
// on the goroutine of Run: in Do, in a hook, or in a console command. Before Run they may be called
// on the goroutine that made the node.
type Node struct{ core *Core }

// NewNode returns the methods for programs of a node with these parts.
func NewNode(parts *Core) Node { return Node{parts} }

// Do runs f on the goroutine of Run, between two ticks, and waits for it. It returns ErrEnded if
// the node ended before. Do not call it on the goroutine of Run.
func (n *Node) Do(f func()) error { return n.core.do(f) }

// Host returns the world and the connections. Use it only on the goroutine of Run.
func (n *Node) Host() *engine.Host { return n.core.Side.Host }

// Console returns the console. Use it only on the goroutine of Run.
func (n *Node) Console() *console.Console { return n.core.Side.Console }

// Scripts returns the mods. Use it only on the goroutine of Run.
func (n *Node) Scripts() *script.Scripts { return n.core.Side.Scripts }

// Quit begins an orderly end. The peers are told the reason, then Run returns nil. Call it only on
// the goroutine of Run.
func (n *Node) Quit(reason string) { n.core.Quit(reason, nil) }

// Ready reports whether console lines may run: the server is up, or the client is in the game, and
// the node is not ending. Call it only on the goroutine of Run.
func (n *Node) Ready() bool { return n.core.Ready && n.core.ending == nil }

// Ending reports whether an end has begun. Call it only on the goroutine of Run.
func (n *Node) Ending() bool { return n.core.ending != nil }

// Now returns the time since the node was made. Ticks follow this clock.
func (n *Node) Now() netcore.Time { return n.core.Now() }

// Print prints text like the console does. Call it only on the goroutine of Run.
func (n *Node) Print(text string) { n.core.Print(text) }
