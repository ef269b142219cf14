// Package wasm is the client of torc in a browser, for a program of a few lines:
//
//	func main() {
//		if err := wasm.Run(node.Common{Register: register}); err != nil {
//			fmt.Fprintln(os.Stderr, err)
//			os.Exit(2)
//		}
//	}
//
// cmd/torc-web is such a program, with torc's own classes alone. A program of your own adds Go
// classes, commands and mods. webclient.Builder of node/webclient builds it, and node.Web serves
// it: docs/extend.md has a complete one.
//
// JavaScript owns the clock, the channel and the picture. It calls the exported functions, and
// reads each frame from the memory of the program. The files of the page are in cmd/torc-web/www.
//
// # Where to read
//
//	follow_js.go  the lines to servers that the player is sent to
//	run_js.go     what JavaScript calls
//	run_other.go  other systems, which have no page
package wasm
