package nodetest

import (
	"fmt"
	"net/netip"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore/seal"
)

// law is the model of the server's bans and roles: what the operator has asked for.
type law struct {
	banned   map[seal.Key]bool
	bannedIP map[string]bool
	keepers  map[seal.Key]bool
	names    map[string]seal.Key // by their texts
	secrets  int                 // commands for keepers that were run
}

// ip returns the IP address of a player's machine now.
func (p *player) ip() string { return ipAt(p.number, p.place) }

// ipAt returns the IP address of a player's machine at one of its places.
func ipAt(player, place int) string { return address(player, place).AddrPort().Addr().String() }

// do runs a console line, and changes the model if it succeeded.
func (l *law) do(s *system, line string, change func()) {
	if s.server.node == nil || !s.server.node.Ready() {
		return
	}
	out := s.server.exec(line)
	if len(out) >= 6 && out[:6] == "error:" {
		s.fail("rights", "%s: %s", line, out)
		return
	}
	change()
}

func (l *law) ban(p *player) {
	l.do(p.system, "ban "+p.key.Public.String()+" forever", func() { l.banned[p.key.Public] = true })
}

func (l *law) unban(p *player) {
	if l.banned[p.key.Public] {
		l.do(p.system, "unban "+p.key.Public.String(), func() { delete(l.banned, p.key.Public) })
	}
}

func (l *law) banIP(s *system, ip string) {
	l.do(s, "ban "+ip+" forever", func() { l.bannedIP[ip] = true })
}

func (l *law) liftIP(s *system, ip string) {
	if l.bannedIP[ip] {
		l.do(s, "unban "+ip, func() { delete(l.bannedIP, ip) })
	}
}

func (l *law) give(p *player) {
	l.do(p.system, "role give "+p.key.Public.String()+" keeper", func() { l.keepers[p.key.Public] = true })
}

func (l *law) take(p *player) {
	if l.keepers[p.key.Public] {
		l.do(p.system, "role take "+p.key.Public.String()+" keeper", func() { delete(l.keepers, p.key.Public) })
	}
}

func (l *law) kick(p *player) {
	c := p.peer()
	if c == nil {
		return
	}
	l.do(p.system, fmt.Sprint("kick ", c.ID()), func() {
		if _, over := c.Net().Closed(); !over {
			p.system.fail("rights", "player %d was kicked and is still there", p.number)
		}
	})
}

// lift ends all bans. While the server is down, it waits for that: see settle.
func (l *law) lift(s *system) {
	for _, p := range s.players {
		l.unban(p)
	}
	for _, p := range s.players {
		for place := range p.place + 2 {
			l.liftIP(s, ipAt(p.number, place))
		}
	}
}

// check holds the server to the model.
func (l *law) check(s *system) {
	if s.server.node == nil {
		return
	}
	for _, c := range s.server.node.Host().Connections() {
		if !c.Inbound() || c.Bot() {
			continue
		}
		if _, over := c.Net().Closed(); over {
			continue
		}
		if l.banned[c.Key()] || l.bannedIP[ipOf(c)] {
			s.fail("rights", "%s at %s is banned and has a connection", c.PlayerName, c.Address())
		}
	}
}

func ipOf(c *engine.Connection) string {
	at, err := netip.ParseAddrPort(c.Address())
	if err != nil {
		return ""
	}
	return at.Addr().String()
}

// secret checks that a command for keepers was run by one.
func (l *law) secret(s *system, who string) {
	l.secrets++
	if key, known := l.names[who]; !known || !l.keepers[key] {
		s.fail("rights", "%s is no keeper and ran the command probe.secret", who)
	}
}
