package attack

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"time"

	"github.com/torc-engine/torc/netcore"
)

// playGate lets players ask whom a mod refuses, whom it fails to judge, and whom it never finishes to
// judge. A gate that fails for clients of three addresses is suspended and refuses everybody for some
// seconds. So honest joins can be refused too, but within 2 s and with a reason.
func playGate(r *round) error {
	kinds, tries, in := []string{"no", "burn", "err"}, 0, 0
	for _, kind := range kinds {
		var all []*client
		err := r.during(func() error {
			c, err := r.attacker(tries, clientSpec{name: fmt.Sprint(kind, tries), from: r.address(tries % 40)})
			tries++
			all = append(all, c)
			time.Sleep(50 * time.Millisecond)
			return err
		})
		if err != nil {
			return err
		}
		undecided := func(c *client) bool { return c.entered == 0 && c.over == "" }
		decided := r.bad.until(5*time.Second, func() bool { return count(all, undecided) == 0 })
		r.fail(!decided, "requests without an answer")
		r.bad.do(func() { in += count(all, func(c *client) bool { return c.entered > 0 }) })
	}
	worst := netcore.Time(0)
	for _, j := range r.joins {
		worst = max(worst, j.took)
		r.fail(j.why == noEnd, "a join without an end")
	}
	r.note("%d joins past a gate that refuses, never ends or errs: %d got in; %d honest joins, %d of them refused, worst decision %.2f s",
		tries, in, len(r.joins), r.refusals(), worst.Seconds())
	r.fail(in > 0, "players got past the gate")
	r.fail(worst > joinMost, "a decision took more than %v", joinMost)
	r.joins, r.suspends = nil, true
	return nil
}

// playNames lets players with one look-alike name join and leave.
func playNames(r *round) error {
	names := []string{"Bob", "B0b", "BOB", "Вob", "Bоb", "B o b", "bob."}
	n, slots, began := 0, make([]*client, 96), clock()
	err := r.during(func() (err error) {
		if due := began + netcore.Time(n)*50*time.Millisecond; clock() < due { // 1,200 a minute
			time.Sleep(due - clock())
		}
		i := n % len(slots)
		if slots[i] != nil {
			r.bad.remove(slots[i], "", false)
		}
		slots[i], err = r.attacker(n, clientSpec{name: names[n%len(names)], from: r.address(i % 24)})
		n++
		return err
	})
	in := 0
	r.bad.do(func() { in = count(r.bad.all, (*client).playing) })
	r.note("%d joins with one look-alike name, %.0f a minute, %d in the game at the end", n, float64(n)/(clock()-began).Minutes(), in)
	r.fail(in == 0, "none of them is in the game")
	return err
}

// playGuesses guesses passwords from 20 addresses, each as fast as it is answered.
func playGuesses(r *round) error {
	addresses := r.rate(20)
	checked, paused, tries := map[int]int{}, 0, 0
	err := r.during(func() error {
		was, err := r.guess(tries, r.from(tries%addresses))
		switch was {
		case guessChecked:
			checked[tries%addresses]++
		case guessPaused:
			paused++
		}
		tries++
		return err
	})
	most, all := 0, 0
	for _, n := range checked {
		most, all = max(most, n), all+n
	}
	r.note("%d guesses from %d addresses in %v: %d were checked, at most %d of an address, %d were told to pause", tries, addresses, r.length, all, most, paused)
	joined, logged := len(r.joins)-r.refusals(), strings.Count(r.log(), `msg="player joined"`)
	r.note("%d of %d honest joins are in the log", logged, joined)
	r.fail(logged < joined, "the refusals hide joins in the log")
	r.fail(most > 5, "more than 5 guesses of an address were checked in a minute")
	r.fail(all == 0, "no guess was checked, so the row proves nothing")
	return err
}

// The answers to a guess.
const (
	guessChecked = iota // the password is wrong
	guessPaused         // the address must pause
	guessOther          // another refusal, or no answer
)

// guess guesses a password and returns the answer.
func (r *round) guess(n int, from netip.Addr) (was int, err error) {
	c, err := r.attacker(n, clientSpec{from: from, password: fmt.Sprint("guess ", n)})
	if err != nil {
		return guessOther, err
	}
	r.bad.until(3*time.Second, func() bool { return c.over != "" || c.playing() })
	was = guessOther
	r.bad.do(func() {
		switch {
		case c.over == "" && c.playing():
			r.fail(true, "a guess got in")
		case strings.Contains(c.over, "too many wrong passwords"):
			was = guessPaused
		case strings.Contains(c.over, "wrong password"):
			was = guessChecked
		}
	})
	r.bad.remove(c, "", true)
	return was, nil
}

