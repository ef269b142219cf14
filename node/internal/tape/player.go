package tape

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/fleet/bus"
	"github.com/torc-engine/torc/node/internal/journal"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/vm"
)

// A Player reads a journal, makes its calls to a server, and answers what the server asks.
type Player struct {
	Config Config
	Tick   uint64        // ticks so far, with those of a paused server
	Now    time.Duration // the time of the newest call that has one
	Date   time.Time     // the date of the machine in the newest tick
	Marks  []Mark        // so far
	depth  int           // of calls in calls
	Faults []Mark        // of scripts in this run, so far
	End    string        // why the journal ended before the server; "" if it did not
	ended  bool          // the journal has an end
	endSum uint32        // of the datagrams after the last tick
	// Said gets what the lines of the console print; nil: nobody.
	Said func(by string, g *console.Given, out string, err error)
	// Clock measures what scripts use; nil: nothing is measured. Set it before the server is made.
	Clock func() time.Duration

	By string // who gave the newest line of the console

	in      *journal.Reader
	next    journal.Entry // the next call
	left    error         // why there is none
	answers map[journal.Kind][]journal.Entry
	held    int  // bytes of the answers and the next call
	most    int  // of these and of what the shelf holds
	longest int  // bytes of news
	began   bool // the server has started, or does so next
	kinds   map[journal.Kind]uint64
	addrs   map[uint64]netcore.Addr
	lookups map[uint64]func([]netcore.Addr, error)
	trials  map[uint64]func(*vm.Protos, error)
	sum     uint32
	state   state
	shelf   shelf
	news    []byte // the first part of news
	addr    [addrSize]byte

	server  Server
	host    *engine.Host
	runtime *vm.Runtime
	console *console.Console
	first   string // the first difference
	detail  string // of the next State entry
}

// A Server is what a Player makes calls to.
type Server interface {
	Start() error
	Ending(restart bool)
	Close(restart bool, reason string)
	NotePlain()
	Reread()
	Fleet(list []script.FleetServer)
	News(n *bus.News)
	Set(name, value string)
	Receive(at time.Duration, from netcore.Addr, b []byte)
	Send(now time.Duration, out func(to netcore.Addr, b []byte))
	Tick(now time.Duration)
}

// A Mark is a place in a journal to look at.
type Mark struct {
	Tick uint64
	Why  string
}

// NewPlayer reads the header of a journal.
func NewPlayer(in *journal.Reader) (*Player, error) {
	p := &Player{
		in: in, answers: map[journal.Kind][]journal.Entry{}, kinds: map[journal.Kind]uint64{}, addrs: map[uint64]netcore.Addr{},
		lookups: map[uint64]func([]netcore.Addr, error){}, trials: map[uint64]func(*vm.Protos, error){}, shelf: shelf{files: map[access]result{}}, most: maxHeld, longest: maxNews,
	}
	if err := json.Unmarshal(in.Header.Config, &p.Config); err != nil {
		return nil, fmt.Errorf("the header of the journal cannot be read: %w", err)
	}
	p.Date = time.Unix(0, p.Config.Date)
	if p.fetch(); p.next.Kind != journal.Start && p.next.Kind != journal.Command {
		return nil, p.errNoStart()
	}
	return p, nil
}

// errNoStart says why the first call of a journal is no start.
func (p *Player) errNoStart() error {
	switch {
	case p.next.Kind != 0:
		return errors.New("the first call of the journal is not the start of its server")
	case p.left == io.EOF:
		return errors.New("the journal ends before its server starts: the process was killed, or the file was cut off")
	}
	return fmt.Errorf("the journal ends before its server starts: %w", p.left)
}

// Attach sets the server. Its verdicts of scripts come from the journal.
func (p *Player) Attach(s Server, h *engine.Host, r *vm.Runtime, c *console.Console) {
	p.server, p.host, p.runtime, p.console = s, h, r, c
	p.foretell()
}

// Setup lets scripts run without a heap, and with no other clock than that of the Player.
func (p *Player) Setup(s *script.Setup) {
	s.Clock, s.Thread, s.Heap, s.Collect, s.Foretold = p.Clock, nil, nil, nil, true
	s.Fault = func(f *vm.Fault) { p.Faults = append(p.Faults, Mark{p.Tick, faultMark(f)}) }
}

