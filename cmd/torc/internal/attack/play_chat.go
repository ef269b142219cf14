package attack

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/torc-engine/torc/engine/sim"
)

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

// heardLine returns a line that an honest client heard, with a text in it.
func heardLine(h *honest, part string) string {
	for line := range h.heard {
		if strings.Contains(line, part) {
			return line
		}
	}
	return ""
}
