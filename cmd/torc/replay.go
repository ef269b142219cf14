package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/engine/recording"
	"github.com/torc-engine/torc/node/replay"
)

// replay plays a journal or a demo. The first bytes of the file say which it is.
func (sys *system) replay(o *config.Replay) error {
	f, err := os.Open(o.File)
	if err != nil {
		return flags.Usagef("torc replay: %v", err)
	}
	defer f.Close()
	head := make([]byte, 64)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF { // a shorter file is neither
		return err
	}
	switch {
	case n == 0:
		return fmt.Errorf("%s is empty: its process was killed at once, or the disk was full", o.File)
	case replay.IsJournal(head[:n]):
		return sys.replayJournal(o, f)
	case recording.IsDemo(head[:n]):
		if given := journalFlags(o); len(given) > 0 {
			return flags.Usagef("%s is a demo: %s is for journals", o.File, strings.Join(given, ", "))
		}
		return sys.playDemo(o, f)
	}
	return fmt.Errorf("%s is neither a journal nor a demo of torc", o.File)
}

// journalFlags returns the given flags that only the replay of a journal has.
func journalFlags(o *config.Replay) (flags []string) {
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"--check", o.Check}, {"--from", o.From > 0 || o.FromMark > 0}, {"--until", o.Until > 0}, {"--prompt", o.Prompt}, {"--with-mods", o.WithMods != ""}, {"--net", o.Net != ""},
	} {
		if f.given {
			flags = append(flags, f.name)
		}
	}
	return flags
}
