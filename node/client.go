package node

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node/bots"
	"github.com/torc-engine/torc/script"
)

// localName is the name of the server for its local client.
const localName = "local"

// Client is a complete client: the ghosts of a server's world, its mods, a console, a socket.
type Client struct {
	node
	core     *coreParts // without a loop, the client runs with its server
	cfg      Config
	stepped  bool                                     // the program runs it by Step
	solve    func(seal.Puzzle, func(solution uint64)) // nil: each tick solves a part of a puzzle
	inGame   *engine.Connection                       // the newest connection in the game
	back     reconnecting
	random   *rand.Rand // of the pauses before another try
	lookup   *lookup    // nil: none is under way
	line     lineWatch
	demos    *demoRecorder
	recorded bool     // ClientConfig.Record has begun
	traffic  *traffic // nil: nobody captures it
	starting starting
}

var errNoAddress = &ConfigError{"Address", "", errors.New("must be the server's HOST:PORT or HOST:PORT#KEY")}

// NewClient opens the data folder and makes the parts of a client. Mods are loaded and the server
// is called by Start. The caller must call Close.
func NewClient(cfg Config) (*Client, error) {
	if cfg.Client.Address == "" {
		return nil, errNoAddress
	}
	c := newClient(cfg, newOwner(cfg.Common, machine()))
	c.solve = solver(c.core.posts)
	c.core.loop = &loop{owner: c.core.owner}
	c.core.loop.other = c.other
	c.core.Before(c.lookUp)
	if err := c.open(c.resolveVia(pickResolver(cfg.Resolve, c.core.posts))); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// NewLocalClient makes a client of a server in the same process. They are joined without a socket,
// and run together on the goroutine of the server's Run. The server's Close closes the client too.
// It must be called before the server's Start. Log, Output and Hooks are those of the server.
func NewLocalClient(server *Server, cfg Config) (*Client, error) {
	if server.local != nil || server.starting.done {
		return nil, errors.New("node: a server has one local client, which is made before Start")
	}
	pipe := netcore.NewPipe(1, 2)
	c := newClient(cfg, server.core.owner)
	c.solve = solver(server.core.posts)
	err := c.open(func(hostport string, done func([]netcore.Addr, error)) {
		if hostport != localName {
			done(nil, errors.New("this client belongs to the server of its process: use torc join HOST:PORT for another server"))
			return
		}
		done([]netcore.Addr{pipe.A().Addr()}, nil)
	})
	if err != nil {
		server.core.sides = server.core.sides[:1] // the server can run without the client
		return nil, errors.Join(err, c.core.home.close())
	}
	server.core.loop.pipe, server.local = pipe, c
	return c, nil
}

func newClient(cfg Config, o *owner) *Client {
	core := &coreParts{owner: o}
	return &Client{cfg: cfg, core: core, node: node{core}}
}

// open opens the data folder, and makes the side.
func (c *Client) open(resolve engine.Resolver) (err error) {
	if c.core.home, err = openHome(c.cfg.Data, false, c.core.log); err != nil {
		return err
	}
	if key := c.cfg.Client.AcceptKey; key != nil {
		if err := c.core.home.accept(hostport(c.cfg.Client.Address), *key); err != nil {
			return err
		}
	}
	id, err := c.identity()
	if err != nil {
		return err
	}
	classes, err := newClasses(c.cfg.Register)
	if err != nil {
		return err
	}
	seed := drawSeed(c.cfg.Seed, c.core.from.Entropy)
	c.random = rand.New(rand.NewPCG(seed, 0))
	c.traffic = newTraffic(c.core.owner, c.cfg.Client.Capture, c.core.loop != nil && !c.stepped, c.cfg.Version, classes)
	if c.core.loop != nil && c.traffic != nil {
		c.core.loop.tap = c.traffic
	}
	c.core.side, err = newSide("client", c.cfg.Common, engine.Config{
		Name: c.cfg.Name, Resolve: resolve, Trust: c.core.home.trust(c.core.log), NoInterpolation: c.cfg.Client.Unseen,
		Identity: id, Classes: classes, Seed: seed, Solve: c.solve, Keys: c.traffic.keys(),
		Entered: c.entered, Ended: c.ended, Failed: c.failed,
	}, c.core.from, c.core.print, c.core.log)
	if err != nil {
		return err
	}
	c.core.sides = append(c.core.sides, c.core.side)
	if err := c.core.side.register(append(c.findCommands(), quitCommand(c.core.owner))); err != nil {
		return err
	}
	if c.demos, err = newDemoRecorder(c.core.side, c.core.owner, c.core.home, c.cfg); err != nil {
		return err
	}
	if err := c.core.side.addScripts(script.Setup{Hud: c.demos.hudTo(c.cfg.Client.Hud), Message: c.cfg.Client.Message, Effect: c.cfg.Client.Effect}); err != nil {
		return err
	}
	if c.cfg.Client.Wander {
		c.core.Before(wander(c.core.side))
	}
	c.core.Before(c.comeBack, c.watchLine)
	return nil
}

// identity returns the key of the client: the one of the Config, or that of the data folder.
func (c *Client) identity() (seal.KeyPair, error) {
	if c.cfg.Identity != nil {
		return *c.cfg.Identity, nil
	}
	return c.core.home.clientIdentity(c.core.from.Entropy, c.core.log)
}

// wander returns a function that makes the moves of a side for one tick.
func wander(s *side) func() {
	bot := bots.NewWander(s.seed)
	return func() { bot.Tick(s.host) }
}

func hostport(address string) string {
	hostport, _, _ := strings.Cut(address, "#")
	return netcore.WithPort(hostport)
}

// Start opens a socket, sets the variables, loads the mods, runs the scripts and calls the server.
// Run calls it if nobody has. The Start of a local client's server does it for both.
func (c *Client) Start() error {
	if c.core.loop == nil {
		return nil
	}
	return c.starting.once(c.core.owner, c.start)
}

func (c *Client) start() error {
	if !c.stepped {
		var err error
		if c.core.loop.socket, err = dial(); err != nil {
			return err
		}
	}
	if err := c.core.side.start(c.cfg.Common, world{}); err != nil {
		return err
	}
	args := engine.ConnectArgs{Name: c.cfg.Name, Password: c.cfg.Password, Args: c.cfg.Client.Args, Timeout: c.cfg.Client.Timeout, Watch: c.cfg.Client.Watch}
	if err := c.core.side.host.Connect(c.cfg.Client.Address, args); err != nil {
		return &ConfigError{"Address", c.cfg.Client.Address, err}
	}
	return nil
}

// connectLocal calls the server of this process.
func (c *Client) connectLocal(key seal.Key) error {
	args := engine.ConnectArgs{Name: c.cfg.Name, Password: c.cfg.Password, Args: c.cfg.Client.Args}
	return c.core.side.host.Connect(localName+"#"+key.String(), args)
}

// Run runs the client until ctx ends, Close or Quit is called, somebody types quit, or the server
// ends; then it returns nil. It returns a *ConnectError if the client does not get into the server,
// and another error if the client is thrown out or loses the connection.
func (c *Client) Run(ctx context.Context) error {
	switch {
	case c.core.loop == nil:
		return errors.New("node: Run of the server also runs its local client: call only that")
	case c.stepped:
		return errStepped
	}
	run, finish, err := c.core.begin(ctx)
	if err != nil {
		return err
	}
	defer finish()
	if err := c.Start(); err != nil {
		return err
	}
	return c.core.loop.run(run)
}

// Close ends Run and gives everything back. It waits for that, so do not call it on the goroutine
// of Run. For a local client it does nothing: its server's Close does it.
func (c *Client) Close() error {
	if c.core.loop == nil || !c.core.stop() {
		return nil
	}
	if c.core.loop.socket != nil {
		_ = c.core.loop.socket.Close()
	}
	c.demos.close()
	c.traffic.close()
	return c.core.home.close()
}

// entered notes that the client is in the game. A change of the mission is another join, but no new
// connection.
func (c *Client) entered(conn *engine.Connection) {
	if c.inGame == conn {
		return
	}
	c.inGame, c.core.ready = conn, true
	c.back = reconnecting{fault: c.back.fault}
	c.core.print("connected to " + c.address(conn))
	c.rememberPin(conn.Key())
	c.recordFirst()
}

// recordFirst begins the demo of ClientConfig.Record in the first game.
func (c *Client) recordFirst() {
	if c.cfg.Client.Record == "" || c.recorded {
		return
	}
	c.recorded = true
	if err := c.demos.recordFile(c.cfg.Client.Record); err != nil {
		c.core.print("error: " + err.Error())
	}
}

// address returns the address of the server as the player knows it. That of a stepped client is its
// channel's.
func (c *Client) address(conn *engine.Connection) string {
	if c.stepped {
		return hostport(c.core.side.host.LastAddress())
	}
	return conn.Address()
}

// rememberPin makes the key that the address named the known key of the server: a later connect
// without it refuses another server.
func (c *Client) rememberPin(key seal.Key) {
	address, _, pinned := strings.Cut(c.core.side.host.LastAddress(), "#")
	if !pinned || c.core.loop == nil || strings.HasPrefix(address, engine.Via) {
		return
	}
	if err := c.core.home.accept(netcore.WithPort(address), key); err != nil {
		c.core.log.Warn("the key of the server is not remembered", "why", err)
	}
}

// ended decides what the end of a connection means for Run. A server that closed is an end as
// asked. An end that this client asked for is not an end of Run. Anything else is an error.
func (c *Client) ended(conn *engine.Connection, reason string) {
	c.line.why = reason
	c.core.print("disconnected: " + reason)
	why, _ := conn.Net().Closed()
	switch {
	case c.core.loop == nil || why.Code == netcore.SelfClosed:
	case c.core.ready && c.lost(why.Code):
	case !c.core.ready:
		c.core.quit("", notConnected(conn.Address(), reason))
	case why.Code == netcore.ShuttingDown:
		c.core.quit("", nil)
	default:
		c.core.quit("", fmt.Errorf("disconnected from %s: %s", conn.Address(), reason))
	}
}

// failed reports a failed connect. The first one ends Run, because the client has nothing
// else to do.
func (c *Client) failed(address string, r netcore.Reason) {
	err := notConnected(address, r.String()+viaHint(address, r))
	switch {
	case c.back.on && tryLater(r):
		c.core.print("error: " + err.Error())
		c.tryAgain()
	case c.back.on:
		c.core.quit("", errors.New(err.Error())) // it was in the game, so this is no failed connect
	case c.core.ready:
		c.core.print("error: " + err.Error())
	default:
		c.core.quit("", err)
	}
}

func notConnected(address, reason string) *ConnectError {
	return &ConnectError{address, fmt.Errorf("could not connect to %s: %s", address, reason)}
}