const (
	maxDepth   = 64        // of calls in calls
	maxEvents  = 1 << 16   // of the connections of mods, for one question
	maxHeld    = 256 << 20 // bytes of what a Player keeps of a journal
	entryBytes = 256       // of them for an entry, besides its name and data
)

var errStart = errors.New("the journal starts its server a second time, and no server does")

// errHeld refuses a journal that needs too much memory.
func errHeld(most int) error {
	return fmt.Errorf("the journal needs more than %d MiB of memory, and no server writes one that does", most>>20)
}

// sizeOf returns how much memory an entry needs, in bytes.
func sizeOf(e *journal.Entry) int { return entryBytes + len(e.Name) + len(e.Data) }

// fetch reads the answers of the call that begins, up to the next call.
func (p *Player) fetch() {
	for p.left == nil {
		e, err := p.in.Next()
		if err == nil {
			err = p.tooMany()
		}
		if err == nil && p.held+p.shelf.held+sizeOf(&e) > p.most {
			err = errHeld(p.most)
		}
		begins := false
		if err == nil {
			e.Data = append([]byte(nil), e.Data...)
			begins, err = p.take(e)
		}
		if p.left = err; begins {
			return
		}
	}
}

// take takes an entry, and counts its memory where it is kept. begins reports whether it is the
// next call.
func (p *Player) take(e journal.Entry) (begins bool, err error) {
	size := sizeOf(&e)
	switch e.Kind {
	case journal.Content, journal.File:
		return false, p.shelf.add(e)
	case journal.Mark:
		p.shelf.held += size
		p.Marks = append(p.Marks, Mark{p.Tick, e.Name})
		return false, nil
	}
	p.held += size
	switch {
	case e.Kind == journal.Start && p.began:
		return false, errStart
	case e.Kind == journal.Address:
		p.addrs[e.Number], err = parseAddr(e.Data)
		return false, err
	case e.Kind == journal.End:
		p.End, p.ended, p.endSum = e.Name, true, uint32(e.Number)
		return false, nil
	case e.Kind.IsCall():
		p.began, p.next = p.began || e.Kind == journal.Start, e
		return true, nil
	}
	p.answers[e.Kind] = append(p.answers[e.Kind], e)
	return false, nil
}

// tooMany refuses a journal with more marks or addresses than a Recorder writes.
func (p *Player) tooMany() error {
	switch {
	case len(p.Marks) > maxMarks:
		return fmt.Errorf("the journal has more than %d marks, and no server writes one that does", maxMarks)
	case len(p.addrs) > maxAddresses:
		return fmt.Errorf("the journal has more than %d addresses, and no server writes one that does", maxAddresses)
	}
	return nil
}

// foretell tells scripts the verdicts of the call that begins.
func (p *Player) foretell() {
	for _, e := range p.answers[journal.Verdict] {
		r := reader{b: e.Data}
		p.runtime.Foretell(vm.Verdict{Kind: vm.VerdictKind(e.Number), At: r.varint(), N: r.varint()})
	}
	p.answers[journal.Verdict] = nil
}

// answer returns the next answer of a kind of which each question has one.
func (p *Player) answer(k journal.Kind) journal.Entry {
	list := p.answers[k]
	if len(list) == 0 {
		p.diverge(fmt.Sprintf("the server asks something that it did not ask (kind %d)", k))
		return journal.Entry{}
	}
	p.answers[k] = list[1:]
	return list[0]
}

// numbered returns the answer to the next question of a kind, if there is one.
func (p *Player) numbered(k journal.Kind) (e journal.Entry, ok bool) {
	p.kinds[k]++
	return p.more(k)
}

// more returns the next entry with the answer to the newest question of a kind, if there is one.
func (p *Player) more(k journal.Kind) (e journal.Entry, ok bool) {
	list := p.answers[k]
	if len(list) == 0 || list[0].Number != p.kinds[k] {
		return e, false
	}
	p.answers[k] = list[1:]
	return list[0], true
}

// Header returns the header of the journal.
func (p *Player) Header() journal.Header { return p.in.Header }

