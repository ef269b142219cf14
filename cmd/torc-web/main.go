// Torc-web is the client of torc in a browser. It runs as WebAssembly in the page that a server
// serves, so on other systems it only says that.
package main

import (
	"fmt"
	"os"

	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/wasm"
)

func main() {
	if err := wasm.Run(node.Common{}); err != nil {
		fmt.Fprintln(os.Stderr, "torc-web:", err)
		os.Exit(2)
	}
}
