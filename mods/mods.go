// Package mods contains the mods that are part of torc. Every server loads base first. ctf and
// deathmatch are complete games to play and to copy from, and hello is a small example.
//
// A program for js/wasm contains only base: a client in a browser needs no other mod.
package mods

import "io/fs"

// FS returns the folder of mods. It contains one folder for each mod, with the mod's name.
func FS() fs.FS { return files }
