package nodetest

import (
	"fmt"
	"net/netip"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore/seal"
)

// operatorModel is the model of the server's bans and roles: what the operator has asked for.
type operatorModel struct {
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
func (m *operatorModel) do(s *system, line string, change func()) {
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

func (m *operatorModel) ban(p *player) {
	m.do(p.system, "ban "+p.key.Public.String()+" forever", func() { m.banned[p.key.Public] = true })
}

func (m *operatorModel) unban(p *player) {
	if m.banned[p.key.Public] {
		m.do(p.system, "unban "+p.key.Public.String(), func() { delete(m.banned, p.key.Public) })
	}
}

func (m *operatorModel) banIP(s *system, ip string) {
	m.do(s, "ban "+ip+" forever", func() { m.bannedIP[ip] = true })
}

func (m *operatorModel) liftIP(s *system, ip string) {
	if m.bannedIP[ip] {
		m.do(s, "unban "+ip, func() { delete(m.bannedIP, ip) })
	}
}

func (m *operatorModel) give(p *player) {
	m.do(p.system, "role give "+p.key.Public.String()+" keeper", func() { m.keepers[p.key.Public] = true })
}

func (m *operatorModel) take(p *player) {
	if m.keepers[p.key.Public] {
		m.do(p.system, "role take "+p.key.Public.String()+" keeper", func() { delete(m.keepers, p.key.Public) })
	}
}

func (m *operatorModel) kick(p *player) {
	c := p.peer()
	if c == nil {
		return
	}
	m.do(p.system, fmt.Sprint("kick ", c.ID()), func() {
		if _, over := c.Net().Closed(); !over {
			p.system.fail("rights", "player %d was kicked and is still there", p.number)
		}
	})
}

// lift ends all bans. While the server is down, it waits for that: see settle.
func (m *operatorModel) lift(s *system) {
	for _, p := range s.players {
		m.unban(p)
	}
	for _, p := range s.players {
		for place := range p.place + 2 {
			m.liftIP(s, ipAt(p.number, place))
		}
	}
}

// check holds the server to the model.
func (m *operatorModel) check(s *system) {
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
		if m.banned[c.Key()] || m.bannedIP[ipOf(c)] {
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
func (m *operatorModel) secret(s *system, who string) {
	m.secrets++
	if key, known := m.names[who]; !known || !m.keepers[key] {
		s.fail("rights", "%s is no keeper and ran the command probe.secret", who)
	}
}
