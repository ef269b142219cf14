//go:build !js

package mods

import "embed"

//go:embed base ctf deathmatch hello
var files embed.FS
