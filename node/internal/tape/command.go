package tape

import (
	"encoding/binary"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node/internal/journal"
)

// given records a line that is no part of another call.
func (r *Recorder) given(g *console.Given) (done func()) {
	if !r.begin() {
		return r.Done
	}
	b := binary.AppendUvarint(nil, uint64(len(g.Line)))
	r.write(journal.Entry{Kind: journal.Line, Number: uint64(g.Way), Name: r.by(), Data: append(append(b, g.Line...), g.Chunk...)})
	if may := g.May; may != nil {
		g.May = func(name string) bool {
			yes := may(name)
			if yes {
				r.write(journal.Entry{Kind: journal.May, Name: name})
			}
			return yes
		}
	}
	return r.Done
}

// Command returns a command of the program that records what it does: what it gives to the console,
// its output and its error.
func (r *Recorder) Command(own console.Command) console.Command {
	own.Run = recorded(r, own.Run)
	own.Line = recorded(r, own.Line)
	return own
}

func recorded[T any](r *Recorder, run func(T) (string, error)) func(T) (string, error) {
	if run == nil {
		return nil
	}
	return func(args T) (string, error) {
		outer := r.depth
		r.depth = 0 // what it gives is an input
		out, err := run(args)
		r.depth = outer
		if outer > 0 {
			r.write(journal.Entry{Kind: journal.Output, Name: text(err), Data: []byte(out)})
		}
		return out, err
	}
}

// line runs a line of the journal.
func (p *Player) line(e journal.Entry) {
	s := reader{b: e.Data}
	line := s.bytes(s.uvarint())
	if s.bad {
		p.diverge("a line is damaged")
		return
	}
	g := console.Given{Way: console.Way(e.Number), Line: string(line), Chunk: string(s.b), May: p.may}
	p.By = e.Name
	out, err := p.console.Give(&g)
	if p.Said != nil {
		p.Said(e.Name, &g, out, err)
	}
}

// may reports whether the user of a line could run a command.
func (p *Player) may(name string) bool {
	list := p.answers[journal.May]
	if len(list) == 0 || list[0].Name != name {
		return false
	}
	p.answers[journal.May] = list[1:]
	return true
}

// Command returns a command that does what the journal says instead of its own work.
func (p *Player) Command(own console.Command) console.Command {
	run := func() (string, error) {
		for len(p.answers[journal.Output]) == 0 {
			if !p.runNext() {
				p.diverge("the command " + own.Name + " was not used")
				return "", said("the journal does not have what it did")
			}
		}
		a := p.answer(journal.Output)
		return string(a.Data), textError(a.Name)
	}
	own.Run = func([]string) (string, error) { return run() }
	if own.Line != nil {
		own.Line = func(string) (string, error) { return run() }
	}
	return own
}

// CommandsOf describes commands of the program, for a Config.
func CommandsOf(all []console.Command) (list []Command) {
	for _, c := range all {
		list = append(list, Command{c.Name, c.Params, c.Help, c.RunsLines, c.Secret})
	}
	return list
}

// Commands returns the commands of the program, as a Config describes them.
func (c *Config) Given() (list []console.Command) {
	for _, d := range c.Commands {
		list = append(list, console.Command{Name: d.Name, Params: d.Params, Help: d.Help, RunsLines: d.RunsLines, Secret: d.Secret, Run: func([]string) (string, error) { return "", nil }})
	}
	return list
}
