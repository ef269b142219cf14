// Package mods holds the mods that come with torc: base, which every server loads first; ctf and
// deathmatch, two games to play and to copy from; and hello, a small one to learn from.
package mods

import (
	"embed"
	"io/fs"
)

//go:embed base ctf deathmatch hello
var files embed.FS

// FS is the folder of mods: one folder for each, named like the mod.
func FS() fs.FS { return files }
