// Package manifest reads the file mod.toml of a mod and decides which mods are loaded, in which
// order.
//
//	Discover(folders)          every folder with a mod.toml, by name
//	Order(installed, wanted)   the wanted mods after their dependencies, or the reason why not
//
// A manifest names the mod, its version, the mods that it depends on or conflicts with, and the
// permissions that it asks for. Versions follow semver.org. Errors name the file and the line.
//
// An edition (NewEditions) is a view of a folder that reads each file once. A reload tests and loads
// the same contents through it, whatever is written to the disk meanwhile.
package manifest
