package netcore

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/torc-engine/torc/netcore/seal"
)

// ConnectOptions are the options of Endpoint.Connect.
type ConnectOptions struct {
	// Key pins the server's key: every other key is refused. Without Key, Trust decides on the
	// server's key. Without both, the connection fails.
	Key   *seal.Key
	Trust func(to Addr, k seal.Key) error

	// Others are further addresses of the server. Each gets its first challenge request 250 ms
	// after the one before. The first address that answers with a trusted key gets the connect
	// request.
	Others []Addr

	Name, Password string   // at most 255 bytes each
	Args           []string // at most 16 of at most 255 bytes
	Timeout        Time     // for the handshake; default 15 s. Up to 4 times as long while the server says that it is busy
	Roles          byte     // passed on to the server's Request
	Language       string   // of the player, such as "pt-BR"; at most 16 bytes
	Ticket         []byte   // of the server that sends the player here; at most seal.MaxTicket bytes
	RTT            Time     // the round-trip time that the caller expects; 0: it knows none. With one, each packet leaves three times
	User           any      // becomes Conn.User on this side
}

const (
	connectTimeout    = 15 * time.Second
	connectRetryFirst = 250 * time.Millisecond
	connectRetryLast  = 400 * time.Millisecond
	connectAnswer     = 60 * time.Millisecond  // that a server can take to answer: a tick of 32 ms, and work
	connectCopies     = 2                      // of each packet of a caller that is in a hurry, beside the packet itself
	connectCopy       = 20 * time.Millisecond  // between two of them
	addressDelay      = 250 * time.Millisecond // between the first packets to two addresses
	connectAnew       = 2 * time.Second        // of connect requests without an answer: then the attempt begins anew
	longestWait       = 4                      // times the timeout that a busy server can let a client wait
	longestTick       = 100 * time.Millisecond // of the time between two Ticks count for the timeout
	searchStep        = 1 << 14                // numbers to try per Tick: about two milliseconds
)

// connectStage is a stage of an attempt to connect.
type connectStage int

const (
	challenging connectStage = iota // asks for a challenge
	solving                         // solves the puzzle of the challenge; sends nothing
	requesting                      // asks for the key exchange
	introducing                     // has the session's keys
)

// Pending is this side's attempt to connect.
//
//	challenging ──response, key trusted──▶ solving ──▶ requesting ──reply──▶ introducing ──verdict──▶ Conn
//	     │  ▲                                              │                      │
//	     │  └──────────────── requests for 2 s without a reply, unknown session ──────┘
//	     └── timeout, distrust, refusal, Cancel ──▶ Failed, from each stage
//
// Each stage repeats its packets after 1.5 round-trip times and 60 ms for the server, and after
// 0.25 s at most. The delay then grows up to 0.4 s: where half of all packets are lost in each
// direction, a stage needs four tries on average. The round-trip time is that of the challenge.
// Before it the delay is 0.25 s, unless the caller expects a round-trip time. Such a caller is in a
// hurry, because a player waits at another server: each packet, and each repetition, leaves three
// times, 20 ms apart. With two, a line that loses 5 % in each direction still cost one transfer in
// 35 a whole delay, and the data that the server sends before its verdict arrives. The repeated
// packets always have the same bytes, so the server recognises a repetition. If the server was
// restarted, or has given up the session, the attempt begins anew with another nonce. A busy server
// says so. Then the attempt keeps its place and its solution, and lasts longer.
//
// Time in which the owner was late for its Ticks does not count for the timeout: a busy machine is
// no silent server.
//
// At first all addresses of the server are tried. An address whose key is not trusted is given up.
// The attempt fails when none is left.
type Pending struct {
	to       Addr   // the first address, then the one that answered
	trying   []path // the addresses of the first stage; empty later
	options  ConnectOptions
	entropy  io.Reader
	greeting greeting
	player   introduction
	deadline Time
	latest   Time // to which a busy server can move the deadline
	ticked   Time // the last Tick

	stage     connectStage
	puzzle    seal.Puzzle     // from requesting on with the server's cookie
	key       seal.Key        // the server's key, once it is known
	searched  uint64          // numbers tried as solutions
	initiator *seal.Initiator // from requesting on
	session   *seal.Session   // from introducing on

	challenge []byte
	packets   [][]byte // of requesting and introducing
	unheard   Time     // since when these packets have no answer
	rtt       Time     // the round-trip time, measured or expected; 0: unknown
	asked     Time     // when the answer of the server was first needed; see Waiting
	told      bool     // the server has said since then that it is busy
	ahead     int      // clients before this one, as far as it has said
	checking  string   // what it says while it decides later, or ""
	deferrals uint16   // the number of that text
	retry     retry
	over      bool
	fault     *Reason // an error of the caller, not reported yet
	distrust  *Reason // why the last address was given up
}

