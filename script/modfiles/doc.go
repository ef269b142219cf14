// Package modfiles looks at the files of a mod, without running or parsing them, for mistakes that cause
// no error: a file that nothing runs, a mod without code.
//
//	Mistakes(dir)          the mistakes of a mod's folder
//	Mentions(dir, names…)  how often its Lua files use some names
//
// A mistake is reported only if it is certain. A mod that computes the names of its modules, or has a file
// that cannot be read, has no unused files. Tools and examples outside the folders of code are none either.
// A name in a string counts as a use.
package modfiles
