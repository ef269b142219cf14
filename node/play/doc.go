// Package play is the client in a browser without the browser: a client node that is stepped once
// per frame, the input of the player, and the words of a frame.
//
//	Input ──► Controls ──► sim.Move, per tick
//	Step  ──► node.Client ──► scene.Slab and State, per frame
//
// It does not depend on js/wasm, so tests run it natively. Package node/wasm exports it to
// JavaScript.
//
// # A frame
//
//  1. `main.js` of cmd/torc-web/www calls the export `frame` for each picture, and for a datagram
//     that arrives long before the next one. It calls Client.Step, which runs the due ticks and
//     sends.
//  2. Reader.Read of game/scene collects the visible things, between the last two ticks. Slab.Fill
//     writes them as rows of 32-bit words. The State beside them has eye, view, health and line.
//  3. JavaScript reads both as typed arrays over the memory of the program. `things.js` turns each
//     row into instances of parts. All parts of one shape are one draw call.
//  4. The mouse calls `turn` at once. The State has the turns that no move has yet, so the view
//     turns at the rate of the pictures. The next move has their sum.
//  5. Texts have numbers in a row. JavaScript asks for the text of a number once, and puts it into
//     the page as a text node.
//
// # Where to read
//
//	client.go             a node whose world is shown, stepped once per frame
//	state.go              the words of a frame
//	controls.go, binds.go the input of the player; keys of mods
//	forms.go              forms of mods, and the HUD
//	mouth.go              frames of voice on their way to the next tick
//	reel.go, spectator.go a demo that is shown; the camera of one who watches
package play
