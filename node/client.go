package node

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/bots"
	"github.com/torc-engine/torc/node/internal/core"
	"github.com/torc-engine/torc/node/internal/demos"
	"github.com/torc-engine/torc/node/internal/follow"
	"github.com/torc-engine/torc/node/internal/meeting"
)

// localName is the name of the server for its local client.
const localName = "local"

// Client is a complete client: the ghosts of a server's world, its mods, a console, a socket.
type Client struct {
	core.Node
	core     *core.Core // without a loop, the client runs with its server
	cfg      Config
	stepped  bool                                     // the program runs it by Step
	alone    bool                                     // all its datagrams go to one server, or where Reach says
	solve    func(seal.Puzzle, func(solution uint64)) // nil: each tick solves a part of a puzzle
	inGame   *engine.Connection                       // the newest connection in the game
	back     meeting.Reconnecting
	joins    int        // that timed out since the client was in the game
	random   *rand.Rand // of the pauses before another try
	line     lineWatch
	demos    *demos.Service
	finds    core.Service // finds servers
	pages    engine.Pages // nil: the client has one server, or no network
	paged    string       // HOST:PORT that the last page has named
	recorded bool         // ClientConfig.Record has begun
	traffic  *traffic     // nil: nobody captures it
	starting core.Starting
	playing  *clientSide                 // whose Side is that of core
	joining  *clientSide                 // at another server; nil: none
	config   engine.Config               // of a side, without its reports to the program
	resolve  engine.Resolver             // of config
	hud      func(line int, text string) // shows and records a line
	follow   *follow.Follower            // nil: the client cannot be transferred

	teller form.Teller // of forms, without a program that shows them
}

var errNoAddress = &ConfigError{Field: "Address", Value: "", Err: errors.New("must be the server's HOST:PORT or HOST:PORT#KEY, or the link of its page")}

