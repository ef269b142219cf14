package main

import (
	"io"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
)

// modTools does what a modder needs before there is a server.
func modTools(o *config.Options, stdout io.Writer) error {
	switch o.Verb {
	case "check":
		return modCheck(o, stdout)
	case "docs":
		return modDocs(o, stdout)
	}
	return nil
}
