package attack

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore"
)

// oddValues are arguments that no command expects.
var oddValues = []sim.Value{
	sim.Tag("x"), sim.Nil(), sim.Bool(true), sim.Number(-1e300), sim.Number(0.5), sim.Vec(sim.Vec3{X: 1e30}),
	sim.Rotation(sim.Rot{}), sim.String(""), sim.String(strings.Repeat("\xff", 8000)), sim.Handle(1), sim.Handle(1 << 30),
}

// commands are the commands of base and ctf.
var commands = []string{"MessageSent", "TeamMessageSent", "StartVote", "CastVote", "MissionStartPhase1Ack", "MissionStartPhase3Ack", "Key", "Nope"}

// playOdd calls commands with arguments of unexpected kinds and counts.
func playOdd(r *round) error {
	all, err := r.attackers(3, func(int) clientSpec { return clientSpec{} })
	if err != nil {
		return err
	}
	calls := 0
	for end := time.Now().Add(r.length); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		r.bad.do(func() {
			for _, c := range all {
				args := make([]sim.Value, rand.IntN(4))
				for i := range args {
					args[i] = oddValues[rand.IntN(len(oddValues))]
				}
				for range 5 {
					_ = c.call("MessageSent", sim.Tag("x"))
				}
				_ = c.call(commands[rand.IntN(len(commands))], args...)
				calls += 6
			}
		})
	}
	r.note("%d calls from 3 addresses", calls)
	return r.judgeConsole("say still here", "*** Server: still here")
}

// judgeConsole fails the row if a console line does not reach the honest clients.
func (r *round) judgeConsole(line, want string) error {
	if r.server == nil {
		return nil
	}
	if _, err := r.exec("%s", line); err != nil {
		return err
	}
	heard := r.crowd.until(2*time.Second, func() bool { return r.crowd.all[0].heard[want] > 0 })
	r.fail(!heard, "the console's line does not arrive")
	return nil
}

// playInvalidChat sends the longest chat lines of invalid UTF-8.
func playInvalidChat(r *round) error {
	all, err := r.attackers(3, func(int) clientSpec { return clientSpec{} })
	if err != nil {
		return err
	}
	line, sent := sim.String(strings.Repeat("\xf0\x9f", 16000)), 0
	for end := time.Now().Add(r.length); ; time.Sleep(1900 * time.Millisecond) {
		r.bad.do(func() {
			for _, c := range all {
				if c.call("MessageSent", line) == nil {
					sent++
				}
			}
		})
		if time.Now().After(end) {
			break
		}
	}
	r.note("%d lines of 32,000 bytes", sent)
	return nil
}

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

// heardLine returns a line that an honest client heard, with a text in it.
func heardLine(h *honest, part string) string {
	for line := range h.heard {
		if strings.Contains(line, part) {
			return line
		}
	}
	return ""
}

// playReasons leaves again and again with a text as the reason, calls commands that do not exist, and
// votes with many connections of few addresses.
func playReasons(r *round) error {
	began, left := clock(), 0
	for left == 0 || clock()-began < r.length {
		all, err := r.attackers(8, func(int) clientSpec { return clientSpec{from: r.address(0)} })
		if err != nil {
			return err
		}
		for _, c := range all {
			r.bad.remove(c, "buy gold at gold.example", false)
		}
		left += len(all)
	}
	allowed := 8 * (int((clock()-began)/(10*time.Second)) + 1)
	heard := r.crowd.lines("joined the game") + r.crowd.lines("buy gold")
	r.note("%d joins and leaves with a text: %d heard", 2*left, heard)
	r.fail(heard > allowed, "more than 8 lines in 10 s")
	if err := r.unknownCommands(); err != nil {
		return err
	}
	return r.votes()
}

// unknownCommands floods the server with commands that do not exist, and counts the bytes of its log.
func (r *round) unknownCommands() error {
	const peers = 4
	all, err := r.attackers(peers, func(i int) clientSpec {
		return clientSpec{from: r.address(10 + i), tick: func(c *client) {
			for range 4 {
				_ = c.call(fmt.Sprint("Nope", rand.Uint64(), strings.Repeat("x", 200)))
			}
		}}
	})
	if err != nil {
		return err
	}
	began, before := clock(), 0
	if r.server != nil {
		before = len(r.log())
	}
	time.Sleep(r.length)
	if r.server != nil {
		allowed := peers * 1024 * (int((clock()-began)/time.Second) + 1)
		grown := len(r.log()) - before
		r.note("unknown commands of %d peers: %d bytes of log in %.1f s", peers, grown, (clock() - began).Seconds())
		r.fail(grown > allowed, "more than 1 KiB/s of log for a peer")
		r.fail(grown == 0, "no line of them is in the log, so the row proves nothing")
	}
	for _, c := range all {
		r.bad.remove(c, "", true)
	}
	return nil
}

