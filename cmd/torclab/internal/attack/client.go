package attack

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/netcore/udp"
)

// clientSpec describes a client. The zero value of a field is an ordinary client's.
type clientSpec struct {
	name     string
	password string
	from     netip.Addr
	tamper   func(c *client, b []byte, send func([]byte)) // sends a datagram; nil sends it as it is
	tick     func(c *client)                              // runs before each tick
	hear     func(c *client, kind, text string)           // gets each message of the server
}

// client is a complete client without Lua: it answers the phases of a join as the mod base does.
type client struct {
	engine.NopScripts
	clientSpec
	host   *engine.Host
	socket *udp.Socket
	to     netcore.Addr // the server
	next   netcore.Time // time of its next tick

	began   netcore.Time // when the connect began
	entered netcore.Time // how long the join took; 0: it is not in the game
	over    string       // why it is out; "" while it joins and plays
	ended   netcore.Time // when the server ended it
	ticks   int
}

// newClasses returns the Go classes of torc.
func newClasses() (*sim.Classes, error) {
	classes := sim.NewClasses()
	return classes, errors.Join(engine.Register(classes), game.Register(classes))
}

// newClient makes a client and starts to connect it.
func newClient(spec clientSpec, to netip.AddrPort, key *seal.Key, now netcore.Time) (*client, error) {
	id, err := seal.NewIdentity(rand.Reader)
	if err != nil {
		return nil, err
	}
	classes, err := newClasses()
	if err != nil {
		return nil, err
	}
	c := &client{clientSpec: spec, to: netcore.UDPAddr(to), began: now, next: now}
	c.host = engine.NewHost(engine.Config{
		Name: spec.name, Classes: classes, Identity: id, Entropy: rand.Reader, NoInterpolation: true,
		Resolve: engine.ResolveTo(c.to),
		Trust:   func(string, seal.Key) error { return nil },
		Entered: func(*engine.Connection) { c.entered = max(clock()-c.began, 1) },
		Ended:   func(_ *engine.Connection, reason string) { c.over, c.ended = reason, clock() },
		Failed:  func(_ string, r netcore.Reason) { c.over = r.String() },
	})
	c.host.SetScripts(c)
	if c.socket, err = udp.Listen(netip.AddrPortFrom(spec.from, 0).String()); err != nil {
		return nil, err
	}
	c.host.Tick(now) // the host's time begins; a connect ends after a time
	address := to.String()
	if key != nil {
		address += "#" + key.String()
	}
	return c, c.host.Dialer.Connect(address, engine.ConnectArgs{Name: spec.name, Password: spec.password})
}

// epoch is the start of all clocks of the process.
var epoch = time.Now()

func clock() netcore.Time { return time.Since(epoch) }

// Command answers the phases of a join, and passes on messages.
func (c *client) Command(conn *engine.Connection, name string, args []sim.Value) bool {
	switch {
	case strings.HasPrefix(name, "MissionStartPhase") && len(args) > 0:
		_ = conn.Commands.Send(engine.CommandOptions{}, sim.String(name+"Ack"), args[:1])
	case name == "ServerMessage" && len(args) > 1 && c.hear != nil:
		c.hear(c, args[0].Text(), args[1].Text())
	}
	return true
}

// call calls a command on the server, if the client is connected.
func (c *client) call(name string, args ...sim.Value) error {
	s := c.host.Server()
	if s == nil {
		return errors.New("not connected")
	}
	return s.Commands.Send(engine.CommandOptions{}, sim.String(name), args)
}

// say sends a chat line.
func (c *client) say(format string, args ...any) {
	_ = c.call("MessageSent", sim.String(fmt.Sprintf(format, args...)))
}

// playing reports whether the client is in the game.
func (c *client) playing() bool { return c.entered > 0 && c.over == "" }

// step receives what has arrived, runs the ticks that are due, and sends.
func (c *client) step(now netcore.Time) {
	came := c.receive(now)
	due := now >= c.next
	if due {
		c.next += (now-c.next)/engine.TickTime*engine.TickTime + engine.TickTime
		c.ticks++
		if c.tick != nil {
			c.tick(c)
		}
		c.host.Tick(now)
	}
	if due || came || c.entered == 0 {
		c.host.Send(now, c.send)
	}
}

func (c *client) send(to netcore.Addr, b []byte) {
	raw := func(b []byte) { _ = c.socket.Write(to, b) }
	if c.tamper != nil {
		c.tamper(c, b, raw)
		return
	}
	raw(b)
}

func (c *client) receive(now netcore.Time) (came bool) {
	for {
		select {
		case p, open := <-c.socket.Packets():
			if !open {
				return came
			}
			c.host.Receive(now, p.From, p.Bytes())
			p.Free()
			came = true
		default:
			return came
		}
	}
}

// leave disconnects with a reason and closes the socket.
func (c *client) leave(reason string) {
	_ = c.host.Dialer.Disconnect(reason)
	for range 2 {
		c.host.Send(clock(), c.send)
	}
	c.vanish()
}

// vanish closes the socket without a word.
func (c *client) vanish() {
	_ = c.socket.Close()
	if c.over == "" {
		c.over = "left"
	}
}

// count returns how many clients a test holds for.
func count(all []*client, test func(*client) bool) (n int) {
	for _, c := range all {
		if test(c) {
			n++
		}
	}
	return n
}

// reasons returns the different reasons why clients are out, sorted.
func reasons(all []*client) (why []string) {
	for _, c := range all {
		if c.over != "" && !slices.Contains(why, c.over) {
			why = append(why, c.over)
		}
	}
	slices.Sort(why)
	return why
}
