package attack

import (
	crand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/bitstream"
	"github.com/torc-engine/torc/netcore/seal"
)

// lastRequest is the first byte of the packet that opens a session.
const lastRequest = 0xC0 + 3<<2

// mute sends only the packets up to the connect request: the session that it opens never speaks.
func mute(_ *client, b []byte, send func([]byte)) {
	if kindOf(b) == kindHandshake && b[0] <= lastRequest {
		send(b)
	}
}

// halfOpen is the number of sessions that never speak, and hosts the number of their addresses.
const halfOpen, halfOpenHosts = 64, 16

// playHalfOpen opens sessions that never speak, then floods the server with spoofed requests.
func playHalfOpen(r *round) error {
	if err := r.openHalf(); err != nil {
		return err
	}
	r.judgeJoins()
	return r.flooded(spoofed, true)
}

// openHalf opens sessions that never speak, 64 at a time and 64 in a second, from 16 addresses.
func (r *round) openHalf() error {
	n, opened := 0, make([]*client, halfOpen)
	err := r.during(func() (err error) {
		i := n % halfOpen
		if opened[i] != nil {
			r.bad.remove(opened[i], "", true)
		}
		opened[i], err = r.attacker(n, clientSpec{from: r.from(i % halfOpenHosts), tamper: mute})
		if n++; n > halfOpen { // the first ones come at once
			time.Sleep(time.Second / halfOpen)
		}
		return err
	})
	r.note("%d half-open sessions from %d addresses", n, halfOpenHosts)
	return err
}

// flooded floods the server during the time of the attack, from some source addresses.
func (r *round) flooded(packet func([]byte) []byte, joins bool) error {
	f, err := startFlood(r.to, r.address, r.rate(100_000), packet)
	if err != nil {
		return err
	}
	return r.watch(f, fmt.Sprint(floodSockets), r.to, joins)
}

// watch lets a flood go on during the time of the attack, and counts its packets.
func (r *round) watch(f *flood, sources string, to netip.AddrPort, joins bool) (err error) {
	before, _ := kernelDrops(to)
	began := time.Now()
	if joins {
		err = r.during(func() error { time.Sleep(10 * time.Millisecond); return nil })
	} else {
		time.Sleep(r.length)
	}
	took := time.Since(began)
	sent := f.end()
	after, known := kernelDrops(to)
	received := "the socket's share is unknown"
	if known {
		received = fmt.Sprintf("the socket received %d", sent-(after-before))
	}
	r.note("%d packets from %s addresses in %.1f s, %.0f/s: %s", sent, sources, took.Seconds(), float64(sent)/took.Seconds(), received)
	r.fail(sent == 0, "no packet could be sent, so the row proves nothing")
	return err
}

// playSpoofed floods the server with spoofed requests and looks at its memory.
func playSpoofed(r *round) error {
	judgeMemory := r.watchMemory()
	err := r.flooded(spoofed, true)
	judgeMemory(32 << 20)
	return err
}

// The first byte of a reset, and the size of the smallest packet that one answers.
const resetByte, leastLost = 0xE0, 27

// playAmplification sends all types of packets that need no proof of the address, and compares each
// answer with its request. An answer carries the nonce of its request. Only resets do not: they answer
// packets of connections that the server does not have.
func playAmplification(r *round) error {
	c, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(r.address(0), 0)))
	if err != nil {
		return err
	}
	defer c.Close()
	_ = c.SetReadBuffer(4 << 20)
	type nonce [16]byte
	sizes := map[nonce]int{}
	asked, in, lost := r.rate(50_000), 0, 0
	for i := range asked {
		b := spoofed(nil)
		switch i % 4 {
		case 1: // other content
			b = append(b[:17], junk(nil)...)
		case 2: // other sizes, mostly small ones
			b = append(b, make([]byte, 1200)...)[:17+rand.IntN([]int{64, 1183}[rand.IntN(2)])]
		case 3: // other types
			b[0] = byte(i / 4)
		}
		if in += len(b); b[0] == firstByte {
			lost++
		}
		sizes[nonce(b[1:17])] = len(b)
		if _, err := c.WriteToUDPAddrPort(b, r.to); err != nil {
			return err
		}
		if i%100 == 99 {
			time.Sleep(time.Millisecond)
		}
	}
	answers, out, larger, twice, resets := 0, 0, 0, 0, 0
	buf := make([]byte, 1<<16)
	for {
		_ = c.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
		n, _, err := c.ReadFromUDPAddrPort(buf)
		if err != nil {
			break
		}
		answers, out = answers+1, out+n
		switch {
		case n < 17:
			larger++
			continue
		case buf[0] == resetByte:
			if resets++; n >= leastLost {
				larger++
			}
			continue
		}
		size, known := sizes[nonce(buf[1:17])]
		if delete(sizes, nonce(buf[1:17])); !known {
			twice++
		}
		if n > size {
			larger++
		}
	}
	r.note("%d requests of all types and sizes, %d answers, %.2f bytes per byte, %d answers larger than the request, %d to no request; %d resets for %d packets of unknown connections",
		asked, answers, float64(out)/float64(in), larger, twice, resets, lost)
	r.fail(larger > 0 || twice > 0 || resets > lost, "an answer is larger than its request, or a second one")
	r.fail(answers == 0, "no request was answered, so the row proves nothing")
	return nil
}

