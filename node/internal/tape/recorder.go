package tape

import (
	"encoding/binary"
	"sync"
	"sync/atomic"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/journal"
	"github.com/torc-engine/torc/script"
	"github.com/torc-engine/torc/script/vm"
)

// flushTime is how much of the game a block holds at most: what a killed process loses.
const flushTime = time.Second

// A Recorder writes a journal. Its methods can be called on a nil *Recorder, which records nothing,
// and after Stop. Only the goroutine of the server calls them.
type Recorder struct {
	cfg   Config
	mu    sync.Mutex       // guards the journal and what belongs to files: trials read files on another goroutine
	out   *journal.Writer  // nil: the journal has ended
	on    atomic.Bool      // it has not, for readers without the lock
	ended func(why string) // called once, when the journal ends before the server
	depth int              // calls in progress, in the newest command
	// commands of the program in progress: each is a part of a call, or none of the server's
	commands int
	called   bool // since the last round of packets
	kinds    map[journal.Kind]uint64
	addrs    map[netcore.Addr]uint64
	sum      uint32 // of the datagrams since the last tick
	addr     [addrSize]byte
	values   [2 * binary.MaxVarintLen64]byte
	state    state
	folders
	entry    journal.Entry // reused
	by       func() string // who gives the line that runs
	marks    int
	stopping bool
	why      string // of the end
	keep     func() // called at each mark
}

// maxMarks is how many places of a journal are marked.
const maxMarks = 1000

// NewRecorder records into a journal. ended learns why the journal ends early, and keep that a
// place was marked.
func NewRecorder(out *journal.Writer, cfg Config, ended func(why string), keep func()) *Recorder {
	r := &Recorder{cfg: cfg, out: out, ended: ended, keep: keep, kinds: map[journal.Kind]uint64{}, addrs: map[netcore.Addr]uint64{}, folders: newFolders()}
	r.on.Store(true)
	return r
}

// Inputs returns the recorder: a Tape that is or has one records.
func (r *Recorder) Inputs() *Recorder { return r }

// On reports whether the journal goes on.
func (r *Recorder) On() bool { return r != nil && r.on.Load() }

// write writes an entry.
func (r *Recorder) write(e journal.Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.put(e)
}

// put is write for callers that hold the lock.
func (r *Recorder) put(e journal.Entry) {
	if r.out == nil {
		return
	}
	r.entry = e
	if err := r.out.Write(&r.entry); err != nil {
		r.cut(err.Error())
	}
}

// cut ends the journal in the middle of a call. It gets a mark and no End, so nobody plays a call
// that lacks answers. The caller holds the lock, and need not be on the goroutine of the server.
func (r *Recorder) cut(why string) {
	r.end(journal.Entry{Kind: journal.Mark, Name: "end\t" + why}, why)
}

// end ends the journal with a last entry. The caller holds the lock.
func (r *Recorder) end(last journal.Entry, why string) {
	out := r.out
	r.out = nil
	r.on.Store(false)
	r.entry = last
	_ = out.Write(&r.entry) // it is at its end, one way or another
	_ = out.Flush()
	if why != "" {
		r.ended(why)
	}
}

// Stop ends the journal with a note.
//
// The end of a whole journal has no reason. A call that is in progress is completed first.
func (r *Recorder) Stop(why string) {
	if r == nil {
		return
	}
	r.stopping, r.why = true, why
	r.stop()
}

// stop ends the journal if that is wanted and no call is in progress.
func (r *Recorder) stop() {
	if !r.stopping || r.depth > 0 || r.commands > 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.out != nil {
		r.end(journal.Entry{Kind: journal.End, Name: r.why, Number: uint64(r.sum)}, r.why)
	}
}

// Finish ends the journal of a server that has ended.
func (r *Recorder) Finish(h *engine.Host, s *vm.Runtime) {
	if r.On() {
		r.write(journal.Entry{Kind: journal.State, Number: h.TickNumber(), Data: r.state.append(nil, h.World(), s)})
		r.Stop("")
	}
}

// Crash marks a crash, and writes what is left. The journal has no end, because the call that
// crashed has none.
func (r *Recorder) Crash(why string) {
	if !r.On() {
		return
	}
	r.Mark(why)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.out != nil {
		_ = r.out.Flush() // nobody is left to tell
	}
	r.out = nil
	r.on.Store(false)
}

// begin begins a call. It reports whether the call is not a part of another one, and so an input.
func (r *Recorder) begin() bool {
	if r == nil {
		return false
	}
	r.depth++
	r.called = true
	return r.depth == 1 && r.on.Load()
}

// Done ends a call.
func (r *Recorder) Done() {
	if r != nil {
		r.depth--
		r.stop()
	}
}

