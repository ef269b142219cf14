package tape

import (
	"encoding/binary"
	"fmt"

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

// adopted records a command that the program adds. One that is added in a call, such as by a mod,
// is no input.
func (r *Recorder) adopted(own console.Command) console.Command {
	defer r.Done()
	if !r.begin() {
		return own
	}
	r.write(journal.Entry{Kind: journal.Command, Data: encode(commandOf(&own))})
	return r.Command(own)
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
		r.commands++
		out, err := run(args)
		r.commands--
		if r.depth = outer; outer > 0 {
			r.write(journal.Entry{Kind: journal.Output, Name: text(err), Data: []byte(out)})
		} else {
			r.stop()
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

// adds adds a command of the program to the console.
func (p *Player) adds(e journal.Entry) {
	var c Command
	p.decode(e.Data, &c)
	if err := p.console.Register(p.Command(c.given())); err != nil {
		p.diverge("a command of the program cannot be added: " + err.Error())
	}
}

// Command returns a command that does what the journal says instead of its own work. A line that is
// not in the journal, such as one typed at a replay, gets its own work.
func (p *Player) Command(own console.Command) console.Command {
	own.Run = played(p, own.Name, own.Run)
	own.Line = played(p, own.Name, own.Line)
	return own
}

func played[T any](p *Player, name string, run func(T) (string, error)) func(T) (string, error) {
	if run == nil {
		return nil
	}
	return func(args T) (string, error) {
		if p.depth == 0 {
			return run(args)
		}
		return p.outcome(name)
	}
}

// outcome makes the calls of a command, and returns its result.
func (p *Player) outcome(name string) (string, error) {
	for len(p.answers[journal.Output]) == 0 {
		if !p.runNext() {
			p.diverge("the command " + name + " was not used")
			return "", said("the journal does not have what it did")
		}
	}
	a := p.answer(journal.Output)
	return string(a.Data), textError(a.Name)
}

// CommandsOf describes commands of the program, for a Config.
func CommandsOf(all []console.Command) (list []Command) {
	for i := range all {
		list = append(list, commandOf(&all[i]))
	}
	return list
}

func commandOf(c *console.Command) Command {
	return Command{Name: c.Name, Params: c.Params, Help: c.Help, RunsLines: c.RunsLines, Secret: c.Secret, Line: c.Line != nil}
}

// Given returns the commands of the program, as a Config describes them.
func (c *Config) Given() (list []console.Command) {
	for _, d := range c.Commands {
		list = append(list, d.given())
	}
	return list
}

// given returns the command without its program.
func (c Command) given() console.Command {
	err := fmt.Errorf("%s is a command of the program that wrote the journal: a replay cannot run it", c.Name)
	given := console.Command{
		Name: c.Name, Params: c.Params, Help: c.Help, RunsLines: c.RunsLines, Secret: c.Secret, Run: func([]string) (string, error) { return "", err },
	}
	if c.Line {
		given.Line = func(string) (string, error) { return "", err }
	}
	return given
}
