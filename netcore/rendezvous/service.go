package rendezvous

import (
	"encoding/binary"
	"io"
	"slices"
	"time"

	"github.com/torc-engine/torc/internal/rate"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
)

// The limits of a rendezvous. A registration costs a key exchange, about 0.2 ms. A renewal costs
// about as much as a challenge, and only servers with a session can make one.
const (
	challengesPerSecond    = 20_000 // nobody can share them: their addresses are not proven
	registrationsPerSecond = 500
	registrationsByAddress = 2 // per second
	lookupsPerSecond       = 1000
	lookupsByAddress       = 4   // per second
	introductionsByServer  = 100 // per second
	introductionsAtOnce    = 300 // the same, and for the clients that a server punches to

	maxServers       = 16384
	serversByAddress = 8 // keys; an IPv6 /48 has four times as much

	// keepTime is how long a registration lasts. Servers renew it earlier.
	keepTime = 30 * time.Second
)

// Service is a rendezvous. For an address that has not proven that it receives packets, it stores
// nothing, and sends 66 bytes for 256.
type Service struct {
	// Renewed, if set, hears of each renewal: the key and the proven address of the server, and
	// whether it wants to be in the public list. A server that ends does not. With it, servers are
	// told that there is a list.
	Renewed func(key seal.Key, at netcore.Addr, public bool)
	// Refuse, if set, says which servers are not registered, without an answer. Forget makes it
	// hold at once.
	Refuse func(key seal.Key, at netcore.Addr) bool

	identity seal.KeyPair
	entropy  io.Reader
	cookies  *seal.Cookies
	address  []byte

	servers map[seal.Key]*entry
	order   []*entry             // the servers, the oldest first
	counts  map[netcore.Addr]int // servers by range of their first address

	challenges             netcore.AddressLimiter // of all addresses together
	registrations, lookups netcore.SharedLimiter
}

// entry is a registered server.
type entry struct {
	key   seal.Key
	from  netcore.Addr // counts for this address
	paths []path       // at most maxAddrs, the newest last
	limit rate.Bucket  // of introductions
}

// path is an address of a server, with the session of its newest registration.
type path struct {
	addr    netcore.Addr
	nonce   seal.Nonce
	session *seal.Session
	began   netcore.Time // time of the key exchange
	renewed uint64       // number of the newest renewal in this session
	sent    uint64       // introductions in this session
	until   netcore.Time
}

// NewService returns a rendezvous with a key of its own. It panics if entropy cannot be read.
func NewService(entropy io.Reader) *Service {
	identity, err := seal.NewIdentity(entropy)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return NewServiceAs(entropy, identity)
}

// NewServiceAs returns a rendezvous with this key. It panics if entropy cannot be read.
func NewServiceAs(entropy io.Reader, identity seal.KeyPair) *Service {
	cookies, err := seal.NewCookies(entropy)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return &Service{
		identity: identity, entropy: entropy, cookies: cookies,
		servers: make(map[seal.Key]*entry), counts: make(map[netcore.Addr]int),
	}
}

// Key returns the key of the rendezvous.
func (s *Service) Key() seal.Key { return s.identity.Public }

// Servers returns the number of registered servers.
func (s *Service) Servers() int { return len(s.servers) }

// Receive handles a datagram, and passes on the answers.
func (s *Service) Receive(now netcore.Time, from netcore.Addr, b []byte, out func(to netcore.Addr, b []byte)) {
	s.expire(now)
	if p, body, ok := parseRequest(b, packetRegister); ok && s.proven(now, from, p, out) {
		s.register(now, from, p, body, out)
	}
	s.renew(now, from, b, out)
	if p, body, ok := parseRequest(b, packetLookup); ok && s.proven(now, from, p, out) {
		s.lookup(now, from, p.Nonce, seal.Key(body[:keySize]), out)
	}
}

// proven reports whether a request has a valid cookie. If not, it answers with a challenge.
func (s *Service) proven(now netcore.Time, from netcore.Addr, p seal.Puzzle, out func(netcore.Addr, []byte)) bool {
	s.address = from.AppendRemote(s.address[:0])
	if s.cookies.Check(now, s.address, p) {
		return true
	}
	if s.challenges.Admit(now, netcore.Addr{}, challengesPerSecond) {
		cookie := s.cookies.Make(now, s.address, p.Nonce, 0)
		b := append(appendHead(nil, packetChallenge, p.Nonce), cookie[:]...)
		out(from, append(b, s.identity.Public[:]...))
	}
	return false
}

