package natsfleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
)

// maxKnown is the most servers of a fleet that a server knows.
const maxKnown = 512

// presence tells the fleet about this server, and hears of the others.
type presence struct {
	keys
	bus *fleetBus

	mu     sync.Mutex
	newest *bus.Server   // to be told; nil: none
	wake   chan struct{} // has a place for one
	others map[string]*heard
	told   time.Time // when the fleet has last taken what this server tells; zero: never

	first sync.Once // the first list that is complete

	writing sync.Mutex // held while the own key is written
	seq     uint64     // its revision
}

// heard is another server and when it was heard.
type heard struct {
	sign
	at time.Time
}

func newPresence(b *fleetBus) *presence {
	return &presence{keys: keys{b.config.prefix() + "_servers"}, bus: b, wake: make(chan struct{}, 1), others: map[string]*heard{}}
}

// A nameTaken refuses the name of another server that lives.
type nameTaken struct {
	name string
	key  seal.Key
}

func (e *nameTaken) Error() string {
	return fmt.Sprintf("the name %s is taken in the fleet, by a server with the key %s: choose another one with --as, or wait %v after its end",
		e.name, e.key.Fingerprint(), bus.GoneAfter)
}

func (p *presence) settings() settings {
	s := p.keys.settings(len(p.bus.config.URLs))
	s.Storage, s.MaxAge, s.Atomic, s.MaxSize = inMemory, bus.GoneAfter, false, maxSign+1024
	return s
}

// ensure makes the bucket, if it is missing.
func (p *presence) ensure(ctx context.Context) error {
	want := p.settings()
	i, err := p.info(ctx, p.bus.nc)
	if refusal(err, errNoStream) {
		i, err = p.create(ctx, p.bus.nc, want)
	}
	if err == nil {
		if wrong := want.check(i.Config); wrong != "" {
			p.bus.warn("settings of "+p.name, wrong)
		}
	}
	return err
}

// claim takes the name, or fails with nameTaken. It takes over from an earlier process of this
// server.
func (p *presence) claim(ctx context.Context) error {
	if err := p.ensure(ctx); err != nil {
		return err
	}
	return p.write(ctx, sign{claim: true, Server: bus.Server{Name: p.bus.name, Key: p.bus.key}})
}

// write writes the own key.
func (p *presence) write(ctx context.Context, s sign) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	s.process = p.bus.process
	subject, nc := p.subject(p.bus.name), p.bus.nc
	seq, err := put(ctx, nc, message(subject, s.encode()), p.seq)
	for range 3 { // the key has expired, an answer was lost, or the process is new
		if !refusal(err, errWrongRevision, errRevisionChanges) {
			break
		}
		old, failed := last(ctx, nc, p.stream(), subject)
		if failed != nil {
			return failed
		}
		if p.isOther(old) {
			return p.taken(old)
		}
		seq, err = put(ctx, nc, message(subject, s.encode()), old.Seq)
	}
	if err == nil {
		p.seq = seq
	}
	return err
}

// isOther reports whether a message of the own key is one of another server, or of a process of
// this server that came later.
func (p *presence) isOther(m stored) bool {
	if len(m.Data) == 0 {
		return false
	}
	s, err := decodeSign(p.bus.name, m.Data)
	return err == nil && (s.Key != p.bus.key || p.seq > 0 && s.process != p.bus.process)
}

func (p *presence) taken(m stored) error {
	s, err := decodeSign(p.bus.name, m.Data)
	if err != nil {
		return err
	}
	return &nameTaken{p.bus.name, s.Key}
}