// path is one address of the server in the challenge stage.
type path struct {
	to Addr
	retry
	sent Time // when the first packet left
}

// retry is the schedule of a repeated packet.
type retry struct {
	next   Time // when to send the next packet
	wait   Time // the delay after that packet and its copies
	copies int  // of each packet, soon after it
	left   int  // copies of the last packet that are still to be sent
	rounds int  // of a packet and its copies that have begun
}

// retryAt returns the schedule of a packet that is first sent at a time.
func (p *Pending) retryAt(first Time) retry {
	r := retry{next: first, wait: connectRetryFirst}
	if p.options.RTT > 0 {
		r.copies, r.left = connectCopies, connectCopies
	}
	if p.rtt > 0 {
		r.wait = min(p.rtt+p.rtt/2+connectAnswer, connectRetryFirst)
	}
	return r
}

// take reports whether the packet is due, and schedules the next one.
func (r *retry) take(now Time) bool {
	if now < r.next {
		return false
	}
	if r.left == r.copies {
		r.rounds++
	}
	if r.left > 0 {
		r.left--
		r.next = now + connectCopy
		return true
	}
	r.left = r.copies
	r.next = now + r.wait
	r.wait = min(r.wait*5/4, connectRetryLast)
	return true
}

// Addr returns the server's address: the first one, or after an answer the one that answered.
func (p *Pending) Addr() Addr { return p.to }

// Key returns the server's key, or the zero Key before the server has sent a trusted one.
func (p *Pending) Key() seal.Key { return p.key }

// Answered reports whether a server with a trusted key has answered.
func (p *Pending) Answered() bool { return p.key != seal.Key{} }

// Cancel stops the attempt. It sends nothing, and Failed is not called.
func (p *Pending) Cancel() { p.over = true }

// Waiting returns for how long a server that has answered with a challenge leaves the next step
// unanswered: its key exchanges are limited, or many clients wait for a decision. It returns 0
// while nothing is due from the server.
func (p *Pending) Waiting(now Time) Time {
	if p.over || p.asked == 0 {
		return 0
	}
	return now - p.asked
}

// Ahead returns how many clients are before this one at a busy server: told is false if the server
// has not said that this client must wait, and n is 0 if it has not said behind how many.
func (p *Pending) Ahead() (n int, told bool) { return p.ahead, p.told && !p.over }

// Checking returns what a server says that decides later, in its own words, or "".
func (p *Pending) Checking() string {
	if p.over {
		return ""
	}
	return p.checking
}

// deferred notes that the server decides later. It has no queue that this side waits in.
func (p *Pending) deferred(now Time, text string) {
	p.wait(now, 0)
	p.told, p.checking = false, text
}

// wait notes that the server has said that it is busy.
func (p *Pending) wait(now Time, ahead int) {
	p.told, p.ahead, p.unheard = true, ahead, now
	p.deadline = max(p.deadline, min(now+p.options.Timeout, p.latest))
}

// tick leaves out of the timeout what an owner that was late for its Tick has not used.
func (p *Pending) tick(now Time) {
	if late := now - p.ticked - longestTick; late > 0 {
		p.deadline += late
		p.latest += late
	}
	p.ticked = now
}

// Over reports whether the attempt has ended, for any reason.
func (p *Pending) Over() bool { return p.over }

