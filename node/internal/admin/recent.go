package admin

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/internal/data"
)

const (
	maxLeft   = 1000                // remembered players
	keptFor   = 30 * 24 * time.Hour // a player is remembered
	shownLeft = 64                  // players that recent prints without a number
	// The file also has lines of forgotten players. It is written anew when it has so many lines,
	// or when it has had lines of players who are too old for a day.
	maxLines   = 3 * maxLeft
	rewriteAge = 24 * time.Hour
)

// A formerPlayer was here.
type formerPlayer struct {
	id            sim.ID // 0: in an earlier run of the server
	key           seal.Key
	name, address string
	at            time.Time    // when the player left; in the file, first when they came
	owner         netip.Prefix // the address, or the network of one customer, that the player's place counts for
}

// ownerOf returns the owner of an address. Players without a network have one owner.
func ownerOf(address string) netip.Prefix {
	at := ipOf(address).Unmap()
	bits := 64
	if at.Is4() {
		bits = 32
	}
	owner, _ := at.Prefix(bits)
	return owner
}

// line returns the line of the file: KEY, time, address and name, separated by tabs.
func (p *formerPlayer) line() string {
	return strings.Join([]string{p.key.String(), p.at.UTC().Format(time.RFC3339), p.address, console.Clean(p.name)}, "\t")
}

// parseFormer reads a line of the file.
func parseFormer(line string) (p formerPlayer, err error) {
	parts := strings.SplitN(line, "\t", 4)
	if len(parts) < 4 {
		return p, fmt.Errorf("the line has %d fields, and not 4", len(parts))
	}
	if p.key, err = seal.ParseKey(parts[0]); err != nil {
		return p, err
	}
	p.at, err = time.Parse(time.RFC3339, parts[1])
	p.address, p.name = parts[2], parts[3]
	return p, err
}

// Recent is the players who have left, the first one first. A file keeps them for later runs. It
// also has the players who are here, in case the process is killed. The zero value has no file.
type Recent struct {
	left    []formerPlayer
	path    string      // "" for no file
	failed  func(error) // told that the file cannot be written, until it can be again
	failing bool
	lines   int       // of the file
	expired bool      // the file has lines that are too old
	written time.Time // anew
}

// OpenRecent reads the players of earlier runs. A missing file has none. Wrong lines are dropped:
// a power failure can cut one off.
func OpenRecent(path string, now time.Time, failed func(error)) (*Recent, error) {
	r := &Recent{path: path, failed: failed, written: now}
	if path == "" {
		return r, nil
	}
	err := data.Lines(path, func(line string) error {
		r.lines++
		if p, err := parseFormer(line); err == nil {
			r.remember(p)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("the players who were here cannot be read: %w", err)
	}
	if r.forget(now); r.lines > 0 { // the last line can lack its end
		r.rewrite(nil, now)
	}
	return r, nil
}

// remember adds a player who has left. Each key is in the list once.
func (r *Recent) remember(p formerPlayer) {
	p.owner = ownerOf(p.address)
	r.left = slices.DeleteFunc(r.left, func(d formerPlayer) bool { return d.key == p.key })
	if len(r.left) >= maxLeft {
		r.evict()
	}
	r.left = append(r.left, p)
}

// evict forgets a player: of those from the address with the most, the one who left first. So keys
// that are made for it at a few addresses replace each other.
func (r *Recent) evict() {
	count := map[netip.Prefix]int{}
	most := 0
	for i := range r.left {
		owner := r.left[i].owner
		count[owner]++
		most = max(most, count[owner])
	}
	first := slices.IndexFunc(r.left, func(p formerPlayer) bool { return count[p.owner] == most })
	r.left = slices.Delete(r.left, first, first+1)
}

// forget forgets the players who left too long ago.
func (r *Recent) forget(now time.Time) {
	before := len(r.left)
	r.left = slices.DeleteFunc(r.left, func(p formerPlayer) bool { return now.Sub(p.at) > keptFor })
	r.expired = r.expired || len(r.left) < before
}

// write adds a line to the file. here are the players of now, in case the file is written anew.
func (r *Recent) write(p formerPlayer, here func() []formerPlayer) {
	if r.path == "" {
		return
	}
	if r.lines >= maxLines || r.expired && p.at.Sub(r.written) > rewriteAge {
		r.rewrite(append(here(), p), p.at)
		return
	}
	r.lines++
	r.tell(data.Append(r.path, p.line()))
}

// rewrite writes the file anew: the players who have left, and those who are here.
func (r *Recent) rewrite(here []formerPlayer, now time.Time) {
	all := slices.Concat(r.left, here)
	var text strings.Builder
	for i := range all {
		text.WriteString(all[i].line() + "\n")
	}
	r.lines, r.expired, r.written = len(all), false, now
	r.tell(data.Save(r.path, text.String()))
}

// tell tells the first failure of several.
func (r *Recent) tell(err error) {
	if err != nil && !r.failing {
		r.failed(err)
	}
	r.failing = err != nil
}

// gone returns the remembered player that matches, and whether several do.
func (r *Recent) gone(now time.Time, match func(formerPlayer) bool) (found *formerPlayer, many bool) {
	r.forget(now)
	for i := range r.left {
		if match(r.left[i]) {
			many = found != nil
			if found = &r.left[i]; many {
				break
			}
		}
	}
	return found, many
}

// former describes a player of now.
func (a *Admin) former(c *engine.Connection) formerPlayer {
	return formerPlayer{id: c.ID(), key: c.Key(), name: c.PlayerName, address: c.Address(), at: a.Now()}
}

// here describes the players of now.
func (a *Admin) here() (all []formerPlayer) {
	for _, c := range a.inbound() {
		if !c.Bot() {
			all = append(all, a.former(c))
		}
	}
	return all
}

// entered notes a player who comes.
func (a *Admin) entered(c *engine.Connection) {
	if !c.Bot() {
		a.Recent.write(a.former(c), a.here)
	}
}

// note remembers a player who leaves.
func (a *Admin) note(c *engine.Connection) {
	if c.Bot() {
		return
	}
	p := a.former(c)
	a.Recent.forget(p.at)
	a.Recent.remember(p)
	a.Recent.write(p, a.here)
}

// recent lists the remembered players, newest first: ID NAME ADDRESS AGO KEY.
func (a *Admin) recent(args []string) (string, error) {
	most, who := shownLeft, ""
	if len(args) > 1 {
		return "", errors.New("usage: recent [N|NAME]")
	}
	if len(args) == 1 {
		if n, err := strconv.ParseUint(args[0], 10, 31); err == nil {
			most = int(n)
		} else {
			most, who = maxLeft, args[0]
		}
	}
	now := a.Now()
	a.Recent.forget(now)
	var lines []string
	for _, d := range slices.Backward(a.Recent.left) {
		if len(lines) == most {
			break
		}
		if who != "" && !matches(who, d.id, d.name) {
			continue
		}
		id := "-"
		if d.id != 0 {
			id = fmt.Sprint(d.id)
		}
		ago := max(0, now.Sub(d.at)).Round(time.Second) // the clock of the machine can go back
		lines = append(lines, fmt.Sprintf("%s %s %s %s %s", id, shown(d.name), d.address, ago, d.key))
	}
	return strings.Join(lines, "\n"), nil
}
