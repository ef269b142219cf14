package bench

import (
	"math"
	"slices"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/netcore/ghost"
)

// The bands of distance from a player to another: up to 60 m, up to 200 m, and beyond.
const (
	near = iota
	middle
	far
	bands
)

var bandNames = [bands]string{"near", "middle", "far"}

func bandOf(distance float64) int {
	switch {
	case distance <= 60:
		return near
	case distance <= 200:
		return middle
	}
	return far
}

// drawnPlayers are the players that a client draws after a tick.
type drawnPlayers struct {
	Client string // the name of the player
	IDs    []uint16
	At     []sim.Vec3
}

// look makes the next client that decodes its ghosts report what it draws after its next tick.
func (c *clientProcess) look() {
	hearing := c.hearing()
	if len(hearing) > 0 {
		c.looking = hearing[c.looks%len(hearing)]
		c.looks++
	}
}

// reportDrawn reports what a client draws.
func (c *clientProcess) reportDrawn(e *simClient) {
	c.looking = nil
	s := e.host.Server()
	if s == nil {
		return
	}
	d := &drawnPlayers{Client: playerName(uint16(e.player.number))}
	s.PeerGhosts.Each(func(o sim.Object) bool {
		if body, is := o.(sim.Interpolator); is && o != s.Control.Object() && o.Ident().Class().Name == bodyClass {
			id, _ := s.PeerGhosts.IDOf(o)
			d.IDs, d.At = append(d.IDs, id), append(d.At, body.Shown(0).Position)
		}
		return true
	})
	_ = c.reports.Encode(crowdReport{Drawn: d}) // an error shows at the next report
}

const (
	truthTicks = 32 // ticks back in which a report is compared
	viewsMost  = 64 // connections whose views are looked at in a tick
)

// views measures what players see of each other.
type views struct {
	truth [truthTicks]map[uint32]sim.Vec3 // where the bodies are at the end of a tick, by number
	turn  int                             // the next connection to look at
	times int                             // looks
	looks int                             // connections looked at

	pairs  [bands]int       // other players looked at
	fresh  [bands]int       // those of them updated in that tick
	errors [bands][]float64 // of drawn positions: metres for near players, else degrees of view
	shots  int              // projectiles in flight, sum of all looks
	deaths int
	dead   map[sim.ID]bool // the bodies of the last look
}

func newViews() *views { return &views{dead: map[sim.ID]bool{}} }

// record records where the bodies are.
func (v *views) record(h *engine.Host) {
	now := &v.truth[h.TickNumber()%truthTicks]
	if *now == nil {
		*now = map[uint32]sim.Vec3{}
	}
	clear(*now)
	w := h.World()
	w.Each(w.Classes().Lookup(bodyClass), func(o sim.Object) bool {
		(*now)[o.Ident().Number()] = o.(sim.Placer).Place().Position
		return true
	})
}

// look looks at the views of some connections, after a tick has been sent.
func (v *views) look(h *engine.Host) {
	v.fight(h.World())
	tick, conns := uint32(h.TickNumber()), h.Connections()
	at := v.truth[tick%truthTicks]
	for range min(len(conns), viewsMost) {
		c := conns[v.turn%len(conns)]
		v.turn++
		eye, _, _, ok := c.Visible.Eye()
		own := c.Control.Object()
		if !ok || own == nil {
			continue
		}
		v.looks++
		c.Ghosts().EachSeen(func(s ghost.Seen) {
			is, body := at[s.Object]
			if !body || s.Status != ghost.Live || s.Object == own.Ident().Number() {
				return
			}
			b := bandOf(is.Sub(eye).Len())
			v.pairs[b]++
			if s.Sent == tick {
				v.fresh[b]++
			}
		})
	}
}

// fight counts shots and deaths.
func (v *views) fight(w *sim.World) {
	v.times++
	w.Each(w.Classes().Lookup("Projectile"), func(sim.Object) bool { v.shots++; return true })
	now := map[sim.ID]bool{}
	w.Each(w.Classes().Lookup(bodyClass), func(o sim.Object) bool {
		id, is := o.Ident().ID(), o.(*game.Player).IsDestroyed()
		if was, known := v.dead[id]; known && is && !was {
			v.deaths++
		}
		now[id] = is
		return true
	})
	v.dead = now
}

// hertz returns the updates per second of a visible player of a band.
func (v *views) hertz(band int) float64 {
	return float64(v.fresh[band]) / float64(v.pairs[band]) / tickTime.Seconds()
}

// compare compares the positions that a client draws with the server's. The client's packets and
// its clock are some ticks behind, so the tick counts whose positions fit best.
func (v *views) compare(h *engine.Host, d *drawnPlayers) {
	i := slices.IndexFunc(h.Connections(), func(c *engine.Connection) bool { return c.PlayerName == d.Client })
	if i < 0 {
		return
	}
	c := h.Connections()[i]
	own := c.Control.Object()
	if own == nil {
		return
	}
	objects, now := map[uint16]uint32{}, v.truth[h.TickNumber()%truthTicks]
	c.Ghosts().Each(func(id int, obj uint32, _ ghost.Status) {
		if _, body := now[obj]; body {
			objects[uint16(id)] = obj
		}
	})
	var best map[uint32]sim.Vec3
	least := math.Inf(1)
	for back := range uint64(truthTicks) {
		at, sum := v.truth[(h.TickNumber()-back)%truthTicks], 0.
		for k, id := range d.IDs {
			sum += math.Min(at[objects[id]].Sub(d.At[k]).Len(), 1)
		}
		if len(at) > 0 && sum < least {
			best, least = at, sum
		}
	}
	eye, here := best[own.Ident().Number()]
	for k, id := range d.IDs {
		is, known := best[objects[id]]
		if !here || !known {
			continue
		}
		distance := is.Sub(eye).Len()
		wrong, b := is.Sub(d.At[k]).Len(), bandOf(distance)
		if b != near {
			wrong = math.Atan2(wrong, distance) * 180 / math.Pi
		}
		v.errors[b] = append(v.errors[b], wrong)
	}
}
