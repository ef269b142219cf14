package follow

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node/internal/core"
)

// ticksOf returns how many ticks of a client pass in seconds.
func ticksOf(seconds uint64) uint64 { return (seconds*1000 + engine.TickMs - 1) / engine.TickMs }

var (
	askTime     = ticksOf(8)  // of the player to answer
	silentTime  = ticksOf(10) // of a server that answers nothing at all
	verdictTime = ticksOf(15) // from the join to the verdict of a server that has answered: its mods can take 10 s
	joinTime    = ticksOf(15) // from the verdict to the game, and from there to the swap
)

// bodyTime is how long a client that is in the game waits for its control object, beside two round
// trips: a server that gives it one needs two, and some more for packets that are lost. Time in
// which the client or the server stood still does not count: packets of that time can still arrive.
const bodyTime = time.Second

// answerTime is how long, beside two round trips, a server that does not stand still can leave
// something unanswered. A client asks a silent server each half second.
const answerTime = 150 * time.Millisecond

// A Client is what a Follower needs of its client. All is called between two ticks.
type Client interface {
	Home() *core.Home
	Now() netcore.Time
	Log() *slog.Logger
	// Playing returns the side that plays.
	Playing() *core.Side
	// Join makes a side with its mods, and adds it to the loop. All connects of the side must find
	// their addresses through guard.
	Join(o *engine.TransferOrder, guard Guard) (*core.Side, error)
	// Swap lets a side play that has joined. leave ends the connection of the one that has played.
	Swap(to *core.Side, leave func())
	// Drop removes a side that has not played.
	Drop(s *core.Side)
	// Asked tells the player of an order that waits for an answer; nil: none waits any more.
	Asked(o *engine.TransferOrder)
}

// A Guard makes the resolver of a second side from that of the client: it refuses addresses that
// the first server must not name.
type Guard func(engine.Resolver) engine.Resolver

// A Follower follows the transfers of one client. Call its methods on the goroutine of the client.
type Follower struct {
	core.Passive
	client Client
	mode   string // net.follow
	ticks  uint64
	begun  [most]uint64
	now    *transfer          // under way; nil: none
	left   *engine.Connection // that a swap is about to end; nil: none
}

// transfer is a transfer under way.
type transfer struct {
	engine.TransferOrder
	from   *engine.Connection // to the first server
	since  uint64             // the tick of the order
	joins  uint64             // the tick in which the second side began to join
	let    uint64             // the tick in which the second server had let it in; 0: not yet
	inGame uint64             // the tick in which it was in the game; 0: not yet
	asked  bool               // the player has been asked
	agreed bool               // the player has agreed, or was not to be asked
	second *core.Side         // nil: it has not begun to join
	waited netcore.Time       // for the control object, since the second side is in the game
	looked netcore.Time       // when that was counted last; 0: never
	failed error              // why it cannot be followed any more
	lost   func()             // what the end of the first connection means without the transfer
}

// New returns the follower of a client.
func New(c Client) *Follower { return &Follower{client: c, mode: always} }

// Order takes an order of the server. It is the function of engine.Config.Transfer.
func (f *Follower) Order(c *engine.Connection, o engine.TransferOrder) {
	o.Name = console.Clean(o.Name)
	if err := f.admit(&o); err != nil {
		f.refuse(c, &o, err)
		return
	}
	f.now = &transfer{TransferOrder: o, from: c, since: f.ticks, agreed: f.mode != ask}
}

// refuse tells a server that its order is not followed.
func (f *Follower) refuse(c *engine.Connection, o *engine.TransferOrder, why error) {
	f.client.Log().Info("the transfer is not followed", "server", o.Name, "address", o.Address, "why", why)
	c.AnswerTransfer(why.Error())
}

// Answer is the answer of the player to an order.
func (f *Follower) Answer(follows bool) error {
	t := f.now
	switch {
	case t == nil || t.agreed:
		return errors.New("no server waits for an answer")
	case follows:
		t.agreed = true
		f.client.Asked(nil)
	default:
		t.failed = errStays
	}
	return nil
}

// Busy reports whether a transfer is under way.
func (f *Follower) Busy() bool { return f.now != nil }

// Failed says that a side which does not play has lost its connection, or gets none. The side that
// plays must not be given.
func (f *Follower) Failed(s *core.Side, why string) {
	if t := f.now; t != nil && t.second == s {
		t.failed = fmt.Errorf("%s: %s", t.Name, why)
	}
}

// Lost says that the connection of the side that plays has ended. It reports whether that is the
// swap, or a transfer is under way that the client goes on with. Only if that fails, mean runs.
func (f *Follower) Lost(c *engine.Connection, mean func()) bool {
	why, _ := c.Net().Closed()
	if c == f.left {
		return true
	}
	if t := f.now; t != nil && t.from == c && why.Code != netcore.SelfClosed && t.agreed {
		t.lost = mean
		return true
	}
	return false
}