// newPending starts the first stage. An error means that the options are invalid or that entropy
// cannot be read.
func newPending(now Time, entropy io.Reader, to Addr, o ConnectOptions, g greeting, player introduction) (*Pending, error) {
	if o.Timeout <= 0 {
		o.Timeout = connectTimeout
	}
	p := &Pending{to: to, options: o, entropy: entropy, greeting: g, player: player, rtt: max(o.RTT, 0), deadline: now + o.Timeout, latest: now + longestWait*o.Timeout, ticked: now}
	if _, err := packGreeting(&g); err != nil {
		return p, err
	}
	if _, err := packIntroduction(&player); err != nil {
		return p, err
	}
	if err := p.begin(now, append([]Addr{to}, o.Others...)); err != nil {
		return p, err
	}
	return p, nil
}

// begin begins the first stage, with a new nonce.
func (p *Pending) begin(now Time, to []Addr) error {
	p.stage, p.puzzle, p.initiator, p.session, p.packets, p.trying = challenging, seal.Puzzle{}, nil, nil, nil, nil
	p.checking, p.deferrals = "", 0
	p.player.Other, p.player.Parts = false, nil
	if _, err := io.ReadFull(p.entropy, p.puzzle.Nonce[:]); err != nil {
		return fmt.Errorf("no entropy to connect: %w", err)
	}
	p.challenge = appendChallengeRequest(nil, p.puzzle.Nonce)
	for i, to := range to {
		p.trying = append(p.trying, path{to: to, retry: p.retryAt(now + Time(i)*addressDelay)})
	}
	return nil
}

// beginAnew begins again with the address that has answered.
func (p *Pending) beginAnew(now Time) {
	if err := p.begin(now, []Addr{p.to}); err != nil {
		p.fault = &Reason{Code: Refused, Text: err.Error()}
	}
}

// expects reports whether the attempt expects packets from an address. It ignores Addr.Own, because
// an attempt does not know the address that it leaves from.
func (p *Pending) expects(from Addr) bool {
	from = from.Remote()
	if len(p.trying) == 0 {
		return p.to.Remote() == from
	}
	return slices.ContainsFunc(p.trying, func(t path) bool { return t.to.Remote() == from })
}

// due returns when send next has a packet.
func (p *Pending) due() Time {
	due := Never
	switch p.stage {
	case challenging:
		for i := range p.trying {
			due = min(due, p.trying[i].next)
		}
	case requesting, introducing:
		due = p.retry.next
	}
	return due
}

// send sends the packets of the current stage that are due.
func (p *Pending) send(now Time, out func(Addr, []byte)) {
	if p.over || p.fault != nil {
		return
	}
	if p.stage >= requesting && p.retry.take(now) {
		if p.stage == requesting && now-p.unheard >= connectAnew {
			p.beginAnew(now)
		}
		for _, b := range p.packets {
			out(p.to, b)
		}
	}
	for i := range p.trying {
		if t := &p.trying[i]; t.take(now) {
			if t.sent == 0 {
				t.sent = max(now, 1)
			}
			out(t.to, p.challenge)
		}
	}
}

// repeat begins a stage that repeats packets. An attempt that begins anew has waited since its
// first request.
func (p *Pending) repeat(now Time, stage connectStage, packets ...[]byte) {
	if stage == introducing || p.asked == 0 {
		p.asked, p.told, p.ahead = now, false, 0
	}
	p.stage, p.packets, p.unheard, p.retry = stage, packets, now, p.retryAt(now)
}

