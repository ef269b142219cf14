// Package manifest reads mod.toml, the manifest of a mod, and sorts mods into load order.
//
//	Discover(folders)          all mods in some folders, by name
//	Order(installed, wanted)   the wanted mods after their dependencies, or an error
//
// A manifest holds the name and version of the mod, its dependencies and conflicts, and the
// permissions that it requests. Versions follow semver.org. Errors name the file and the line.
//
// An edition (NewEditions) is a view of a folder that reads each file once. A reload tests and
// loads the same contents through it, even if files change meanwhile.
//
// The files of a mod can have mistakes that cause no error: a file that nothing runs, a mod without
// code. Files.Mistakes finds them without running or parsing a file. It reports a mistake only if
// it is certain. A mod that computes the names of its modules, or has a file that cannot be read,
// has no unused files. Tools and examples outside the folders of code are none either.
// Files.Mentions counts how often the Lua files of a mod use some names. A name in a string counts
// as a use.
package manifest
