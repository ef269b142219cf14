package attack

import (
	"net"
	"net/netip"
	"time"

	"github.com/torc-engine/torc/engine/sim"
)

// operatorLines are console lines that a client without a role must not run.
var operatorLines = []string{
	"quit", "exec secret.lua", "role give bad0 admin", "role.give bad0 admin", "role allow bad0 kick", "kick honest1", "ban honest1", "ban 127.0.0.0/8", "mod disable ctf",
	"sv.password open", "net.timeout 1", "eval quit()", "lua quit()", "say *** operator", "backup ../x", "disconnect",
}

// playOperator lets clients run console lines: as lines of the chat, and as commands. One with a role
// then does one of them, so that the row proves something.
func playOperator(r *round) error {
	state := func() (text string, err error) {
		for _, line := range []string{"role", "bans", "mods", "sv.password", "net.timeout"} {
			answer, wrong := r.exec("%s", line)
			if wrong != nil {
				return "", wrong
			}
			text += answer + "\n"
		}
		return text, nil
	}
	before, err := state()
	if err != nil {
		return err
	}
	all, err := r.attackers(len(operatorLines), func(int) clientSpec { return clientSpec{} })
	if err != nil {
		return err
	}
	tries := 0
	for i, c := range all {
		line := operatorLines[i]
		r.bad.do(func() {
			for _, begin := range []string{"/", "//", "! "} {
				c.say("%s%s", begin, line)
			}
			for _, name := range []string{line, "eval", "exec", "console", "rcon", "sudo", "login"} {
				_ = c.call(name, sim.String(line))
			}
		})
		tries += 10
	}
	time.Sleep(r.length)
	after, err := state()
	if err != nil {
		return err
	}
	r.note("%d tries of %d console lines", tries, len(operatorLines))
	r.fail(after != before, "a client changes the server: %q became %q", before, after)
	r.bad.do(func() {
		r.fail(count(all, (*client).playing) < len(all), "a client was disconnected: %q", reasons(all))
	})
	id, err := r.idOf("bad0")
	if err != nil {
		return err
	}
	if _, err := r.exec("role give %s admin", id); err != nil {
		return err
	}
	r.bad.do(func() { all[0].say("/kick bad1") })
	kicked := r.bad.until(2*time.Second, func() bool { return all[1].over != "" })
	r.note("a client with the role admin can kick: %v", kicked)
	r.fail(!kicked, "an admin cannot kick, so the row proves nothing")
	_, err = r.exec("role take %s admin", id)
	return err
}

// playAddresses sends a packet from each of many addresses with one port, and opens sessions from many
// of them.
func playAddresses(r *round) error {
	const most = 50_000 // guests use the addresses after these
	port, sent, sessions := uint16(0), 0, 0
	var buf []byte
	err := r.during(func() error {
		for range 50 {
			c, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(r.address(sent%most), port)))
			if err != nil {
				return err
			}
			port = c.LocalAddr().(*net.UDPAddr).AddrPort().Port()
			if buf = spoofed(buf[:0]); sent%2 == 1 {
				buf = junk(buf[:0])
			}
			_, _ = c.WriteToUDPAddrPort(buf, r.to)
			_ = c.Close()
			sent++
		}
		c, err := r.attacker(sessions, clientSpec{from: r.address((sessions * 256) % most), tamper: mute})
		if err != nil {
			return err
		}
		if sessions++; sessions > halfOpen {
			r.bad.do(func() { c = r.bad.all[0] })
			r.bad.remove(c, "", true)
		}
		time.Sleep(2 * time.Millisecond)
		return nil
	})
	r.note("packets from %d addresses with one port, %d half-open sessions", min(sent, most), sessions)
	return err
}