// handleChallenge handles the server's challenge. If the key is trusted, it stays with this address
// and returns true: the puzzle is to be solved. If the key is not trusted, it gives the address up.
// If that was the last one, the returned reason ends the attempt.
func (p *Pending) handleChallenge(now Time, from Addr, puzzle seal.Puzzle, key seal.Key) (solve bool, end *Reason) {
	if p.stage != challenging && puzzle.Difficulty <= p.puzzle.Difficulty || p.stage == introducing {
		return false, nil // a repetition
	}
	if r, ok := p.trust(from, key); !ok {
		p.distrust = &r
		p.trying = slices.DeleteFunc(p.trying, func(t path) bool { return t.to.Remote() == from.Remote() })
		if len(p.trying) == 0 {
			return false, &r
		}
		return false, nil
	}
	if puzzle.Difficulty > seal.MaxDifficulty {
		return false, &Reason{Code: Refused, Text: "the server demands too much work of its clients at the moment: try again later"}
	}
	p.measure(now, from)
	p.to, p.key, p.puzzle, p.trying = from.Remote(), key, puzzle, nil
	p.stage, p.searched, p.asked = solving, 0, 0
	return true, nil
}

// measure takes the round-trip time of a challenge that was asked for in one round: after a
// repetition, the answer can be to any of them.
func (p *Pending) measure(now Time, from Addr) {
	for _, t := range p.trying {
		if t.to.Remote() == from.Remote() && t.rounds == 1 {
			p.rtt = max(now-t.sent, 1)
		}
	}
}

// unanswered returns the reason of an attempt that is past its deadline.
func (p *Pending) unanswered() Reason {
	if p.key == (seal.Key{}) {
		return Reason{Code: ConnectTimeout}
	}
	if p.checking != "" {
		return Reason{Code: ConnectTimeout, Text: "the server has not decided in time (" + p.checking + "): try again later"}
	}
	if p.told {
		return Reason{Code: ConnectTimeout, Text: "the server is busy: try again later"}
	}
	return Reason{Code: ConnectTimeout, Text: "the server is busy, or the line loses many packets (only the challenge was answered)"}
}

// search does a part of the work of the puzzle. It reports whether a solution was found.
func (p *Pending) search() (solution uint64, found bool) {
	first := p.searched
	p.searched += searchStep
	return p.puzzle.Search(first, searchStep)
}

// request begins the key exchange with the solution of the puzzle.
func (p *Pending) request(now Time, id seal.KeyPair, solution uint64) *Reason {
	initiator, err := seal.NewInitiator(p.entropy, id, p.key, prologue(p.puzzle))
	if err != nil {
		return &Reason{Code: Refused, Text: err.Error()}
	}
	payload, err := packGreeting(&p.greeting)
	if err != nil {
		panic("BUG: the greeting is too long after its size check: " + err.Error())
	}
	packet := appendConnectRequestHead(make([]byte, 0, maxConnectRequest), p.puzzle, solution)
	packet, err = initiator.Write(packet, payload)
	if err != nil {
		return &Reason{Code: BadPacket, Text: "the server's key is unusable"}
	}
	p.initiator = initiator
	p.repeat(now, requesting, packet)
	return nil
}

// introduce begins the last stage, with the keys of the session.
func (p *Pending) introduce(now Time, session *seal.Session) *Reason {
	payload, err := packIntroduction(&p.player)
	p.session = session
	if err != nil {
		return &Reason{Code: Refused, Text: err.Error()}
	}
	p.repeat(now, introducing, sealPieces(session, p.puzzle.Nonce, payload)...)
	return nil
}

// trust decides on the server's key. A pinned key decides alone. Without one the Trust callback
// decides, and without Trust every key is refused.
func (p *Pending) trust(from Addr, key seal.Key) (Reason, bool) {
	if key == p.key {
		return Reason{}, true // trusted before in this attempt
	}
	if pinned := p.options.Key; pinned != nil {
		if key == *pinned {
			return Reason{}, true
		}
		text := fmt.Sprintf("the server's key is %s, expected %s: this is another server, or somebody between you and it", key.Fingerprint(), pinned.Fingerprint())
		return Reason{Code: KeyChanged, Text: text}, false
	}
	if p.options.Trust == nil {
		return Reason{Code: KeyChanged, Text: "cannot verify the server's key " + key.Fingerprint()}, false
	}
	if err := p.options.Trust(from, key); err != nil {
		return Reason{Code: KeyChanged, Text: err.Error()}, false
	}
	return Reason{}, true
}
