package main

import (
	"errors"
	"io"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
)

// modCheck reads a mod without running it.
func modCheck(*config.Options, io.Writer) error { return errors.New("torc mod check is not here yet") }