// Tick runs after each tick of the client: an order, and the control object at the other server,
// have come in that tick. It begins, ends and swaps.
func (f *Follower) Tick() {
	f.ticks++
	if f.now == nil {
		return
	}
	if err := f.step(f.now); err != nil {
		f.end(err)
	}
}

// step lets a transfer go on. An error ends it.
func (f *Follower) step(t *transfer) error {
	f.accepted(t)
	switch {
	case t.failed != nil:
		return t.failed
	case f.replaced(t):
		return errStays
	case !t.agreed:
		if !t.asked {
			t.asked = true
			f.client.Asked(&t.TransferOrder)
		}
		if f.ticks-t.since > askTime {
			return errLate
		}
	case t.second == nil:
		return f.join(t)
	case f.arrived(t):
		f.swap(t)
	case t.let == 0 && f.ticks-t.joins > silentTime && !t.second.Host.Dialer.Answered():
		return fmt.Errorf("%s does not answer at %s", t.Name, t.Address)
	case t.let == 0 && f.ticks-t.joins > verdictTime:
		return fmt.Errorf("%s has not decided about the player within 15 s", t.Name)
	case t.inGame > 0 && f.ticks-t.inGame > joinTime:
		if c := t.second.Host.Server(); c == nil || c.Net().Unanswered(f.client.Now()) > bodyTime {
			return fmt.Errorf("%s has stopped answering", t.Name)
		}
		return fmt.Errorf("the player got no place in the game of %s within 15 s", t.Name)
	case t.inGame == 0 && t.let > 0 && f.ticks-t.let > joinTime:
		return fmt.Errorf("the player was not in the game of %s within 15 s", t.Name)
	}
	return nil
}

// replaced reports whether the player has left the first server meanwhile, or is about to.
func (f *Follower) replaced(t *transfer) bool {
	why, over := t.from.Net().Closed()
	return f.client.Playing().Host.Dialer.Busy() || over && (why.Code == netcore.SelfClosed || !t.agreed)
}

// join begins to join with a second side.
func (f *Follower) join(t *transfer) (err error) {
	f.count()
	t.joins = f.ticks
	named, from := core.HostPort(t.Address), t.from.Net().Addr()
	guard := func(find engine.Resolver) engine.Resolver {
		return func(hostport string, done func([]netcore.Addr, error)) {
			find(hostport, func(to []netcore.Addr, err error) {
				if err == nil && core.HostPort(hostport) == named {
					err = checkTargets(from, to)
				}
				done(to, err)
			})
		}
	}
	first := f.client.Playing()
	if t.second, err = f.client.Join(&t.TransferOrder, guard); err != nil {
		return err
	}
	t.second.Host.SetMoves(rest)
	return t.second.Host.Dialer.Follow(&first.Host.Dialer, &t.TransferOrder)
}

// accepted notes that the second server has let its side in, and tells the first server.
func (f *Follower) accepted(t *transfer) {
	if t.second != nil && t.let == 0 && t.second.Host.Server() != nil {
		t.let = f.ticks
		t.from.AcceptTransfer()
	}
}

// arrived reports whether the second side can play: it has its control object, or gets none.
func (f *Follower) arrived(t *transfer) bool {
	c := t.second.Host.Server()
	if c == nil || c.Join.Phase() != engine.PhaseGame {
		return false
	}
	if _, over := c.Net().Closed(); over {
		return false
	}
	now, trips := f.client.Now(), 2*c.Net().RTT()
	if t.inGame == 0 {
		t.inGame = f.ticks
	}
	if t.looked > 0 && !t.second.Host.Pace.Paused() && c.Net().Unanswered(now) <= answerTime+trips {
		t.waited += min(now-t.looked, engine.TickTime)
	}
	t.looked = now
	return c.Control.Object() != nil || t.waited > bodyTime+trips
}

// swap lets the second side play.
func (f *Follower) swap(t *transfer) {
	first, second := f.client.Playing(), t.second
	f.now, f.left = nil, t.from
	second.Host.SetMoves(first.Host.Moves())
	f.client.Swap(second, func() {
		t.from.AnswerTransfer("")
		first.Tick(f.client.Now()) // its mods hear of the end, while they can still show something
	})
	f.left = nil // its world is not needed any more
	second.Host.Server().Arrive()
}

// end gives a transfer up. The first side plays on, or what its end means happens now.
func (f *Follower) end(why error) {
	t := f.now
	f.now = nil
	if t.asked {
		f.client.Asked(nil)
	}
	if t.second != nil {
		f.client.Drop(t.second)
	}
	f.refuse(t.from, &t.TransferOrder, why)
	if t.lost != nil {
		t.lost()
	}
}

// rest makes the moves of a side that does not play.
func rest(*engine.Connection) sim.Move { return sim.Move{} }