// Step makes the next call. The error is io.EOF after the last one.
func (p *Player) Step() error {
	if !p.runNext() {
		return p.left
	}
	for _, e := range p.answers[journal.State] {
		p.compare(e)
	}
	delete(p.answers, journal.State)
	for k, list := range p.answers {
		if len(list) > 0 && k != journal.May {
			p.diverge(fmt.Sprintf("the server does not ask something that it asked (kind %d)", k))
		}
	}
	clear(p.answers)
	p.held = sizeOf(&p.next)
	if p.next.Kind == 0 && p.sum != p.endSum {
		p.diverge("the datagrams after the last tick differ")
	}
	return nil
}

// Next returns the kind of the next call, and its time if it has one. ok is false after the last
// one.
func (p *Player) Next() (k journal.Kind, at time.Duration, ok bool) {
	return p.next.Kind, p.next.Time, p.next.Kind != 0
}

// callNow makes the next call if it is the immediate result of the lookup or trial of this number.
func (p *Player) callNow(k journal.Kind, number uint64) {
	if p.next.Kind == k && p.next.Number == 2*number+1 {
		p.runNext()
	}
}

// runNext makes the next call. It reports whether there is one.
func (p *Player) runNext() bool {
	e := p.next
	if e.Kind == 0 || p.depth == maxDepth {
		return false
	}
	p.depth++
	defer func() { p.depth-- }()
	p.next = journal.Entry{}
	if e.Kind == journal.Tick {
		p.Tick++
	}
	if p.fetch(); p.next.Kind == 0 && !p.ended {
		return false // some of its answers can be missing
	}
	p.foretell()
	if e.Time != 0 {
		p.Now = e.Time
	}
	p.call(e)
	return true
}

// call makes a call to the server.
func (p *Player) call(e journal.Entry) {
	switch e.Kind {
	case journal.Start:
		if err := p.server.Start(); err != nil {
			p.diverge("the server does not start: " + err.Error())
		}
	case journal.Receive:
		p.server.Receive(e.Time, p.addrs[e.Number], e.Data)
	case journal.Send:
		p.server.Send(e.Time, p.sent)
	case journal.Tick:
		p.tick(e)
	case journal.Line:
		p.line(e)
	case journal.Set:
		p.server.Set(e.Name, string(e.Data))
	case journal.Resolved:
		p.resolved(e)
	case journal.Tried:
		p.tried(e)
	case journal.Plain:
		p.server.NotePlain()
	case journal.Reread:
		p.server.Reread()
	case journal.Fleet:
		var list []script.FleetServer
		p.decode(e.Data, &list)
		p.server.Fleet(list)
	case journal.News:
		p.hears(e)
	case journal.Ending:
		p.server.Ending(e.Number == 1)
	case journal.Close:
		p.server.Close(e.Number == 1, e.Name)
	case journal.Command:
		p.adds(e)
	}
}

// sent counts a datagram of the server. It goes nowhere.
func (p *Player) sent(to netcore.Addr, b []byte) { p.sum = sumDatagram(p.sum, p.addr[:0], to, b) }

// tick runs a tick, and compares.
func (p *Player) tick(e journal.Entry) {
	if len(e.Data) == 4 && binary.LittleEndian.Uint32(e.Data) != p.sum {
		p.diverge("the datagrams since the tick before differ")
	}
	p.sum = 0
	p.Date = time.Unix(0, int64(e.Number))
	p.server.Tick(e.Time)
}

// compare compares the world with a State entry.
func (p *Player) compare(e journal.Entry) {
	text := p.state.compare(e.Data, p.host.World(), p.runtime)
	switch {
	case text == "":
	case p.first == "":
		p.diverge(text)
	case p.detail == "":
		p.detail = fmt.Sprintf("tick %d: %s", p.Tick, text)
	}
}

// diverge notes the first difference. A call in progress lacks its answers if the journal breaks
// off in it, and that is none.
func (p *Player) diverge(why string) {
	brokenOff := p.left != nil && !p.ended
	if p.first == "" && !brokenOff {
		p.first = fmt.Sprintf("tick %d: %s", p.Tick, why)
	}
}

// Difference returns the first difference from the journal, "" if there is none. After a difference
// of datagrams, the object and the field that differ in the next State entry follow.
func (p *Player) Difference() string {
	if p.detail != "" {
		return p.first + "; then " + p.detail
	}
	return p.first
}

// Whole reports whether the journal has an end. A killed process leaves one without.
func (p *Player) Whole() bool { return p.ended }

var _ Tape = (*Player)(nil)
var _ Tape = (*Recorder)(nil)
var _ fs.FS = taped{}