// playTampered lets clients send forged packets beside their true ones. All lines of their chat must
// arrive exactly once, and none of them may lose its connection.
func playTampered(each int, with func(each int) tampering) func(r *round) error {
	return func(r *round) error {
		var sent atomic.Int64
		all, err := r.attackers(4, func(int) clientSpec {
			said := 0
			return clientSpec{
				tamper: tamperWith(with(r.rate(each)), &sent),
				tick: func(c *client) {
					if c.playing() && c.ticks%24 == 23 {
						said++
						c.say("line %d", said)
					}
				},
			}
		})
		if err != nil {
			return err
		}
		time.Sleep(r.length + 300*time.Millisecond)
		var out int
		r.bad.do(func() {
			out = len(all) - count(all, (*client).playing)
			for _, c := range all {
				c.tick = nil
			}
		})
		time.Sleep(300 * time.Millisecond) // for the last lines
		twice, lines := 0, 0
		for line, times := range r.crowd.heard() {
			if strings.HasPrefix(line, "bad") && strings.Contains(line, ": line ") {
				lines++
				if times > 1 {
					twice++
				}
			}
		}
		r.note("%d forged packets, %d of 4 attacked connections lost, %d lines heard, %d of them twice", sent.Load(), out, lines, twice)
		r.fail(out > 0, "connections were lost: %q", reasons(all))
		r.fail(lines == 0, "no line was heard, so the row proves nothing")
		r.fail(twice > 0, "lines were heard twice")
		return nil
	}
}

// playReplay replays packets of connections that live, and then all of them into new sessions.
func playReplay(r *round) error { return playTampered(100, replay)(r) }

// playSections lets clients send sections of random bits inside sealed packets.
func playSections(r *round) error {
	judgeMemory := r.watchMemory()
	var ended, clients int
	why := map[string]bool{}
	for clients < r.rate(200) {
		var on atomic.Bool
		all, err := r.attackers(10, func(i int) clientSpec {
			return clientSpec{streams: func(own []netcore.Stream) []netcore.Stream {
				own[i%2] = &evil{Stream: own[i%2], on: &on, write: randomSection} // moves or events
				return own
			}}
		})
		if err != nil {
			return err
		}
		clients += len(all)
		on.Store(true)
		r.bad.until(3*time.Second, func() bool { return count(all, (*client).playing) == 0 })
		r.bad.do(func() {
			ended += len(all) - count(all, (*client).playing)
			for _, reason := range reasons(all) {
				why[reason] = true
			}
		})
		for _, c := range all {
			r.bad.remove(c, "", true)
		}
	}
	r.note("%d clients sent random sections, %d were disconnected, for %d different reasons", clients, ended, len(why))
	r.fail(ended < clients*9/10, "clients with random sections stay connected")
	judgeMemory(64 << 20)
	return nil
}

// randomSection writes up to 800 bytes of random bits.
func randomSection(w *bitstream.Writer) {
	for range 1 + rand.IntN(100) {
		mark := w.Mark()
		w.WriteBits(rand.Uint64(), 64)
		if w.Err() != nil {
			w.Rewind(mark)
			return
		}
	}
}

// playDeaf keeps connections open that acknowledge almost nothing, so that the server must keep all
// it sends.
func playDeaf(r *round) error {
	const deafCount = 16
	all, err := r.attackers(deafCount, func(int) clientSpec {
		return clientSpec{tamper: func(c *client, b []byte, send func([]byte)) {
			if !c.playing() || c.ticks%125 == 0 || kindOf(b) == kindHandshake {
				send(b)
			}
		}}
	})
	if err != nil {
		return err
	}
	judgeMemory := r.watchMemory()
	time.Sleep(r.length)
	r.note("%d clients that acknowledge once in 4 s", len(all))
	judgeMemory(deafCount * 512 << 10)
	return nil
}

// silent sends only the packets of the handshake: once the server has accepted it, it says nothing.
func silent(_ *client, b []byte, send func([]byte)) {
	if kindOf(b) == kindHandshake {
		send(b)
	}
}

// seatMost is how long a silent client can hold a seat: 10 s, and the time of its join.
const seatMost = 12 * time.Second

