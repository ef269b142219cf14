// Package console is the command line of a running torc. It has a registry of
// commands and variables, runs lines of text, and returns their output.
//
// It does not depend on a terminal, a network or Lua. The prompt
// (console/prompt), configuration files, remote admins and tests all run lines
// by [Console.Exec] or [Console.Feed]. Other packages register their commands and
// variables.
//
// # Order of interpretation
//
// The console tries a line in this order:
//
//	kick 3 "bad words"    a command: its words are the arguments
//	net.rate              a variable: prints
//	net.rate 20           a variable: sets; so does net.rate = 20
//	1 + 1                 anything else is Lua, run by the function of SetEval
//	= kick                the sign = forces Lua
//
// A line is a command or a variable only if its first word is the name of one.
// After the name, the line must end or continue with a space and any character
// except = ( . : [. So "kick (3)", "list = {}" and "net.rate .. x" are Lua. There
// is one exception: "NAME = VALUE" sets a variable. "NAME == VALUE" is a
// comparison and therefore Lua.
//
// # Words
//
// Words are separated by spaces or tabs. A word that begins with a double quote
// ends at the next double quote and can contain the escapes \n \t \r \\ \" \'
// \xHH. A word that begins with a single quote has no escapes. Inside a word a
// quote is an ordinary character, so "say don't" works. A command can take the
// unparsed rest of the line instead (Command.Line). The value of a variable is
// the rest of the line, or one quoted word.
//
// # Several lines
//
// A chunk of Lua can have several lines. Feed collects them and returns more =
// true while the chunk is unfinished. Cancel discards the chunk. Call End when no
// more lines come. It reports an unfinished chunk as an error.
//
// # Names
//
// Commands and variables share one dotted namespace ("mod.reload", "net.rate").
// Registering a name twice is an error, also if the names differ only in case.
//
// # Untrusted text
//
// Text from a peer (a name, chat, a reason) can contain escape sequences and
// invisible characters. Clean turns it into one harmless line for logs and for
// the operator, and Readable into one for players. Code that prints such text
// must use one of them.
//
// # Where to read
//
//	console.go             a console: commands, variables, lines
//	line.go, parse.go      a line, taken apart
//	var.go, networks.go    values of variables
//	builtin.go, report.go  commands of every console; values as text or JSON
//	complete.go            the completions of a line
//	limited.go             lines of users who can run only some commands
//	given.go               what owners of a console give to it
//	clean.go               text without harm for a terminal
package console
