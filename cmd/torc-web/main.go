//go:build !js

// Torc-web is the client of torc in a browser. It runs as WebAssembly in the page that a server
// serves, so on other systems it only says that.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "torc-web runs in a browser: build it with GOOS=js GOARCH=wasm, or open the link that torc prints")
	os.Exit(2)
}
