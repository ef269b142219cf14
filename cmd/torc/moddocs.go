package main

import (
	"errors"
	"io"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
)

// modDocs writes down what a mod may call.
func modDocs(*config.Options, io.Writer) error { return errors.New("torc mod docs is not here yet") }