// votes lets 24 connections of three addresses vote against one player.
func (r *round) votes() error {
	victim, err := r.attackers(1, func(int) clientSpec { return clientSpec{name: "victim", from: r.address(20)} })
	if err != nil {
		return err
	}
	voters, err := r.attackers(24, func(i int) clientSpec {
		return clientSpec{name: fmt.Sprintf("voter%d", i), from: r.address(21 + i/8)}
	})
	if err != nil {
		return err
	}
	r.bad.do(func() { voters[0].say("/vote kick victim") })
	asked := r.crowd.until(2*time.Second, func() bool { return heardLine(r.crowd.all[0], "asks to kick victim") != "" })
	r.bad.do(func() {
		for _, c := range voters[1:] {
			c.say("/yes")
		}
	})
	time.Sleep(time.Second)
	r.bad.do(func() {
		r.note("a vote of 24 connections with 3 addresses, asked: %v", asked)
		r.fail(victim[0].over != "", "it kicked a player: %s", victim[0].over)
	})
	return nil
}

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

// playTags sends as many different tags as it can.
func playTags(r *round) error {
	n := 0
	all, err := r.attackers(4, func(int) clientSpec {
		return clientSpec{tick: func(c *client) {
			args := make([]sim.Value, 8)
			for i := range args {
				n++
				args[i] = sim.Tag(fmt.Sprintf("tag number %d %d", n, rand.Uint64()))
			}
			_ = c.call("Nope", args...)
		}}
	})
	if err != nil {
		return err
	}
	before := 0
	if r.server != nil {
		before = r.server.memory()
	}
	time.Sleep(r.length)
	r.bad.do(func() { r.note("%d different tags from %d clients", n, len(all)) })
	if before > 0 {
		grown := r.server.memory() - before
		r.note("memory %+.1f MiB", float64(grown)/(1<<20))
		r.fail(grown > 32<<20, "the memory grew by more than 32 MiB")
	}
	return nil
}

// playCommands floods the server with commands of many clients.
func playCommands(r *round) error {
	var calls atomic.Int64
	flooders := r.rate(50)
	_, err := r.attackers(flooders, func(i int) clientSpec {
		return clientSpec{from: r.address(i), tick: func(c *client) {
			if !c.playing() {
				return
			}
			for range 20 {
				if c.call("CastVote", sim.Bool(true)) == nil {
					calls.Add(1)
				}
			}
		}}
	})
	if err != nil {
		return err
	}
	time.Sleep(r.length)
	r.note("%d clients, %d commands", flooders, calls.Load())
	return nil
}

// playChatFlood floods the chat.
func playChatFlood(r *round) error {
	var said atomic.Int64 // the client counts on its own goroutine
	began := time.Now()
	_, err := r.attackers(1, func(int) clientSpec {
		return clientSpec{name: "loud", tick: func(c *client) {
			if c.playing() {
				c.say("buy gold %d", said.Add(1))
			}
		}}
	})
	if err != nil {
		return err
	}
	time.Sleep(r.length)
	heard := r.crowd.lines("buy gold")
	allowed := 8 * (int(time.Since(began).Seconds())/10 + 1)
	r.note("%d lines said, %d heard, %d allowed", said.Load(), heard, allowed)
	r.fail(heard > allowed, "more than 8 lines in 10 s")
	r.fail(heard == 0, "no line was heard, so the row proves nothing")
	return nil
}

// movesDone is the count of a player's moves in the console's line.
var movesDone = regexp.MustCompile(`moves done (\d+)`)

// moves returns the number of moves that the server has done for a player, and its ticks.
func (r *round) moves(id string) (moves, ticks float64, err error) {
	text, err := r.exec("moves %s", id)
	if err != nil {
		return 0, 0, err
	}
	m := movesDone.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, fmt.Errorf("moves: %s", text)
	}
	moves, err = strconv.ParseFloat(m[1], 64)
	return moves, metric(r.server, ticksMetric), err
}

// playFast lets clients make moves faster than time passes, and judges the moves that the server
// does.
func playFast(r *round) error {
	return r.race([]string{"pace 2", "pace 10", "pace 100"}, []int{2, 10, 100}, nil)
}

