//go:build !js

package core

import (
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/plural"
)

// luaParts returns the parts of Lua that a page in a browser does without.
func luaParts() *script.Parts { return script.NewParts(plural.For) }
