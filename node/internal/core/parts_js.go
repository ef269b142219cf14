package core

import "github.com/torc-engine/torc/script"

func luaParts() *script.Parts { return nil }
