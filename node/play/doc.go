// Package play is the client in a browser without the browser: a client node that is stepped once per
// frame, the input of the player, and the words of a frame.
//
//	Input ──► Controls ──► sim.Move, per tick
//	Step  ──► node.Client ──► scene.Slab and State, per frame
//
// It does not depend on js/wasm, so tests run it natively. Package main exports it to JavaScript.
package play
