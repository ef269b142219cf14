package play

import (
	"errors"
	"time"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/game"
	"github.com/torc-engine/torc/game/look"
	"github.com/torc-engine/torc/game/scene"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/demo"
)

// maxLine is the longest line for the console, in bytes.
const maxLine = 4096

// A Client is the client of one page. It belongs to one goroutine.
type Client struct {
	Slab  *scene.Slab // the things of the last frame
	State State       // the rest of the last frame

	node       stage
	host       *engine.Host // whose world the reader reads
	game       *node.Client // nil: it shows a demo
	replay     *demo.Viewer // nil: it plays a game
	reader     *scene.Reader
	things     []scene.Thing
	seen       uint64     // the tick of the things
	controlled sim.Object // the controlled object of the things
	view       view       // that View has set
	controls   controls
	spectator  spectator
	mouth      *mouth

	formsChanged bool // since the last call of Forms
	bindsChanged bool // since the last call of Binds

	elementsChanged bool // since the last call of HudElements
}

// A stage is a node whose world is shown: that of a game, or of a demo.
type stage interface {
	Step() error
	Close() error
	Host() *engine.Host
	Console() *console.Console
	Ready() bool
	Print(text string)
	Now() time.Duration
	UntilTick() float64
}

// view is a player's camera.
type view struct {
	firstPerson bool
	fov         int // degrees; 0: View was not called
}

// New makes a client. Its VoiceOut is Say. send passes a datagram to a server, and must not keep
// it: see node.NewSteppedClient.
func New(cfg node.Config, send func(to netcore.Addr, datagram []byte)) (*Client, error) {
	said := new(mouth)
	cfg.Client.VoiceOut = said.take
	var c *Client
	cfg.Client.Forms = func([]*form.Form) { c.formsChanged = true }
	cfg.Client.Elements = func([]*form.Element) { c.elementsChanged = true }
	cfg.Client.Binds = func([]engine.Bind) { c.bindsChanged = true }
	n, err := node.NewSteppedClient(cfg, send)
	if err != nil {
		return nil, err
	}
	c = newClient(n)
	c.game, c.mouth = n, said
	n.Host().SetMoves(c.move)
	return c, nil
}

func newClient(n stage) *Client {
	c := &Client{Slab: scene.NewSlab(), node: n, spectator: newSpectator(), mouth: new(mouth)}
	c.follow()
	return c
}

// follow lets the client show the world of its node, which is another one when the player has gone
// to another server. The camera stays as the player has set it.
func (c *Client) follow() {
	if h := c.node.Host(); h != c.host {
		c.host, c.reader = h, scene.NewReader(h.World())
		c.seen, c.controlled = 0, nil
		if c.view.fov > 0 {
			c.View(c.view.firstPerson, c.view.fov)
		}
	}
}

// Close ends the client.
func (c *Client) Close() error { return c.node.Close() }

// Receive handles a datagram of the server.
func (c *Client) Receive(datagram []byte) { c.ReceiveFrom(netcore.LocalAddr(1), datagram) }

// ReceiveFrom handles a datagram of a server at an address of node.ClientConfig.Reach.
func (c *Client) ReceiveFrom(from netcore.Addr, datagram []byte) {
	if c.game != nil {
		c.game.ReceiveFrom(from, datagram)
	}
}

// Follow answers an order of node.ClientConfig.Asked: go to the other server, or stay.
func (c *Client) Follow(goes bool) error {
	if c.game == nil {
		return errors.New("a demo goes to no other server")
	}
	return c.game.Follow(goes)
}

// Step runs what is due, and fills Slab and State. It returns io.EOF or an error when the client
// has ended.
func (c *Client) Step() error {
	if err := c.node.Step(); err != nil {
		return err
	}
	c.follow()
	c.read()
	c.fill()
	return nil
}

// read reads the things into the slab. Between two ticks only their places change.
func (c *Client) read() {
	back, tick := c.node.UntilTick(), c.node.Host().TickNumber()
	if tick == c.seen && c.own() == c.controlled {
		c.things = c.reader.Move(c.things, back, c.node.Now())
		c.Slab.Move(c.things)
		return
	}
	c.seen, c.controlled = tick, c.own()
	c.things = c.reader.Read(c.things[:0], c.controlled, back, c.node.Now())
	c.Slab.Fill(c.things)
}

// own returns the object that this client controls, or nil.
func (c *Client) own() sim.Object {
	if server := c.node.Host().Server(); server != nil {
		return server.Control.Object()
	}
	return nil
}

// Hold sets what the player holds from now on.
func (c *Client) Hold(in Input) { c.controls.hold(in) }

// Turn turns the view, in degrees: yaw to the left, pitch up.
func (c *Client) Turn(yaw, pitch float64) { c.controls.turn(yaw, pitch) }

// move returns the move of a tick.
func (c *Client) move(*engine.Connection) sim.Move {
	body, ok := c.own().(sim.Placer)
	if !ok {
		c.controls.yaw, c.controls.pitch = 0, 0
		return sim.Move{}
	}
	return c.controls.move(body.Place().Rotation.Pitch)
}

// Line runs a line of the console. Its output goes to the Output of the Config. A line that is too
// long is refused.
func (c *Client) Line(line string) {
	if len(line) > maxLine {
		c.node.Print("error: the line has more than 4096 bytes")
		return
	}
	c.node.Console().Enter(line)
}

// Complete returns the candidates for the word before pos, a byte of the line, and where that word
// begins.
func (c *Client) Complete(line string, pos int) (candidates []string, start int) {
	return c.node.Console().Complete(line, min(max(pos, 0), len(line)))
}

// Command sends a command with texts to the mods of the server.
func (c *Client) Command(name string, args ...string) error {
	server := c.node.Host().Server()
	if server == nil {
		return c.node.Host().Dialer.Unconnected()
	}
	values := make([]sim.Value, len(args))
	for i, a := range args {
		values[i] = sim.String(a)
	}
	return server.Commands.Send(engine.CommandOptions{}, sim.String(name), values)
}

// Rename asks the server for another name of the player, now and when the client comes back.
func (c *Client) Rename(name string) error {
	if c.game == nil {
		return errors.New("a demo has no player to name")
	}
	c.node.Host().Dialer.Rename(name)
	return c.Command("Rename", name)
}

// View changes the player's camera: first or third person, and the field of view in degrees.
func (c *Client) View(firstPerson bool, fov int) {
	c.view = view{firstPerson, fov}
	server := c.node.Host().Server()
	if server == nil {
		return
	}
	if is, now := server.Camera.View(); is != firstPerson || now != fov {
		server.Camera.SetFirstPerson(firstPerson)
		server.Camera.SetFOV(min(max(fov, 1), engine.MaxFOV))
	}
}

// Ground returns the terrain. ok is false if there is none.
func (c *Client) Ground() (r game.Relief, heights []float32, ok bool) {
	g, ok := game.GroundOf(c.node.Host().World())
	if !ok {
		return r, nil, false
	}
	return g.Relief(), g.Heights(), true
}

// States are the states in which elements of looks are shown, by name.
var States = look.States

// Elements returns the elements of a look by its number in the slab, as Look.Plain does; nil for
// none.
func (c *Client) Elements(n uint32) []any {
	l, ok := look.Decode(c.Slab.Text(n))
	if !ok {
		return nil
	}
	return l.Plain()
}

// LineText says what is wrong with the line to the server, "" if it works.
func (c *Client) LineText() string { return c.line().Text }

// line returns the state of the line. That of a demo is always good.
func (c *Client) line() node.Line {
	if c.game == nil {
		return node.Line{Bars: 4}
	}
	return c.game.Line()
}
