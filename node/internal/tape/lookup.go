package tape

import (
	"io/fs"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/journal"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/vm"
)

// Resolver returns a resolver that records its results.
func (r *Recorder) Resolver(own engine.Resolver) engine.Resolver {
	if own == nil {
		return nil
	}
	return func(hostport string, done func([]netcore.Addr, error)) {
		n := r.question(journal.Resolved)
		own(hostport, func(to []netcore.Addr, err error) {
			var b []byte
			for _, a := range to {
				b = appendAddr(b, a)
			}
			first := r.begin()
			defer r.Done()
			r.write(journal.Entry{Kind: journal.Resolved, Number: 2*n + number(!first), Name: text(err), Data: b})
			done(to, err)
		})
	}
}

// Trials returns a function that records the results of tests.
func (r *Recorder) Trials(own script.RunTests) script.RunTests {
	if own == nil {
		return nil
	}
	return func(mod string, folders []fs.FS, untested bool, done func(*vm.Protos, error)) {
		n := r.question(journal.Tried)
		own(mod, folders, untested, func(compiled *vm.Protos, err error) {
			first := r.begin()
			defer r.Done()
			r.write(journal.Entry{Kind: journal.Tried, Number: 2*n + number(!first), Name: text(err)})
			done(compiled, err)
		})
	}
}

// Plain returns a function that records which browsers have their page over plain HTTP.
func (r *Recorder) Plain(own func(netcore.Addr) bool) func(netcore.Addr) bool {
	return func(a netcore.Addr) bool {
		n := r.question(journal.OverHTTP)
		plain := own(a)
		if plain {
			r.write(journal.Entry{Kind: journal.OverHTTP, Number: n})
		}
		return plain
	}
}

// Resolver returns a resolver whose results come from the journal, now or as a later call.
func (p *Player) Resolver(engine.Resolver) engine.Resolver {
	if !p.Config.Resolver {
		return nil
	}
	return func(_ string, done func([]netcore.Addr, error)) {
		p.kinds[journal.Resolved]++
		p.lookups[p.kinds[journal.Resolved]] = done
		p.callNow(journal.Resolved, p.kinds[journal.Resolved])
	}
}

// resolved passes on the result of a lookup.
func (p *Player) resolved(e journal.Entry) {
	done := p.lookups[e.Number/2]
	delete(p.lookups, e.Number/2)
	if done == nil {
		p.diverge("a name was resolved that nobody has asked for")
		return
	}
	var to []netcore.Addr
	for b := e.Data; len(b) >= addrSize; b = b[addrSize:] {
		a, _ := parseAddr(b[:addrSize])
		to = append(to, a)
	}
	done(to, textError(e.Name))
}

// Trials returns a function whose results come from the journal as later calls.
func (p *Player) Trials(script.RunTests) script.RunTests {
	if !p.Config.Tests {
		return nil
	}
	return func(_ string, _ []fs.FS, _ bool, done func(*vm.Protos, error)) {
		p.kinds[journal.Tried]++
		p.trials[p.kinds[journal.Tried]] = done
		p.callNow(journal.Tried, p.kinds[journal.Tried])
	}
}

// tried passes on the result of the tests of a mod.
func (p *Player) tried(e journal.Entry) {
	done := p.trials[e.Number/2]
	delete(p.trials, e.Number/2)
	if done == nil {
		p.diverge("a mod was tested that is not reloaded")
		return
	}
	done(nil, textError(e.Name)) // compiled files change no budget
}

// Plain returns a function that knows which browsers had their page over plain HTTP.
func (p *Player) Plain(func(netcore.Addr) bool) func(netcore.Addr) bool {
	return func(netcore.Addr) bool {
		_, ok := p.numbered(journal.OverHTTP)
		return ok
	}
}
