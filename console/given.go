package console

// A Given is something that the owner of a console gives to it.
type Given struct {
	Way   Way
	Line  string                 // or the name of a variable
	Chunk string                 // of Feed: the unfinished chunk that the line continues; of Set: the value
	May   func(name string) bool // of ExecCommand; a watcher can replace it
}

// A Way is how a line runs: the method of Console.
type Way uint8

const (
	ByExec        Way = iota // Console.Exec
	ByFeed                   // Console.Feed
	ByExecCommand            // Console.ExecCommand
	BySet                    // Console.Set
	ByReset                  // Console.Reset
)

// SetWatcher sets a function that learns of each Given before it runs. done, if not nil, is called
// when it has run. Lines that run lines cause further calls.
func (c *Console) SetWatcher(watch func(*Given) (done func())) { c.watch = watch }

// given tells the watcher, unless the line does its work outside of what the console belongs to.
// The caller must call done.
func (c *Console) given(g *Given, l typedLine) (done func()) {
	elsewhere := l.entry != nil && l.entry.command != nil && l.entry.command.Elsewhere
	if c.watch != nil && !elsewhere {
		if done = c.watch(g); done != nil {
			return done
		}
	}
	return func() {}
}

// Give runs what a watcher has learned of. It leaves the unfinished chunk of Feed as it is.
func (c *Console) Give(g *Given) (out string, err error) {
	switch g.Way {
	case ByFeed:
		mine := c.SwapChunk(g.Chunk)
		out, _, err = c.Feed(g.Line)
		c.SwapChunk(mine)
		return out, err
	case ByExecCommand:
		return c.ExecCommand(g.Line, g.May)
	case BySet:
		return "", c.Set(g.Line, g.Chunk)
	case ByReset:
		return "", c.Reset(g.Line)
	}
	return c.Exec(g.Line)
}