// Start begins the start of the server. Like after all calls here, the caller must call Done.
func (r *Recorder) Start(now time.Duration) {
	if r.begin() {
		r.write(journal.Entry{Kind: journal.Start, Time: now})
	}
}

// Receive begins a datagram.
func (r *Recorder) Receive(at time.Duration, from netcore.Addr, b []byte) {
	if r.begin() {
		r.write(journal.Entry{Kind: journal.Receive, Time: at, Number: r.address(from), Data: b})
	}
}

// address returns the number of an address.
func (r *Recorder) address(a netcore.Addr) uint64 {
	n, known := r.addrs[a]
	if !known {
		if len(r.addrs) >= maxAddresses {
			clear(r.addrs)
		}
		n = uint64(len(r.addrs))
		r.addrs[a] = n
		r.write(journal.Entry{Kind: journal.Address, Number: n, Data: appendAddr(nil, a)})
	}
	return n
}

// Send begins a round of packets.
func (r *Recorder) Send(now time.Duration) {
	if r.begin() {
		r.write(journal.Entry{Kind: journal.Send, Time: now})
	}
	r.called = false
}

// Called reports whether a call has begun since the last Send: then the server can have something
// to send.
func (r *Recorder) Called() bool { return r.called }

// Sent counts a datagram.
func (r *Recorder) Sent(to netcore.Addr, b []byte) {
	if r.On() {
		r.sum = sumDatagram(r.sum, r.addr[:0], to, b)
	}
}

// Tick begins a tick at a time, with the date of the machine.
func (r *Recorder) Tick(now time.Duration, date time.Time) {
	if !r.begin() {
		return
	}
	r.write(journal.Entry{Kind: journal.Tick, Time: now, Number: uint64(date.UnixNano()), Data: binary.LittleEndian.AppendUint32(r.values[:0], r.sum)})
	r.sum = 0
}

// Ticked ends a tick. Now and then it writes hashes of the world, and it writes a block that is old
// enough.
func (r *Recorder) Ticked(h *engine.Host, s *vm.Runtime) {
	if r == nil {
		return
	}
	defer r.Done()
	if !r.on.Load() || r.depth > 1 {
		return
	}
	if tick := h.TickNumber(); tick%StateEvery == 0 {
		r.write(journal.Entry{Kind: journal.State, Number: tick, Data: r.state.append(nil, h.World(), s)})
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.out != nil && r.out.Age() >= flushTime {
		if err := r.out.Flush(); err != nil {
			r.cut(err.Error())
		}
	}
}

// Ending begins the word to the mods that the server ends.
func (r *Recorder) Ending(restart bool) {
	if r.begin() {
		r.write(journal.Entry{Kind: journal.Ending, Number: number(restart)})
	}
}

// Close begins the word to the peers.
func (r *Recorder) Close(now time.Duration, restart bool, reason string) {
	if r.begin() {
		r.write(journal.Entry{Kind: journal.Close, Time: now, Number: number(restart), Name: reason})
	}
}

// NotePlain begins a look at the keys on pages over plain HTTP.
func (r *Recorder) NotePlain() {
	if r.begin() {
		r.write(journal.Entry{Kind: journal.Plain})
	}
}

// Mark marks a place to look at. The journal is kept.
func (r *Recorder) Mark(why string) {
	if !r.On() || r.marks >= maxMarks {
		return
	}
	r.marks++
	r.write(journal.Entry{Kind: journal.Mark, Name: why})
	r.keep()
}

// Watch records the lines of a console. by returns who gives a line.
func (r *Recorder) Watch(c *console.Console, by func() string) {
	if r != nil {
		r.by = by
		c.SetWatcher(r.given)
	}
}

// Adopt records the commands that the program adds to a console from now on. Those of the server
// itself are in a replay anyway.
func (r *Recorder) Adopt(c *console.Console) {
	if r != nil {
		c.SetAdopter(r.adopted)
	}
}

// Setup records the verdicts of the meter, and marks faults.
func (r *Recorder) Setup(s *script.Setup) {
	s.Verdict = func(v vm.Verdict) {
		b := binary.AppendVarint(r.values[:0], v.At)
		r.write(journal.Entry{Kind: journal.Verdict, Number: uint64(v.Kind), Data: binary.AppendVarint(b, v.N)})
	}
	s.Fault = func(f *vm.Fault) { r.Mark(faultMark(f)) }
}

// question counts a question of a kind, and returns its number.
func (r *Recorder) question(k journal.Kind) uint64 {
	r.kinds[k]++
	return r.kinds[k]
}

// Set records a setting of the program: it is applied between two calls.
func (r *Recorder) Set(name, value string) {
	if r.begin() {
		r.write(journal.Entry{Kind: journal.Set, Name: name, Data: []byte(value)})
	}
}
