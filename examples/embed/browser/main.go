// Browser is the client of this game for browsers: torc's, with the game's own classes.
package main

import (
	"fmt"
	"os"

	"github.com/torc-engine/torc/node/wasm"

	"example.org/embed/rules"
)

func main() {
	if err := wasm.Run(rules.Client()); err != nil {
		fmt.Fprintln(os.Stderr, "browser:", err)
		os.Exit(2)
	}
}
