// Package mods contains the mods that are part of torc. Every server loads base first. ctf and
// deathmatch are complete games to play and to copy from, and hello is a small example.
package mods

import (
	"embed"
	"io/fs"
)

//go:embed base ctf deathmatch hello
var files embed.FS

// FS returns the folder of mods. It contains one folder for each mod, with the mod's name.
func FS() fs.FS { return files }