// NewClient opens the data folder and makes the parts of a client. Mods are loaded and the server
// is called by Start. The caller must call Close.
func NewClient(cfg Config) (*Client, error) {
	if cfg.Client.Address == "" {
		return nil, errNoAddress
	}
	c := newClient(cfg, core.NewOwner(cfg.Common, core.Machine()))
	c.solve = core.Solver(c.core.Posts)
	c.core.Loop = &core.Loop{Owner: c.core.Owner}
	via := meeting.NewVia(c.core)
	c.pages = c.notePaged(core.Pages(c.core.Posts))
	if err := c.open(via.Resolver(core.PickResolver(cfg.Resolve, c.core.Posts))); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// NewLocalClient makes a client of a server in the same process. They are joined without a socket,
// and run together on the goroutine of the server's Run. The server's Close closes the client too.
// It must be called before the server's Start. Log, Output and Hooks are those of the server.
func NewLocalClient(server *Server, cfg Config) (*Client, error) {
	if server.local != nil || server.starting.Done {
		return nil, errors.New("node: a server has one local client, which is made before Start")
	}
	pipe := netcore.NewPipe(1, 2)
	c := newClient(cfg, server.core.Owner)
	c.solve = core.Solver(server.core.Posts)
	elsewhere := errors.New("this client belongs to the server of its process: use torc join HOST:PORT for another server")
	c.pages = func(_ engine.Link, done func(string, error)) { done("", elsewhere) }
	err := c.open(func(hostport string, done func([]netcore.Addr, error)) {
		if hostport != localName {
			done(nil, elsewhere)
			return
		}
		done([]netcore.Addr{pipe.A().Addr()}, nil)
	})
	if err != nil {
		server.core.Sides = server.core.Sides[:1] // the server can run without the client
		return nil, errors.Join(err, c.core.Home.Close())
	}
	server.core.Loop.Pipe, server.local = pipe, c
	return c, nil
}

func newClient(cfg Config, o *core.Owner) *Client {
	parts := &core.Core{Owner: o}
	return &Client{cfg: cfg, core: parts, Node: core.NewNode(parts)}
}

// open opens the data folder, and makes the side.
func (c *Client) open(resolve engine.Resolver) (err error) {
	if c.core.Home, err = core.OpenHome(c.cfg.Data, false, c.core.Log); err != nil {
		return err
	}
	if key := c.cfg.Client.AcceptKey; key != nil {
		if c.cfg.Client.Address, err = c.core.Home.AcceptAt(c.cfg.Client.Address, *key); err != nil {
			return err
		}
	}
	id, err := c.identity()
	if err != nil {
		return err
	}
	classes, err := core.NewClasses(c.cfg.Register)
	if err != nil {
		return err
	}
	seed := core.DrawSeed(c.cfg.Seed, c.core.From.Entropy)
	c.random = rand.New(rand.NewPCG(seed, 0))
	c.traffic = newTraffic(c.core.Owner, c.cfg.Client.Capture, c.core.Loop != nil && !c.stepped, &c.cfg.Common, classes)
	if c.core.Loop != nil && c.traffic != nil {
		c.core.Loop.Tap = c.traffic
	}
	if c.follows() {
		c.follow = follow.New(follower{c})
		c.core.After(c.follow.Tick)
	}
	c.finds = c.finder()
	c.demos = demos.New(c.core, c.cfg.Version, c.cfg.Client.Demo)
	c.hud = c.demos.HudTo(c.cfg.Client.Hud)
	c.resolve = resolve
	c.config = engine.Config{
		Name: c.cfg.Name, Language: engine.CleanLanguage(c.cfg.Client.Language), Resolve: resolve, Pages: c.pages, Trust: c.core.Home.Trust(c.core.Log), NoInterpolation: c.cfg.Client.Unseen,
		Identity: id, Classes: classes, Seed: seed, Solve: c.solve, Keys: c.traffic.keys(),
	}
	if c.playing, err = c.newSide(c.config); err != nil {
		return err
	}
	if c.alone {
		c.playing.Closed = func() { c.leaves([]netcore.Addr{netcore.LocalAddr(1)}) }
	}
	c.core.Sides = append(c.core.Sides, c.core.Side)
	if c.cfg.Client.Wander {
		bot := bots.NewWander(c.core.Side.Seed)
		c.core.Before(func() { bot.Tick(c.core.Side.Host) })
	}
	c.core.Before(c.comeBack, c.watchLine)
	return nil
}

// AnswerForm sends the player's answer to a form. The error says what is wrong with it. Call it on
// the goroutine of Run.
func (c *Client) AnswerForm(a form.Answer) error {
	server := c.core.Side.Host.Server()
	if server == nil {
		return c.core.Side.Host.Dialer.Unconnected()
	}
	return server.Forms().Answer(a)
}

// notePaged notes the address that a page names.
func (c *Client) notePaged(ask engine.Pages) engine.Pages {
	if ask == nil {
		return nil
	}
	return func(l engine.Link, done func(string, error)) {
		ask(l, func(at string, err error) {
			c.paged = at
			done(at, err)
		})
	}
}

// identity returns the key of the client: the one of the Config, or that of the data folder.
func (c *Client) identity() (seal.KeyPair, error) {
	if c.cfg.Identity != nil {
		return *c.cfg.Identity, nil
	}
	return c.core.Home.ClientIdentity(c.core.From.Entropy, c.core.Log)
}

// Start opens a socket, sets the variables, loads the mods, runs the scripts and calls the server.
// Run calls it if nobody has. The Start of a local client's server does it for both.
func (c *Client) Start() error {
	if c.core.Loop == nil {
		return nil
	}
	return c.starting.Once(c.core.Owner, c.start)
}

func (c *Client) start() error {
	if !c.stepped {
		var err error
		if c.core.Loop.Socket, err = core.Dial(); err != nil {
			return err
		}
	}
	if err := c.core.Side.Start(c.cfg.Common, core.Content{}); err != nil {
		return err
	}
	args := engine.ConnectArgs{Name: c.cfg.Name, Password: c.cfg.Password, Args: c.cfg.Client.Args, Timeout: c.cfg.Client.Timeout, Watch: c.cfg.Client.Watch}
	if err := c.core.Side.Host.Dialer.Connect(c.cfg.Client.Address, args); err != nil {
		return &ConfigError{Field: "Address", Value: c.cfg.Client.Address, Err: err}
	}
	return nil
}

// connectLocal calls the server of this process.
func (c *Client) connectLocal(key seal.Key) error {
	args := engine.ConnectArgs{Name: c.cfg.Name, Password: c.cfg.Password, Args: c.cfg.Client.Args}
	return c.core.Side.Host.Dialer.Connect(localName+"#"+key.String(), args)
}

// Run runs the client until ctx ends, Close or Quit is called, somebody types quit, or the server
// ends; then it returns nil. It returns a *ConnectError if the client does not get into the server,
// and another error if the client is thrown out or loses the connection.
func (c *Client) Run(ctx context.Context) error {
	switch {
	case c.core.Loop == nil:
		return errors.New("node: Run of the server also runs its local client: call only that")
	case c.stepped:
		return errStepped
	}
	run, finish, err := c.core.Begin(ctx)
	if err != nil {
		return err
	}
	defer finish()
	if err := c.Start(); err != nil {
		return err
	}
	return c.core.Loop.Run(run)
}

// Close ends Run and gives everything back. It waits for that, so do not call it on the goroutine
// of Run. For a local client it does nothing: its server's Close does it.
func (c *Client) Close() error {
	if c.core.Loop == nil || !c.core.Stop() {
		return nil
	}
	if c.core.Loop.Socket != nil {
		_ = c.core.Loop.Socket.Close()
	}
	if c.demos != nil {
		_ = c.demos.Close() // it never fails
	}
	c.traffic.close()
	return c.core.Home.Close()
}

// entered notes that the client is in the game. A change of the mission is another join, but no new
// connection.
func (c *Client) entered(conn *engine.Connection) {
	if c.inGame == conn {
		return
	}
	c.arrived(conn)
	c.recordFirst()
}

// arrived notes that the client plays with a connection from now on.
func (c *Client) arrived(conn *engine.Connection) {
	c.inGame, c.core.Ready = conn, true
	c.back.Back()
	c.joins = 0
	c.core.Side.Host.Dialer.Returning = false
	c.core.Print("connected to " + c.address(conn))
	c.rememberPin(conn.Key())
}

// recordFirst begins the demo of ClientConfig.Record in the first game.
func (c *Client) recordFirst() {
	if c.cfg.Client.Record == "" || c.recorded {
		return
	}
	c.recorded = true
	if err := c.demos.Record(c.cfg.Client.Record); err != nil {
		c.core.Print("error: " + err.Error())
	}
}

// address returns the address of the server as the player knows it. That of a stepped client is its
// channel's.
func (c *Client) address(conn *engine.Connection) string {
	if c.stepped {
		return core.HostPort(c.core.Side.Host.Dialer.LastAddress())
	}
	return conn.Address()
}

// rememberPin makes the key that the address named the known key of the server: a later connect
// without it refuses another server.
func (c *Client) rememberPin(key seal.Key) {
	address, _, pinned := strings.Cut(c.core.Side.Host.Dialer.LastAddress(), "#")
	if !pinned || c.core.Loop == nil || strings.HasPrefix(address, engine.Via) {
		return
	}
	if err := c.core.Home.Accept(netcore.WithPort(address), key); err != nil {
		c.core.Log.Warn("the key of the server is not remembered", "why", err)
	}
}

// ended decides what the end of a connection means for Run. A server that closed is an end as
// asked. An end that this client asked for is not an end of Run. Anything else is an error. While
// the client is on its way to another server, nothing is decided.
func (c *Client) ended(conn *engine.Connection, reason string) {
	if c.follow == nil || !c.follow.Lost(conn, func() { c.decide(conn, reason) }) {
		c.decide(conn, reason)
	}
}

func (c *Client) decide(conn *engine.Connection, reason string) {
	c.line.why = reason
	c.core.Print("disconnected: " + reason)
	why, _ := conn.Net().Closed()
	switch {
	case c.core.Loop == nil || why.Code == netcore.SelfClosed:
	case c.core.Ready && c.lost(why.Code):
	case !c.core.Ready && why.Code == netcore.TimedOut && c.joinsAgain():
	case !c.core.Ready:
		c.core.Quit("", core.NotConnected(c.address(conn), reason))
	case why.Code == netcore.ShuttingDown:
		c.core.Quit("", nil)
	default:
		c.core.Quit("", fmt.Errorf("disconnected from %s: %s", c.address(conn), reason))
	}
}

// failed reports a failed connect. The first one ends Run, because the client has nothing
// else to do.
func (c *Client) failed(address string, r netcore.Reason) {
	err := core.NotConnected(address, r.String()+meeting.Hint(address, address == c.paged, r))
	switch {
	case c.back.On && c.back.InVain(c.core.Now(), r):
		c.core.Print("the server has not come back")
		c.core.Quit("", nil)
	case c.back.On && meeting.TryLater(r):
		c.core.Print("error: " + err.Error())
		c.tryAgain()
	case c.back.On:
		c.core.Quit("", errors.New(err.Error())) // it was in the game, so this is no failed connect
	case c.core.Ready:
		c.core.Print("error: " + err.Error())
	default:
		c.core.Quit("", err)
	}
}
