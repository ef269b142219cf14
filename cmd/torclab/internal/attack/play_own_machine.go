package attack

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/torc-engine/torc/engine"
)

// busyLeast is the shortest time for which processes keep the machine busy.
const busyLeast = 2 * time.Second

// longMod has a handler of some milliseconds. It counts its calls, and the calls that were cut.
const longMod = `local calls, cut, half = 0, 0, false
function onTick()
  if half then cut = cut + 1 end
  half, calls = true, calls + 1
  local n = 0
  for i = 1, 100000 do n = n + i end
  half = false
end
export("figures", function() return calls, cut end)
`

// playBusy keeps the machine busy with processes beside a match, while clients join and spawn. It
// fails if a handler is cut or suspended, or the match stops.
func playBusy(r *round) error {
	r.length, r.busy = max(r.length, busyLeast), true
	phase, before, err := r.match()
	if err != nil {
		return err
	}
	ticks := metric(r.server, ticksMetric)
	var all []*exec.Cmd
	defer func() {
		for _, p := range all {
			_ = p.Process.Kill() // fails only if it has ended
			_ = p.Wait()         // and this is the error of the signal
		}
	}()
	for range 2 * runtime.NumCPU() {
		p := exec.Command("sh", "-c", "while :; do :; done")
		p.SysProcAttr = withParent()
		if err := p.Start(); err != nil {
			return err
		}
		all = append(all, p)
	}
	if err := r.during(func() error { time.Sleep(10 * time.Millisecond); return nil }); err != nil {
		return err
	}
	phaseNow, after, err := r.match()
	if err != nil {
		return err
	}
	calls, cut, err := r.longFigures()
	if err != nil {
		return err
	}
	did := (metric(r.server, ticksMetric) - ticks) * tickSeconds
	r.note("%d busy processes for %v; match %s, its clock went on by %.1f s in %.1f s of ticks; 16 parallel builds are run by hand",
		len(all), r.length, phaseNow, before-after, did)
	r.fail(phase != "running" || phaseNow != "running", "the match is not running")
	r.fail(before-after < did/2, "the clock of the match stands still")
	r.note("%d of %d long handlers were cut", cut, calls)
	r.fail(cut > 0 || calls == 0, "handlers were cut, or did not run")
	// The time of a join depends on the machine here, so no limit applies to it.
	r.note("%d honest joins, %d refused", len(r.joins), r.refusals())
	r.fail(r.refusals() > 0, "honest joins were refused")
	r.joins = nil
	r.judgeFaults()
	return nil
}

// longFigures returns the calls of the handler of longMod, and how many of them were cut.
func (r *round) longFigures() (calls, cut int, err error) {
	out, err := r.exec(`import("long").figures()`)
	if err != nil {
		return 0, 0, err
	}
	lines := strings.Split(out, "\n")
	if n, _ := fmt.Sscan(lines[len(lines)-1], &calls, &cut); n != 2 {
		return 0, 0, fmt.Errorf("the figures of the mod long: %s", out)
	}
	return calls, cut, nil
}

// judgeFaults fails the row if a mod had a fault in it.
func (r *round) judgeFaults() {
	for line := range strings.SplitSeq(r.log(), "\n") {
		if strings.Contains(line, "level=ERROR") && strings.Contains(line, "mod=") {
			r.fail(true, "a fault of a mod: %s", line)
			return
		}
	}
}

// tickSeconds is the duration of a tick in seconds.
const tickSeconds = float64(engine.TickTime) / float64(time.Second)

// match returns the phase of the match and the seconds to its end.
func (r *round) match() (phase string, left float64, err error) {
	out, err := r.exec(`echo("match", import("ctf").match().phase, import("ctf").match().left)`)
	if err != nil {
		return "", 0, err
	}
	for line := range strings.SplitSeq(out, "\n") {
		if n, _ := fmt.Sscanf(line, "match\t%s\t%g", &phase, &left); n == 2 {
			return phase, left / 1000, nil // left is in milliseconds
		}
	}
	return "", 0, fmt.Errorf("no match of ctf: %s", out)
}

// nameServers returns the addresses of the name servers of this machine.
func nameServers() (all []netip.Addr) {
	text, _ := os.ReadFile("/etc/resolv.conf") // without it the resolver asks this machine
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "nameserver" {
			if at, err := netip.ParseAddr(f[1]); err == nil && at.Zone() == "" {
				all = append(all, at)
			}
		}
	}
	if len(all) == 0 {
		all = append(all, netip.MustParseAddr("127.0.0.1"))
	}
	return all
}

// playDeadNames lets the server connect to a name while the name servers never answer. In the
// network namespace their addresses belong to this process.
func playDeadNames(r *round) error {
	var asked atomic.Int64
	for _, at := range nameServers() {
		socket, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(at, 53)))
		if err != nil {
			return err
		}
		defer func() { _ = socket.Close() }()
		go func() {
			for b := make([]byte, 512); ; asked.Add(1) {
				if _, err := socket.Read(b); err != nil {
					return
				}
			}
		}()
	}
	ticks, began := metric(r.server, ticksMetric), time.Now()
	if _, err := r.exec("connect torc.example:28000"); err != nil {
		return err
	}
	slowest := time.Duration(0)
	err := r.during(func() error {
		asks := time.Now()
		_, err := r.exec("players")
		slowest = max(slowest, time.Since(asks))
		time.Sleep(50 * time.Millisecond)
		return err
	})
	took := time.Since(began)
	did := metric(r.server, ticksMetric) - ticks
	r.note("name servers that never answer were asked %d times; %.0f ticks in %.1f s; slowest console line %d ms", asked.Load(), did, took.Seconds(), slowest.Milliseconds())
	r.fail(asked.Load() == 0, "no name server was asked, so the row proves nothing")
	r.fail(did*tickSeconds < leastShare*took.Seconds(), "the server did not tick meanwhile")
	return err
}