// playClocks lets clients play with clocks that run slow, fast, or in steps.
func playClocks(r *round) error {
	return r.race([]string{"slow clock", "fast clock", "jumping clock"}, []int{1, 1, 1}, []func(c *client, now netcore.Time) netcore.Time{
		func(_ *client, now netcore.Time) netcore.Time { return now / 2 },
		func(_ *client, now netcore.Time) netcore.Time { return 2 * now },
		func(c *client, now netcore.Time) netcore.Time { // 10 s more each second, once it plays
			if !c.playing() {
				return now
			}
			return now + (now-c.began-c.entered)/time.Second*(10*time.Second)
		},
	})
}

// credit is the number of moves that a client can save.
const credit = 8

// race lets clients play at a pace or with a clock, and compares their moves with the server's ticks.
func (r *round) race(names []string, paces []int, clocks []func(*client, netcore.Time) netcore.Time) error {
	all, err := r.attackers(len(paces), func(i int) clientSpec {
		spec := clientSpec{name: fmt.Sprint("fast", i), pace: paces[i]}
		if clocks != nil {
			spec.clock = clocks[i]
		}
		return spec
	})
	if err != nil {
		return err
	}
	ids, moves, ticks := make([]string, len(all)), make([]float64, len(all)), make([]float64, len(all))
	for i := range all {
		if ids[i], err = r.idOf(fmt.Sprint("fast", i)); err != nil {
			return err
		}
		if moves[i], ticks[i], err = r.moves(ids[i]); err != nil {
			return err
		}
	}
	time.Sleep(r.length + 500*time.Millisecond)
	for i := range all {
		m, n, err := r.moves(ids[i])
		if err != nil {
			return err
		}
		did, passed := m-moves[i], n-ticks[i]
		r.note("%s: %.0f moves in %.0f ticks", names[i], did, passed)
		// one more tick can pass between the two console lines of each measurement
		r.fail(did > 1.01*passed+credit+2, "more moves than time")
	}
	return nil
}

// hostile are texts that terminals, logs and Lua could take for more than text.
var hostile = []string{
	"\x1b[2J\x1b[31mroot", "a\r\nlevel=ERROR msg=forged", "\u202egnp.exe", "\u200bServer", "${jndi:ldap://x}", "%1%1%1%1", "%n%s%x", "\x00\x01\x7f\u0085",
	"\u2028line", "'; os.exit() --", "\xff\xfe\xfd", "]]\"\n", "\u2066\u2069", "\U000e0041", strings.Repeat("\u0301", 60),
}

// playTexts sends hostile texts by all ways that a client has, and looks at all that people see.
func playTexts(r *round) error {
	sent, outBefore := 0, 0
	if r.server != nil {
		outBefore = len(r.server.output())
	}
	for end := time.Now().Add(r.length); sent == 0 || time.Now().Before(end); {
		all, err := r.attackers(len(hostile), func(i int) clientSpec { return clientSpec{name: hostile[i]} })
		if err != nil {
			return err
		}
		r.bad.do(func() {
			for i, c := range all {
				text := hostile[i]
				c.say("%s", text)
				_ = c.call("TeamMessageSent", sim.String(text))
				_ = c.call(text, sim.Tag(text), sim.String(text))
				_ = c.call("StartVote", sim.String(text), sim.String(text))
			}
		})
		time.Sleep(100 * time.Millisecond)
		for i, c := range all {
			r.bad.remove(c, hostile[i], false)
		}
		sent += 7 * len(all)
	}
	shown := 0
	for line := range r.crowd.heard() {
		shown++
		bad := hiddenIn(line)
		r.fail(bad != "", "a player is shown %q", bad)
	}
	if r.server != nil {
		for line := range strings.SplitSeq(r.log()+r.server.output()[outBefore:], "\n") {
			shown++
			bad := hiddenIn(line)
			r.fail(bad != "", "the log or the console shows %q", bad)
			r.fail(strings.HasPrefix(line, "level=ERROR msg=forged"), "a text forges a line of the log")
		}
	}
	r.note("%d hostile texts, %d lines looked at", sent, shown)
	if len(r.failures) > 3 {
		r.failures = r.failures[:3]
	}
	return nil
}

// hiddenIn returns a line with a control or format character, or "".
func hiddenIn(line string) string {
	if strings.ContainsFunc(line, func(c rune) bool {
		return c != '\t' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || c == '\u2028' || c == '\u2029')
	}) {
		return line
	}
	return ""
}
