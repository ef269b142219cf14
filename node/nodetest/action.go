package nodetest

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/torc-engine/torc/netcore"
)

// actions are what the events do, by Event.What. An event that does not fit the present state
// does nothing, so that a plan stays valid when events are removed.
var actions map[string]func(s *system, e Event)

func init() {
	actions = map[string]func(s *system, e Event){
		"calm":    func(s *system, _ Event) { s.endStorm() },
		"players": addPlayers,
		"game":    func(s *system, e Event) { s.server.game = e.Arg },

		"loss":    bad(func(p *netcore.LinkParams, x float64) { p.Loss = x }),
		"burst":   bad(func(p *netcore.LinkParams, x float64) { p.Burst, p.BurstLength = .02, x }),
		"dup":     bad(func(p *netcore.LinkParams, x float64) { p.Duplicate = x }),
		"reorder": bad(func(p *netcore.LinkParams, x float64) { p.Reorder = x }),
		"corrupt": bad(func(p *netcore.LinkParams, x float64) { p.Corrupt = x }),
		"bandwidth": bad(func(p *netcore.LinkParams, x float64) {
			p.Bandwidth = int(x)
		}),
		"mtu":    bad(func(p *netcore.LinkParams, x float64) { p.MTU = int(x) }),
		"jitter": bad(func(p *netcore.LinkParams, x float64) { p.Jitter = time.Duration(x * float64(time.Second)) }),
		"delay":  bad(func(p *netcore.LinkParams, x float64) { p.Delay = time.Duration(x * float64(time.Second)) }),
		"asymmetry": func(s *system, e Event) {
			s.line.up, s.line.down = e.Arg == "up", e.Arg == "down"
			s.line.apply(s)
		},
		"blackout": func(s *system, e Event) { s.line.dark = s.net.Now() + length(e) },
		"netrate": func(s *system, e Event) {
			for _, p := range s.players {
				if e.Who == 0 || e.Who == p.number {
					p.rate = e.Arg
				}
			}
		},

		"drift": func(s *system, e Event) {
			ppm, _ := strconv.ParseInt(e.Arg, 10, 64)
			s.machineOf(e).clock.set(s.net.Now(), ppm, 0)
		},
		"jump": func(s *system, e Event) {
			m := s.machineOf(e)
			m.clock.set(s.net.Now(), m.clock.ppm, length(e))
			s.oracles.disturbed(e.Who)
		},
		"pause": func(s *system, e Event) {
			s.machineOf(e).wakes = s.net.Now() + length(e)
			s.oracles.disturbed(e.Who)
		},
		"date": func(s *system, e Event) { s.server.shift += length(e) },

		"leave":  ofPlayer(func(p *player, _ Event) { p.leave() }),
		"kill":   ofPlayer(func(p *player, _ Event) { p.end() }),
		"rebind": ofPlayer(func(p *player, e Event) { p.rebind(e.Arg == "ip") }),

		"reload":  func(s *system, e Event) { s.server.exec("mod.reload " + cmp.Or(e.Arg, "probe")) },
		"mission": changeMission,
		"restart": func(s *system, _ Event) { s.server.exec("restart") },
		"crash":   func(s *system, _ Event) { s.server.kill() },

		"ban":   ofPlayer(func(p *player, _ Event) { p.system.operator.ban(p) }),
		"unban": ofPlayer(func(p *player, _ Event) { p.system.operator.unban(p) }),
		"banip": ofPlayer(func(p *player, e Event) {
			if e.Arg == "next" {
				p.system.operator.banIP(p.system, ipAt(p.number, p.place+1))
			} else {
				p.system.operator.banIP(p.system, p.ip())
			}
		}),
		"unbanip": ofPlayer(func(p *player, _ Event) { p.system.operator.liftIP(p.system, p.ip()) }),
		"role":    ofPlayer(func(p *player, _ Event) { p.system.operator.give(p) }),
		"unrole":  ofPlayer(func(p *player, _ Event) { p.system.operator.take(p) }),
		"kick":    ofPlayer(func(p *player, _ Event) { p.system.operator.kick(p) }),

		"hostile": func(s *system, e Event) { s.hostile = newHostile(s, e.Arg) },
		"store": func(s *system, e Event) {
			s.server.disk.worst = time.Second
			if e.Arg == "faulty" {
				s.server.disk.faulty = .3
			}
		},
	}
}

// bad returns an event that makes the lines worse. Its argument is a number, or a time in seconds.
func bad(set func(p *netcore.LinkParams, x float64)) func(*system, Event) {
	return func(s *system, e Event) {
		x, err := strconv.ParseFloat(e.Arg, 64)
		if err != nil {
			x = length(e).Seconds()
		}
		set(&s.line.bad, x)
		s.line.apply(s)
	}
}

// ofPlayer returns an event of one player.
func ofPlayer(do func(p *player, e Event)) func(*system, Event) {
	return func(s *system, e Event) {
		if p := s.player(e); p != nil {
			do(p, e)
		}
	}
}

// length returns the duration in the argument of an event.
func length(e Event) time.Duration {
	d, _ := time.ParseDuration(e.Arg)
	return d
}

func addPlayers(s *system, e Event) {
	n, _ := strconv.Atoi(e.Arg)
	for range n {
		p := newPlayer(s, len(s.players)+1)
		s.players = append(s.players, p)
		s.line.link(s, p)
	}
}

// changeMission loads another mission of the game.
func changeMission(s *system, _ Event) {
	missions := map[string]string{"probe": "one two", "ctf": "ridge valley", "deathmatch": "arena"}[s.server.game]
	all := strings.Fields(missions)
	s.server.exec("mission " + all[s.random.IntN(len(all))])
}

// leave lets a player leave in order.
func (p *player) leave() {
	if p.node != nil && !p.node.Ending() {
		p.node.Quit(fmt.Sprint("player ", p.number, " leaves"))
	}
}
