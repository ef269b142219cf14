package node

import (
	"io"
	"log/slog"

	"github.com/torc-engine/torc/node/internal/logs"
)

// NewLogger returns a logger for Common.Log. It writes records from level on to w, one per line, as
// "text" or "json". It limits how often a message is written, so no peer and no mod can fill a
// disk, and it makes control characters visible.
func NewLogger(w io.Writer, level slog.Leveler, format string) *slog.Logger {
	return logs.New(w, level, format)
}
