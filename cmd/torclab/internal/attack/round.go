package attack

import (
	"cmp"
	"fmt"
	"net/netip"
	"regexp"
	"time"

	"github.com/torc-engine/torc/netcore"
)

// round is one row that is being played.
type round struct {
	*site
	row    *Row
	number int // of the row in the table, for its addresses
	short  bool
	target netip.AddrPort         // the address of the server that attackers and guests use
	from   func(n int) netip.Addr // the n-th address of attackers
	guest  func(n int) netip.Addr // the n-th address of honest clients that join during the attack
	length time.Duration          // of the attack
	bad    *crew

	joins    []honestJoin // during the attack
	suspends bool         // the row suspends a handler on purpose
	busy     bool         // the row keeps the machine busy on purpose, so packets can be late
	measured []string
	failures []string
	logged   int     // bytes of the log before the row
	ticks    float64 // ticks of the server before the row
	late     float64 // of these, late ones
}

// honestJoin is an honest join during an attack: how long it took, and why it was refused.
type honestJoin struct {
	took netcore.Time
	why  string // "" if it was not
}

// noEnd is the reason of a join that is neither complete nor refused after 10 s.
const noEnd = "no end after 10 s"

// refusals returns the number of honest joins that were refused.
func (r *round) refusals() (n int) {
	for _, j := range r.joins {
		if j.why != "" {
			n++
		}
	}
	return n
}

// note adds a figure.
func (r *round) note(format string, args ...any) {
	r.measured = append(r.measured, fmt.Sprintf(format, args...))
}

// fail adds a failure if it holds.
func (r *round) fail(holds bool, format string, args ...any) {
	if holds {
		r.failures = append(r.failures, fmt.Sprintf(format, args...))
	}
}

// rate returns a rate of the full suite, and a tenth of it in the short form.
func (r *round) rate(full int) int {
	if r.short {
		return max(full/10, 1)
	}
	return full
}

// address returns the n-th source address of the row in 127.0.0.0/8.
func (r *round) address(n int) netip.Addr {
	return netip.AddrFrom4([4]byte{127, byte(64 + r.number), byte(n / 250), byte(1 + n%250)})
}

// aim sets the server's address, and the addresses of attackers and guests.
func (r *round) aim(target netip.AddrPort, from, guest func(n int) netip.Addr) {
	r.target, r.from, r.guest = target, from, guest
	r.bad.do(func() { r.bad.to = target })
}

// attacker starts a client of the row.
func (r *round) attacker(n int, spec clientSpec) (*client, error) {
	if spec.name == "" {
		spec.name = fmt.Sprintf("bad%d", n)
	}
	if !spec.from.IsValid() {
		spec.from = r.from(n)
	}
	if spec.password == "" {
		spec.password = r.password
	}
	return r.bad.add(spec)
}

// attackers starts some clients, one for each address, and waits until they are in the game.
func (r *round) attackers(n int, make func(i int) clientSpec) ([]*client, error) {
	var all []*client
	for i := range n {
		c, err := r.attacker(i, make(i))
		if err != nil {
			return all, err
		}
		all = append(all, c)
	}
	in := func() bool { return count(all, (*client).playing) == n }
	if !r.bad.until(10*time.Second, in) {
		return all, fmt.Errorf("only %d of %d attackers could join: %q", count(all, (*client).playing), n, reasons(all))
	}
	return all, nil
}

// during runs the attack of the row, and lets honest clients join one after the other meanwhile.
// step is called again and again until the time of the attack is over.
func (r *round) during(step func() error) error {
	stop := make(chan struct{})
	joined := make(chan struct{})
	go func() {
		defer close(joined)
		r.joinAgain(stop)
	}()
	var err error
	for end := time.Now().Add(r.length); err == nil && time.Now().Before(end); {
		err = step()
	}
	close(stop)
	<-joined
	return err
}

// joinAgain lets honest clients join, each from another address, until stop is closed. At least one
// joins.
func (r *round) joinAgain(stop <-chan struct{}) {
	c := newCrew(r.target, r.key)
	defer c.close()
	for n := 0; ; n++ {
		one, err := c.add(clientSpec{
			name: fmt.Sprintf("guest%d", n), password: r.password,
			from: r.guest(n),
		})
		if err != nil {
			r.joins = append(r.joins, honestJoin{why: err.Error()})
			return
		}
		c.until(10*time.Second, func() bool { return one.entered > 0 || one.over != "" })
		c.do(func() {
			join := honestJoin{one.entered, one.over}
			if one.entered == 0 {
				join.took = clock() - one.began
				join.why = cmp.Or(join.why, noEnd)
			}
			r.joins = append(r.joins, join)
		})
		c.remove(one, "", false)
		select {
		case <-stop:
			return
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// judgeJoins judges the honest joins so far, and forgets them.
func (r *round) judgeJoins() {
	if len(r.joins) == 0 {
		return
	}
	worst, why := netcore.Time(0), ""
	for _, j := range r.joins {
		worst, why = max(worst, j.took), cmp.Or(why, j.why)
	}
	r.note("%d honest joins, worst %.2f s, %d refused", len(r.joins), worst.Seconds(), r.refusals())
	r.fail(worst > joinMost, "an honest join took more than %v", joinMost)
	r.fail(why != "", "honest joins were refused: %q", why)
	r.joins = nil
}

// log returns the server's log of the row.
func (r *round) log() string { return r.server.log()[r.logged:] }

// The server's ticks, and those that began more than 64 ms after the one before.
const ticksMetric, lateMetric = "torc_ticks_total", "torc_ticks_late_total"

// countTicks notes the ticks of the suite's own server.
func (r *round) countTicks() {
	if r.server != nil {
		r.note("server: %.0f of %.0f ticks late", metric(r.server, lateMetric)-r.late, metric(r.server, ticksMetric)-r.ticks)
	}
}

var suspended = regexp.MustCompile(`(?m)^.*is suspended.*$`)

// judgeMods fails the row if the server suspended a handler of a mod.
func (r *round) judgeMods() {
	if r.server != nil && !r.suspends {
		found := suspended.FindString(r.log())
		r.fail(found != "", "a handler was suspended: %s", found)
	}
}

// watchMemory returns a function that notes the growth of the server's memory since, and fails the
// row if it is above a number of bytes. It does nothing where the memory is unknown.
func (r *round) watchMemory() (judge func(most int)) {
	before := 0
	if r.server != nil {
		before = r.server.memory()
	}
	return func(most int) {
		if before == 0 {
			return
		}
		grown := r.server.memory() - before
		r.note("memory of the process %+.1f MiB", float64(grown)/(1<<20))
		r.fail(grown > most, "the memory grew by more than %d MiB", most>>20)
	}
}

// exec runs a console line of the suite's own server.
func (r *round) exec(format string, args ...any) (string, error) {
	return r.server.exec(fmt.Sprintf(format, args...))
}
