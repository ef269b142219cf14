// Package prompt connects a console to a terminal or a pipe. Input lines arrive
// over a channel. Output lines are written without blocking the caller.
//
//	src, err := prompt.Open(prompt.Auto, prompt.SourceOptions{...})
//	lines := src.Lines()
//	for {
//		select {
//		case input, ok := <-lines:
//			if !ok { lines = nil; … } // no more lines come: not a reason to quit
//			input.Remember(con)       // for the history, before the line runs
//			…
//		case ask := <-src.Asks():
//			ask.Run(con) // asks for completions
//		…
//
// The goroutine of this loop owns the console. The package calls the console only
// in Query.Run and Input.Remember. Print never blocks. If a terminal or a pipe does not take the
// output, the oldest lines are dropped and no tick is delayed.
//
// # Terminal
//
// A Terminal edits lines with history, search (Ctrl-R) and completion (Tab).
// A Terminal uses the readline library. That library draws on the goroutine of its
// caller, and its candidate menu can divide by zero. So a Terminal restricts it:
//
//	stdin ──► keyboard ──► readline's loop ──► Lines
//	             ▲               │ filter: draws waiting output
//	Print ─► queue ── wake rune ─┘
//
// Print only queues lines and injects one wake rune into the input. The rune
// arrives on readline's own loop, between two keys. That loop draws the lines above
// the typed text, so only one goroutine draws. The wake rune also triggers all
// other changes of readline's state: a new prompt, a resize, a line for the history.
// Completion returns at most one candidate and prints a list instead
// of opening the menu. The keyboard drops Ctrl-S, because it would crash readline.
//
// An answer of the owner can come late, and no clock ends the wait. The keyboard holds back the
// keys after a Tab until its completion has come, and a key of the history until all lines before
// it are in the history or known to be secret. Then the keys follow in order. Meanwhile output is
// drawn. Ctrl-C ends the wait: it discards the typed text and the keys that wait, and the answer is
// dropped.
//
// A Device is the terminal of this machine, or one at the other end of a connection.
//
// Terminal.Lease lends the whole terminal to another component, to draw the game.
// The loop stops. Typed keys bypass readline and go to the TerminalLease. Output
// stays in the queue until TerminalLease.Return.
//
// Ctrl-Z suspends the process, on a terminal of this machine and on Unix. The prompt
// gives the terminal back before, so the shell gets it in its usual mode. Later the
// prompt takes the terminal over again and draws the typed line. A component with a
// lease returns it first and calls Terminal.Suspend.
//
// Ctrl-C discards the typed text. On an empty line it asks for confirmation, and
// the next Ctrl-C is an Interrupt. Ctrl-D on an empty line does the same.
//
// # Line mode
//
// A LineMode reads a pipe or a file: no editing, no echo, no prompt, no colour. It
// writes each line of output whole. The end of input means that no more lines come.
//
// # Where to read
//
//	source.go                        where lines come from, and output goes
//	terminal.go, keyboard.go         a terminal with readline, and its keys; keys that wait
//	device.go                        this machine's terminal, or one over a connection
//	read_unix.go, read_other.go      bytes that are typed at this machine's terminal
//	pipe.go                          line mode
//	ask.go, completer.go             questions to the owner of the console; Tab
//	backlog.go, history.go           output that waits; the lines of former runs
//	lease.go                         a part of the program that takes the terminal
//	suspend.go, suspend_unix.go      Ctrl-Z
//	signal_unix.go, signal_other.go  signals of a terminal
package prompt
