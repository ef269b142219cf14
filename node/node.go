package node

import (
	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/script"
)

// node is the common part of servers, clients and swarms. The methods that say so must be called
// on the goroutine of Run: in Do, in a hook, or in a console command. Before Run they may be called
// on the goroutine that made the node.
type node struct{ core *coreParts }

// Do runs f on the goroutine of Run, between two ticks, and waits for it. It returns ErrEnded if
// the node ended before. Do not call it on the goroutine of Run.
func (n *node) Do(f func()) error { return n.core.do(f) }

// Host returns the world and the connections. Use it only on the goroutine of Run.
func (n *node) Host() *engine.Host { return n.core.side.host }

// Console returns the console. Use it only on the goroutine of Run.
func (n *node) Console() *console.Console { return n.core.side.console }

// Scripts returns the mods. Use it only on the goroutine of Run.
func (n *node) Scripts() *script.Scripts { return n.core.side.scripts }

// Quit begins an orderly end. The peers are told the reason, then Run returns nil. Call it only on
// the goroutine of Run.
func (n *node) Quit(reason string) { n.core.quit(reason, nil) }

// Ready reports whether console lines may run: the server is up, or the client is in the game, and
// the node is not ending. Call it only on the goroutine of Run.
func (n *node) Ready() bool { return n.core.ready && n.core.ending == nil }

// Ending reports whether an end has begun. Call it only on the goroutine of Run.
func (n *node) Ending() bool { return n.core.ending != nil }

// Now returns the time since the node was made. Ticks follow this clock.
func (n *node) Now() netcore.Time { return n.core.now() }

// Print prints text like the console does. Call it only on the goroutine of Run.
func (n *node) Print(text string) { n.core.print(text) }
