package rules

import (
	"embed"
	"io/fs"

	"github.com/torc-engine/torc/node"
)

//go:embed mods
var files embed.FS

// Mods is the folder of the mods.
func Mods() fs.FS {
	folder, err := fs.Sub(files, "mods")
	if err != nil {
		panic(err) // the name is a valid path
	}
	return folder
}

// Common is what servers and clients share.
func Common() node.Common {
	return node.Common{Version: "1.0.0", Register: Register, Events: Events(), Mods: []fs.FS{Mods()}}
}

// Client is Common with what clients print in the console.
func Client() node.Common {
	c := Common()
	c.Scripts = []node.Script{{Code: `function GameConnection.onGhostAdded(server, o)
		if o.className == "Beacon" then print("a beacon reaches " .. o.reach .. " m") end
		if o.className == "Crate" then print("a crate holds " .. o.load .. " kg") end
		if o.className == "Crate" and o.dataBlock.fragile then print("it is fragile") end
	end
	function GameConnection.onFlare(server, beacon, strength) print("the " .. beacon .. " flares at " .. strength .. "%") end`}}
	return c
}
