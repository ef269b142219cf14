package follow

import (
	"errors"
	"fmt"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/node/internal/core"
)

// The values of net.follow.
const (
	always = "always"
	ask    = "ask"
	never  = "never"
)

// most is how many transfers a client follows in minute ticks.
const most = 4

var minute = ticksOf(60)

var (
	errNever = errors.New("the player follows no transfers (net.follow is never)")
	errBusy  = errors.New("the client follows another transfer already")
	errMost  = fmt.Errorf("the client follows at most %d transfers a minute", most)
	errStays = errors.New("the player stays")
	errLate  = errors.New("the player has not answered in time")
)

// admit decides whether an order is followed, as far as that is known before a name is resolved.
func (f *Follower) admit(o *engine.TransferOrder) error {
	switch {
	case f.now != nil:
		return errBusy
	case f.mode == never:
		return errNever
	case f.begun[0] != 0 && f.ticks-f.begun[0] < minute:
		return errMost
	}
	if err := checkAddress(o.Address); err != nil {
		return err
	}
	return f.client.Home().Differs(core.HostPort(o.Address), o.Key)
}

// count counts a transfer that is followed. begun has the ticks of the newest ones, oldest first.
func (f *Follower) count() {
	copy(f.begun[:], f.begun[1:])
	f.begun[most-1] = f.ticks
}

// Variables is net.follow, of each console of the client.
func (f *Follower) Variables() []console.Var {
	return []console.Var{{Name: "net.follow", Help: "follows a server that sends this client to another one: always, ask (follow and stay answer) or never", Value: console.Enum(&f.mode, always, ask, never)}}
}

// Commands are follow and stay, of each console of the client.
func (f *Follower) Commands() []console.Command {
	answer := func(follows bool) func([]string) (string, error) {
		return func([]string) (string, error) { return "", f.Answer(follows) }
	}
	return []console.Command{
		{Name: "follow", Help: "goes to the server that this one sends you to (net.follow ask)", Run: answer(true)},
		{Name: "stay", Help: "stays at this server, which sends you to another one (net.follow ask)", Run: answer(false)},
	}
}
