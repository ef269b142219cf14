// Package console is the line of text by which people steer a running torc:
// a registry of commands and variables, a line to run, and text that comes out.
//
// It knows neither a terminal nor a network nor Lua. The prompt
// (console/prompt), configuration files, remote admins and tests all enter
// through the same door, [Console.Exec] or [Console.Feed], and everything above
// registers itself here.
//
// # The ladder
//
// A line is tried in this order:
//
//	kick 3 "bad words"    a command: its words are the arguments
//	net.rate              a variable: prints
//	net.rate 20           a variable: sets; so does net.rate = 20
//	1 + 1                 anything else is Lua, run by the function of SetEval
//	= kick                the sign = forces Lua
//
// A line is a command or a variable only if its first word is one and what
// follows is the end, or a space that is not followed by one of = ( . : [ so
// that "kick (3)", "list = {}" and "net.rate .. x" stay Lua. One exception
// makes variables pleasant: "NAME = VALUE" sets one (and "NAME == VALUE" is a
// comparison, thus Lua).
//
// # Words
//
// Words are separated by spaces or tabs. A word that begins with a double quote
// runs to the next one and knows the escapes \n \t \r \\ \" \' \xHH; one that
// begins with a single quote is taken as it stands. Inside a word a quote is
// an ordinary character, so that "say don't" needs no care. A command may ask
// for the rest of the line as it stands instead (Command.Line). The value of a
// variable is the rest of the line, or one quoted word.
//
// # Several lines
//
// Lua may need more lines than one. Feed collects them: more says that the
// chunk is unfinished, Cancel throws it away, and End, when no more lines come,
// reports it as an error.
//
// # Names
//
// Commands and variables share one dotted namespace ("mod.reload", "net.rate").
// A second registration of a name is an error, also if it differs only in case.
//
// # Foreign text
//
// Text that a peer chose (a name, chat, a reason) may hold escape sequences and
// invisible characters. Clean makes one harmless line of it; whoever prints
// such text uses it.
package console
