// Package flags reads the command line of a subcommand: flags before, between and after other
// words.
//
//	set := flags.New("torc relay")
//	set.Var(flags.Count{To: &o.Size, Lo: 0, Hi: 65535}, "size", "`BYTES`: drop larger datagrams (0)")
//	words, err := set.Parse(args)
//
// A declaration has the name, the type, the default and the help of a flag. The help begins with
// the name of the value in backquotes, and a colon. All errors are *UsageError: one sentence for
// the user.
//
// Where to read: set.go has the flags of a subcommand and the sentences of errors, values.go the
// types of values that package flag does not have.
package flags
