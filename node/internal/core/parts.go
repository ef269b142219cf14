//go:build !js

package core

import (
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/plural"
)

// Parts are the parts of Lua that a page in a browser does without.
var Parts = script.NewParts(plural.For)