// register registers a server that proves its key.
func (s *Service) register(now netcore.Time, from netcore.Addr, p seal.Puzzle, body []byte, out func(netcore.Addr, []byte)) {
	if !s.registrations.Admit(now, from, perSecond(registrationsByAddress), perSecond(registrationsPerSecond)) {
		return
	}
	responder, err := seal.NewResponder(s.entropy, s.identity, prologue(p))
	if err != nil {
		return
	}
	_, key, err := responder.Read(body[:seal.FirstOverhead])
	if err != nil || s.refuses(key, from) {
		return
	}
	answer, session, err := responder.Write(appendHead(nil, packetRegistered, p.Nonce), nil)
	if err != nil || !s.keep(now, key, path{addr: from, nonce: p.Nonce, session: session, began: now, until: now + keepTime}) {
		return
	}
	out(from, answer)
}

// keep stores an address of a server. It returns false if the limits allow no further server.
func (s *Service) keep(now netcore.Time, key seal.Key, at path) bool {
	e := s.servers[key]
	if e == nil {
		if !s.room(at.addr) {
			return false
		}
		e = &entry{key: key, from: at.addr}
		s.servers[key] = e
		s.order = append(s.order, e)
		s.count(e.from, 1)
	}
	e.paths = slices.DeleteFunc(e.paths, func(p path) bool { return p.addr.Remote() == at.addr.Remote() || now >= p.until })
	if len(e.paths) == maxAddrs {
		e.paths = slices.Delete(e.paths, 0, 1)
	}
	e.paths = append(e.paths, at)
	return true
}

// refuses reports whether the owner wants no registration of a key or from an address.
func (s *Service) refuses(key seal.Key, at netcore.Addr) bool {
	return s.Refuse != nil && s.Refuse(key, at)
}

// Forget drops the registrations that Refuse refuses now.
func (s *Service) Forget() {
	for _, e := range s.order {
		e.paths = slices.DeleteFunc(e.paths, func(p path) bool { return s.refuses(e.key, p.addr) })
	}
}

// room reports whether an address can register another server.
func (s *Service) room(from netcore.Addr) bool {
	most := serversByAddress
	for _, at := range from.Ranges() {
		if s.counts[at] >= most {
			return false
		}
		most *= 4
	}
	return len(s.servers) < maxServers
}

func (s *Service) count(from netcore.Addr, n int) {
	for _, at := range from.Ranges() {
		if s.counts[at] += n; s.counts[at] == 0 {
			delete(s.counts, at)
		}
	}
}

// lookup tells a client the addresses of a server that it can reach, and introduces the client
// there.
func (s *Service) lookup(now netcore.Time, from netcore.Addr, nonce seal.Nonce, key seal.Key, out func(netcore.Addr, []byte)) {
	recent := s.lookups.Recent(now, from)
	if !s.lookups.Admit(now, from, perSecond(lookupsByAddress), perSecond(lookupsPerSecond)) {
		return
	}
	answer := append(appendHead(nil, packetFound, nonce), 0)
	e := s.servers[key]
	introduce := e != nil && e.limit.HasShare(now, introductions, recent) && e.limit.Take(now, introductions, 1)
	for i := 0; e != nil && i < len(e.paths); i++ {
		p := &e.paths[i]
		if now >= p.until || family(p.addr) != family(from) {
			continue
		}
		answer[headSize]++
		answer = appendAddr(answer, p.addr)
		if introduce {
			out(p.addr, p.introduction(from))
		}
	}
	out(from, answer)
}

// introductions are those of one server.
var introductions = rate.Limit{PerSecond: introductionsByServer, Burst: introductionsAtOnce}

// perSecond is a limit per second, and at once.
func perSecond(n float64) rate.Limit { return rate.Limit{PerSecond: n, Burst: n} }

// introduction seals the address of a client for a server.
func (p *path) introduction(client netcore.Addr) []byte {
	p.sent++
	b := binary.LittleEndian.AppendUint64(appendHead(nil, packetIntroduction, p.nonce), p.sent)
	return p.session.Seal(b, b, appendAddr(nil, client), 0, p.sent)
}

// family is 4 or 6: the version of IP.
func family(a netcore.Addr) int {
	if a.AddrPort().Addr().Is4() {
		return 4
	}
	return 6
}

// expire forgets servers whose addresses have all expired. It looks at a few servers per call.
func (s *Service) expire(now netcore.Time) {
	for range min(4, len(s.order)) {
		e := s.order[0]
		s.order = s.order[1:]
		if slices.ContainsFunc(e.paths, func(p path) bool { return now < p.until }) {
			s.order = append(s.order, e)
			continue
		}
		delete(s.servers, e.key)
		s.count(e.from, -1)
	}
}
