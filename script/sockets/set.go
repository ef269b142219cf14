package sockets

import (
	"net/netip"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm"
)

// Limits of one mod.
const (
	MaxInFlight    = 4       // HTTP requests under way
	MaxRequests    = 64      // HTTP requests under way, waiting, and waiting for their callback
	MaxBody        = 1 << 20 // bytes of the body of a request or a response
	MaxConnections = 16      // that the mod has opened
	MaxListeners   = 4
	MaxQueued      = 64 << 10 // bytes that wait to be sent on a connection
)

// Config connects a Set to the rest of a host.
type Config struct {
	Runtime *vm.Runtime
	Network Network // nil: there is none, and every request fails
	// Permit returns why a mod does not have a permission, or nil. Permissions lists what the mod
	// requests.
	Permit      func(m *vm.Mod, permission string) error
	Permissions func(m *vm.Mod) []string
	// Connected returns the peer, or 0 if it has left.
	Connected func(p vm.Peer) vm.Peer
}

// A Set is the requests, connections and listeners of all mods of a host.
type Set struct {
	cfg      Config
	allow    []netip.Prefix
	newest   ID
	owners   map[ID]receiver
	accounts []*account // in order of their first use
	// lingering are the connections that a mod has opened and closed, and whose sockets are still
	// open, with the name of the mod: they count also after a reload of the mod.
	lingering map[ID]string
	dead      []ID // of retired mods, for the Network to close
}

// A receiver gets the events of an ID.
type receiver interface{ receive(e Event) }

// New returns an empty Set.
func New(cfg Config) *Set {
	return &Set{cfg: cfg, owners: map[ID]receiver{}, lingering: map[ID]string{}}
}

// Allow sets the networks that mods with a permission can reach although their addresses are not
// public. It changes nothing for requests that are under way and for open connections.
func (s *Set) Allow(list []netip.Prefix) { s.allow = list }

// Allowed returns the networks of Allow.
func (s *Set) Allowed() []netip.Prefix { return s.allow }

// An account is everything that one instance of a mod has open.
type account struct {
	set      *Set
	mod      *vm.Mod
	requests []*request
	sockets  []socket
	due      []func() (done bool) // callbacks to run, oldest first; one that is not done continues in a later tick
	meta     *lua.LTable          // of handles
	methods  map[string]*lua.LFunction
}

// socket is a connection or a listener of a mod.
type socket interface {
	receiver
	flush() (gone bool)
	permission() string
	revoke(why error)
	number() ID
}

// account returns the account of a mod.
func (s *Set) account(m *vm.Mod) *account {
	for _, a := range s.accounts {
		if a.mod == m {
			return a
		}
	}
	a := &account{set: s, mod: m, methods: map[string]*lua.LFunction{}}
	s.accounts = append(s.accounts, a)
	return a
}

// add returns a new ID whose events go to r.
func (s *Set) add(r receiver) ID {
	s.newest++
	s.owners[s.newest] = r
	return s.newest
}

// Begin takes the events of the network and runs the callbacks. Call it once at the start of each
// tick. Callbacks of a mod that has used up its share of the tick wait for the next one.
func (s *Set) Begin() {
	if s.cfg.Network != nil {
		for _, e := range s.cfg.Network.Events() {
			s.take(e)
		}
	}
	for _, a := range s.accounts {
		a.run()
	}
}

// take passes an event to its receiver.
func (s *Set) take(e Event) {
	if e.Kind == Accepted {
		if l, ok := s.owners[e.Listener].(*listener); ok {
			l.accept(e)
		} else {
			s.cfg.Network.Close(e.ID, true)
		}
		return
	}
	if e.Kind == Closed {
		delete(s.lingering, e.ID)
	}
	if r := s.owners[e.ID]; r != nil {
		r.receive(e)
	}
}

