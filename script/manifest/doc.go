// Package manifest reads mod.toml, the manifest of a mod, and sorts mods into load order.
//
//	Discover(folders)          all mods in some folders, by name
//	Order(installed, wanted)   the wanted mods after their dependencies, or an error
//
// A manifest holds the name and version of the mod, its dependencies and conflicts, and the
// permissions that it requests. Versions follow semver.org. Errors name the file and the line.
//
// An edition (NewEditions) is a view of a folder that reads each file once. A reload tests and loads
// the same contents through it, even if files change meanwhile.
package manifest