// playReserved lets players join with the names of the server.
func playReserved(r *round) error {
	wishes := []string{"Server", "Ѕerver", "SERVER.", "*** Server", "Console", "Admin", "admin ", "operator:", "System", "Server\u200b", "honest1", "h0nest1", "hοnest1"}
	all, err := r.attackers(len(wishes), func(i int) clientSpec { return clientSpec{name: wishes[i]} })
	if err != nil {
		return err
	}
	token := func(i int) string { return fmt.Sprintf("I am number %d of them", i) }
	r.bad.do(func() {
		for i, c := range all {
			c.say("%s", token(i))
		}
	})
	given := map[string]bool{}
	for i := range all {
		r.crowd.until(2*time.Second, func() bool { return heardLine(r.crowd.all[0], token(i)) != "" })
		r.crowd.do(func() {
			name, _, _ := strings.Cut(heardLine(r.crowd.all[0], token(i)), ":")
			r.fail(given[name], "two players got the name %q", name)
			given[name] = true
		})
	}
	for name := range given {
		bad := name == "" || name == "honest1" || strings.ContainsAny(name, "*:") || reservedName.MatchString(name)
		r.fail(bad, "a player got the name %q", name)
	}
	r.note("%d wishes, %d names", len(wishes), len(given))
	return nil
}

var reservedName = regexp.MustCompile(`(?i)^\W*(server|console|admin|operator|moderator|system|ѕerver)`)

// playBan bans an address, and lets fresh keys come from it.
func playBan(r *round) error {
	bad, err := r.attackers(1, func(int) clientSpec { return clientSpec{name: "villain"} })
	if err != nil {
		return err
	}
	if _, err := r.exec("ban %s 10m attack", r.address(0)); err != nil {
		return err
	}
	gone := r.bad.until(2*time.Second, func() bool { return bad[0].over != "" })
	if !gone { // a ban of an address does not disconnect: kick the player
		if _, err := r.exec("kick villain"); err != nil {
			return err
		}
	}
	tries, in := r.rate(20), 0
	for i := range tries {
		c, err := r.attacker(0, clientSpec{name: fmt.Sprint("fresh", i)})
		if err != nil {
			return err
		}
		r.bad.until(3*time.Second, func() bool { return c.over != "" || c.playing() })
		r.bad.do(func() { in += count([]*client{c}, (*client).playing) })
		r.bad.remove(c, "", true)
	}
	other, err := r.attackers(1, func(int) clientSpec { return clientSpec{name: "neighbour", from: r.address(1)} })
	r.note("%d fresh keys from a banned address: %d got in; another address: %d of 1", tries, in, len(other))
	r.fail(in > 0, "a fresh key got in")
	if _, err := r.exec("unban %s", r.address(0)); err != nil {
		return err
	}
	return err
}

// playLog does what must be in the log.
func playLog(r *round) error {
	c, err := r.attackers(2, func(i int) clientSpec { return clientSpec{name: []string{"leaver", "kicked"}[i]} })
	if err != nil {
		return err
	}
	r.bad.remove(c[0], "enough", false)
	if _, err := r.exec("kick kicked rude"); err != nil {
		return err
	}
	wrong, err := r.attacker(3, clientSpec{name: "guesser", password: "wrong"})
	if err != nil {
		return err
	}
	r.bad.until(3*time.Second, func() bool { return wrong.over != "" })
	if _, err := wrongVersion(r); err != nil {
		return err
	}
	found := 0
	lines := map[string]string{
		"join":           `msg="player joined" .*address=\S+ key=\S+ name=leaver`,
		"leave":          `msg="player left" .*name=leaver .*reason=.* duration=`,
		"kick":           `msg="player kicked" .*name=kicked .*reason=.*rude.* duration=`,
		"wrong password": `msg="join refused" .*address=\S+ key=\S+ name=guesser reason="wrong password"`,
		"wrong version":  `msg="join refused" .*address=\S+ .*reason=".*version.*"`,
	}
	for what, pattern := range lines {
		line := regexp.MustCompile(pattern)
		for end := time.Now().Add(2 * time.Second); !line.MatchString(r.log()) && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		if line.MatchString(r.log()) {
			found++
			continue
		}
		r.fail(true, "no line of a %s in the log", what)
	}
	r.note("%d of %d lines in the log", found, len(lines))
	return nil
}
