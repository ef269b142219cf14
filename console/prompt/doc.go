// Package prompt joins a console to the world: lines that a person or a pipe
// sends come in over a channel, lines of output go out without anybody waiting.
//
//	src, err := prompt.Open(prompt.Auto, prompt.Options{...})
//	lines := src.Lines()
//	for {
//		select {
//		case line, ok := <-lines:
//			if !ok { lines = nil; … } // no more lines come: not a reason to quit
//			…
//		case ask := <-src.Asks():
//			ask.Answer(con) // Tab was pressed, or a history asks what is secret
//		…
//
// The goroutine of this loop owns the console. Nothing in this package calls a
// console by itself, and Print never blocks: a terminal or a pipe that is not
// drained costs the oldest lines, never a tick.
//
// # Terminal
//
// A Terminal edits lines with history, search (Ctrl-R) and completion (Tab).
// The library underneath draws from whatever goroutine it is called on, and
// its candidate menu can divide by zero; so it is kept on a short leash:
//
//	stdin ──► keyboard ──► readline's loop ──► Lines
//	             ▲               │ filter: draws what waits
//	Print ─► screen ─ wake rune ─┘
//
// Whoever prints only puts lines on a heap and injects one wake rune (U+F8FF)
// into the input. The rune arrives on readline's own loop, between two keys,
// and there the lines are drawn above what is being typed: one goroutine draws.
// The same rune carries everything else that touches readline's state: a new
// prompt, a resize, a line for the history. Completion returns one candidate at
// most and prints a list instead of opening the menu. Ctrl-S and Ctrl-Z are
// dropped, since they would crash the one and suspend the other's server.
//
// Lend gives the whole terminal to somebody else, for a picture of the game:
// the loop stops, with nothing of readline's in between, what is typed goes to
// the Loan, and output waits on its heap until Return.
//
// Ctrl-C throws away what is typed; on an empty line it asks, and the next one
// is an Interrupt. Ctrl-D on an empty line is the same.
//
// # Pipe
//
// A Pipe is line mode: no editing, no echo, no prompt, no colour, every line of
// output written whole. The end of input means that no more lines come.
package prompt