// Flush passes on the requests of the mods. Call it once at the end of each tick.
func (s *Set) Flush() {
	for _, id := range s.dead {
		if s.cfg.Network != nil {
			s.cfg.Network.Close(id, true)
		}
	}
	s.dead = nil
	for _, a := range s.accounts {
		a.flush()
	}
	s.accounts = slices.DeleteFunc(s.accounts, (*account).empty)
}

// Retire ends everything of a mod instance. No more of its callbacks run.
func (s *Set) Retire(m *vm.Mod) {
	i := slices.IndexFunc(s.accounts, func(a *account) bool { return a.mod == m })
	if i < 0 {
		return
	}
	a := s.accounts[i]
	for id, r := range s.owners {
		if of(r) == a {
			delete(s.owners, id)
			s.dead = append(s.dead, id)
		}
	}
	slices.Sort(s.dead)
	s.accounts = slices.Delete(s.accounts, i, i+1)
}

// of returns the account of a receiver.
func of(r receiver) *account {
	switch r := r.(type) {
	case *request:
		return r.account
	case *conn:
		return r.account
	case *listener:
		return r.account
	}
	return nil
}

// Recheck ends everything that is no longer permitted. Call it after the operator has changed
// permissions.
func (s *Set) Recheck() {
	for _, a := range s.accounts {
		for _, r := range slices.Clone(a.requests) {
			if why := s.cfg.Permit(a.mod, r.permit); why != nil && r.permit != "" {
				r.fail(why.Error())
			}
		}
		for _, k := range slices.Clone(a.sockets) {
			if why := s.cfg.Permit(a.mod, k.permission()); why != nil {
				k.revoke(why)
			}
		}
	}
}

// later queues a callback.
func (a *account) later(run func() (done bool)) { a.due = append(a.due, run) }

// run runs the queued callbacks while the mod has time left in this tick. Those that they queue
// wait for the next tick, so a mod that asks again after each refusal gets one refusal per tick.
func (a *account) run() {
	for n := len(a.due); n > 0 && !a.busy(); n-- {
		if !a.due[0]() {
			return
		}
		a.due[0] = nil
		a.due = a.due[1:]
	}
	if len(a.due) == 0 {
		a.due = nil
	}
}

func (a *account) busy() bool { return a.set.cfg.Runtime.BusyFor(a.mod) }

// call runs a callback for the peer that caused the request. A nil fn does nothing.
func (a *account) call(event string, cause vm.Peer, fn *lua.LFunction, args ...lua.LValue) {
	if fn == nil {
		return
	}
	r := a.set.cfg.Runtime
	defer r.SetPeer(r.SetPeer(a.set.cfg.Connected(cause)))
	r.Dispatch(a.mod, event, fn, args...)
}

func (a *account) flush() {
	a.sockets = slices.DeleteFunc(a.sockets, func(k socket) bool {
		gone := k.flush()
		if gone {
			delete(a.set.owners, k.number())
		}
		return gone
	})
	flying := 0
	for _, r := range a.requests {
		if r.state == flight {
			flying++
		}
	}
	for _, r := range a.requests {
		if r.state == waiting && flying < MaxInFlight {
			flying++
			r.start()
		}
	}
}

// empty reports whether nothing is open and no callback waits.
func (a *account) empty() bool { return len(a.requests)+len(a.sockets)+len(a.due) == 0 }

// target returns the target of a host and a port, and its permission. allowed sets its Allow.
func (s *Set) target(m *vm.Mod, host string, port int) (t Target, permission string, err error) {
	permission, err = s.reach(m, host, port)
	return Target{Host: host, Port: port}, permission, err
}

// allowed returns the addresses that a host may have now although they are not public.
func (s *Set) allowed(host string) []netip.Prefix {
	if a, err := netip.ParseAddr(host); err == nil { // the permission itself names the address
		return append(slices.Clip(s.allow), netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()))
	}
	return s.allow
}

// textOrNil returns a reason for Lua, nil for "".
func textOrNil(text string) lua.LValue {
	if text == "" {
		return lua.LNil
	}
	return lua.LString(text)
}