// playStuck lets clients connect that never answer the phases of the join. Half of them say nothing.
func playStuck(r *round) error {
	const slots = 64
	n, all := 0, make([]*client, slots)
	var quiet []*client
	err := r.during(func() (err error) {
		i := n % slots
		if all[i] != nil && all[i].over != "" {
			r.bad.remove(all[i], "", true)
			all[i] = nil
		}
		if all[i] == nil {
			spec := clientSpec{from: r.address(i % 16), stuck: true}
			if i >= slots/2 {
				spec.tamper = silent
			}
			all[i], err = r.attacker(n, spec)
			if i >= slots/2 && err == nil {
				quiet = append(quiet, all[i])
			}
		}
		n++
		time.Sleep(10 * time.Millisecond)
		return err
	})
	r.note("%d clients from 16 addresses connect and never load", min(n, slots))
	if r.short || err != nil {
		return err
	}
	over := func(c *client) bool { return c.over != "" }
	r.bad.until(seatMost, func() bool { return count(quiet, over) == len(quiet) })
	longest, holding := netcore.Time(0), 0
	r.bad.do(func() {
		for _, c := range quiet {
			if c.over == "" {
				holding++
			}
			longest = max(longest, c.ended-c.began)
		}
	})
	r.note("%d of them say nothing, and hold their seats for at most %.1f s", len(quiet), longest.Seconds())
	r.fail(holding > 0 || longest > seatMost, "silent clients hold their seats for more than %v", seatMost)
	return nil
}

// playJunk floods the server with junk of all kinds, and counts the bytes of its log.
func playJunk(r *round) error {
	before := len(r.server.log())
	began := time.Now()
	if err := r.flooded(junk, false); err != nil {
		return err
	}
	rate := float64(len(r.server.log())-before) / time.Since(began).Seconds()
	r.note("%.0f bytes/s of log", rate)
	r.fail(rate > 1024, "more than 1 KiB/s of log")
	return nil
}

// playICMP asks from sockets that close before the answer, so that the system reports unreachable
// ports to the server.
func playICMP(r *round) error {
	sent := 0
	for end := time.Now().Add(r.length); time.Now().Before(end); time.Sleep(time.Millisecond) {
		c, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(r.address(sent%100), 0)))
		if err != nil {
			return err
		}
		for range 4 {
			_, _ = c.WriteToUDPAddrPort(spoofed(nil), r.to)
			sent++
		}
		_ = c.Close()
	}
	r.note("%d requests whose answers find a closed port", sent)
	return nil
}

// playReturn connects again with the key of a player who has vanished, and who is still there.
func playReturn(r *round) error {
	key, err := seal.NewIdentity(crand.Reader)
	if err != nil {
		return err
	}
	worst, replaced := netcore.Time(0), 0
	tries := r.rate(20)
	for i := range tries {
		old, err := r.attackers(1, func(int) clientSpec { return clientSpec{name: "crashed", key: &key} })
		if err != nil {
			return err
		}
		again, err := r.attacker(i+1, clientSpec{name: "crashed", key: &key, from: r.address(1 + i)})
		if err != nil {
			return err
		}
		in := r.bad.until(5*time.Second, func() bool { return again.playing() })
		r.fail(!in, "the key cannot join again")
		told := r.bad.until(2*time.Second, func() bool { return old[0].over == "replaced by another connection with your key" })
		if told {
			replaced++
		}
		r.bad.do(func() { worst = max(worst, again.entered) })
		r.bad.remove(old[0], "", true)
		r.bad.remove(again, "", false)
		if !in || !told {
			break
		}
	}
	r.note("%d of %d old connections were replaced and told so, worst join %.2f s", replaced, tries, worst.Seconds())
	r.fail(replaced < tries, "an old connection with the same key stays, or is told something else")
	return nil
}

// wrongVersion asks with another version of the protocol and returns the answer.
func wrongVersion(r *round) (string, error) {
	id, err := seal.NewIdentity(crand.Reader)
	if err != nil {
		return "", err
	}
	answer := ""
	e := netcore.NewEndpoint(netcore.Config{
		Identity: id, Entropy: crand.Reader, Version: 99, Game: "torc",
		Streams: func(*netcore.Conn) []netcore.Stream { return nil },
		Failed:  func(_ *netcore.Pending, why netcore.Reason) { answer = why.String() },
	})
	c, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(r.address(9), 0)))
	if err != nil {
		return "", err
	}
	defer c.Close()
	e.Connect(clock(), netcore.UDPAddr(r.to), netcore.ConnectOptions{Trust: func(netcore.Addr, seal.Key) error { return nil }, Timeout: 3 * time.Second})
	buf := make([]byte, 2048)
	for end := time.Now().Add(4 * time.Second); answer == "" && time.Now().Before(end); {
		e.Tick(clock())
		e.Send(clock(), func(_ netcore.Addr, b []byte) { _, _ = c.WriteToUDPAddrPort(b, r.to) })
		_ = c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		if n, _, err := c.ReadFromUDPAddrPort(buf); err == nil {
			e.Receive(clock(), netcore.UDPAddr(r.to), buf[:n])
		}
	}
	if answer == "" {
		return "", errors.New("no answer to another version")
	}
	return answer, nil
}
