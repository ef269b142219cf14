//go:build !js

package core

import "github.com/torc-engine/torc/script/plural"

// pluralForms names the plural forms of numbers. A browser has no server, and needs none.
var pluralForms = plural.For
