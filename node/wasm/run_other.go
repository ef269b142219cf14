//go:build !js

package wasm

import (
	"errors"

	"github.com/torc-engine/torc/node"
)

// Run fails on all systems but js: there is no page.
func Run(node.Common) error {
	return errors.New("this program runs in a browser: build it with GOOS=js GOARCH=wasm, or open the link that the server prints")
}