// tell keeps what is to be told.
func (p *presence) tell(s bus.Server) {
	p.mu.Lock()
	s.Name, s.Key = p.bus.name, p.bus.key
	s.Mods, s.Own = slices.Clone(s.Mods), maps.Clone(s.Own) // the loop goes on with its own
	p.newest = &s
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// maxSign is the most that a server tells, in bytes.
const maxSign = 96 << 10

// run tells the fleet about this server, as often as the loop says so.
func (p *presence) run() {
	ctx := p.bus.ctx
	for {
		select {
		case <-p.wake:
		case <-ctx.Done():
			return
		}
		p.mu.Lock()
		s := p.newest
		p.newest = nil
		p.mu.Unlock()
		if s != nil && p.bus.name != "" {
			p.present(ctx, *s)
		}
	}
}

func (p *presence) present(ctx context.Context, s bus.Server) {
	if _, up, _ := p.bus.line.state(); !up {
		return
	}
	told := sign{Server: s}
	if len(told.encode()) > maxSign {
		told.Own = nil
		p.bus.warn("presence", "the mods of this server tell the fleet more than 96 KiB: nothing of it is told")
	}
	err := p.writeNow(ctx, told)
	if refusal(err, errNoStream) || err != nil && p.ensure(ctx) == nil {
		err = p.writeNow(ctx, told)
	}
	var taken *nameTaken
	switch {
	case errors.As(err, &taken):
		p.bus.warn("name", taken.Error())
	case err == nil:
		p.bus.mended("name")
	}
}

// writeNow writes the own key, and notes whether NATS answers.
func (p *presence) writeNow(ctx context.Context, s sign) error {
	asked := time.Now()
	err := p.write(ctx, s)
	var taken *nameTaken
	p.bus.line.answered(asked, err == nil || errors.As(err, &taken) || refusal(err) && !refusal(err, errNoCluster))
	if err == nil {
		p.mu.Lock()
		p.told = time.Now()
		p.mu.Unlock()
	}
	return err
}

// leave takes this server out of the list at once.
func (p *presence) leave() {
	ctx, cancel := context.WithTimeout(p.bus.ctx, requestTime)
	defer cancel()
	p.writing.Lock()
	defer p.writing.Unlock()
	if _, up, _ := p.bus.line.state(); up && p.bus.name != "" && p.seq > 0 {
		_, _ = put(ctx, p.bus.nc, message(p.subject(p.bus.name), nil), p.seq)
	}
}

const ageEvery = 250 * time.Millisecond

// watch follows the bucket of the servers.
func (p *presence) watch() {
	ctx := p.bus.ctx
	p.bus.work.Go(p.grow)
	for p.bus.line.wait(ctx) {
		number, _, _ := p.bus.line.state()
		if p.ensure(ctx) == nil {
			p.refresh(time.Now())
			w := &watch{keys: p.keys, nc: p.bus.nc, filters: []string{p.all()}, alive: func() bool { return p.bus.line.on(number) }}
			_ = w.run(ctx, p.complete, p.hear)
		}
		pause(ctx, followAgain)
	}
}

// grow lets the servers age, and the patience with a silent node end.
func (p *presence) grow() {
	every := time.NewTicker(ageEvery)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			p.age(time.Now())
			p.bus.line.leave(time.Now())
		case <-p.bus.ctx.Done():
			return
		}
	}
}

// refresh begins the age of all servers anew: while the line was down, nobody could be heard.
func (p *presence) refresh(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.others { // any order: all are changed
		h.at = now
	}
}

// complete tells the loop the list when all of it is there, also an empty one.
func (p *presence) complete() error {
	p.list()
	return nil
}

// hear takes a message about a server.
func (p *presence) hear(e entry) error {
	if e.pending == 0 {
		defer p.first.Do(p.list)
	}
	name := e.subject[min(len(p.subject("")), len(e.subject)):]
	if name == p.bus.name {
		return nil
	}
	if len(e.data) == 0 { // it has left, or NATS has forgotten it
		p.mu.Lock()
		_, known := p.others[name]
		delete(p.others, name)
		p.mu.Unlock()
		if known {
			p.list()
		}
		return nil
	}
	s, err := decodeSign(name, e.data)
	switch {
	case err != nil:
		p.bus.tally.add("the presence of a server that torc has not written, or a newer one")
	case !s.claim && p.note(s, time.Now()):
		p.list()
	}
	return nil
}

// note keeps a server and reports whether it is news.
func (p *presence) note(s sign, now time.Time) (changed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	old := p.others[s.Name]
	if old == nil && len(p.others) >= maxKnown {
		p.bus.tally.add(fmt.Sprintf("servers beyond %d", maxKnown))
		return false
	}
	p.others[s.Name] = &heard{s, now}
	return old == nil || !reflect.DeepEqual(old.Server, s.Server)
}

// tellTime is how long the fleet can take what this server tells. It tells that as often as the
// others do.
const tellTime = bus.PresentEvery + time.Second

// age forgets servers that have been silent, while the line is up and the fleet takes what this
// server tells. Else nobody can be heard: the bucket has no leader for seconds when a node dies.
func (p *presence) age(now time.Time) {
	_, up, _ := p.bus.line.state()
	p.mu.Lock()
	deaf := !p.told.IsZero() && now.Sub(p.told) > tellTime
	p.mu.Unlock()
	if !up || deaf {
		p.refresh(now)
		return
	}
	gone := false
	p.mu.Lock()
	for name, h := range p.others { // any order: each is judged alone
		if now.Sub(h.at) > bus.GoneAfter {
			delete(p.others, name)
			gone = true
		}
	}
	p.mu.Unlock()
	if gone {
		p.list()
	}
}

// list tells the loop all servers.
func (p *presence) list() {
	p.mu.Lock()
	defer p.mu.Unlock()
	var s bus.Servers
	for _, h := range p.others {
		s.List = append(s.List, h.Server)
	}
	slices.SortFunc(s.List, func(a, b bus.Server) int { return cmp.Compare(a.Name, b.Name) })
	p.bus.in.known(s)
}

// lives reports whether another server is known.
func (p *presence) lives(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.others[name] != nil
}
