// Package node runs complete servers and clients inside a Go program. The program torc is one user
// of it; your own server can be another.
//
//	server, err := node.NewServer(node.Config{Server: node.ServerConfig{Listen: ":28000", Load: []string{"ctf"}}})
//	…
//	defer server.Close()
//	err = server.Run(ctx) // until ctx ends, or a user types quit
//
// A node joins the parts of the other packages:
//
//	Config ──► Server, Client (and Swarm of node/swarm, Viewer of node/demo)
//	               │ side: engine.Host + console.Console + script.Scripts
//	               │ home: data folder, or memory
//	               ▼
//	             loop ◄── UDP packets, Do, the console of other processes, metrics requests
//
// # Life
//
// NewServer and NewClient open the data folder and make the world and the console. Start
// loads the mods, runs the scripts and opens the socket. Run ticks 31.25 times a second and calls
// Start if you did not. Quit, Close or the end of ctx ends Run in order: events in flight arrive,
// then the node tells its peers. Close releases all resources and ends all goroutines of the node.
//
// # One goroutine
//
// The world, the connections, the console and all Lua belong to the goroutine of Run. Other
// goroutines use Do, which runs a function between two ticks. Console commands and Hooks run on
// that goroutine already.
//
// # Your own game
//
// Common.Register adds Go classes, Common.Commands adds console commands, Common.Mods adds mods
// from any fs.FS. A server describes its classes to a client that lacks them. Only classes
// that moves depend on must be the same on both sides (docs/extend.md).
//
// # What a node does not touch
//
// A node reads no flag and no environment variable. It writes to no standard stream and to no
// global logger, takes no signal, and never ends the process. Without a data folder it touches no
// file: its identity is new in each run, and bans, roles and stored values last until Close. A
// mistake of a peer or of a mod is logged and ends at most that peer or mod.
//
// # A client goes to another server
//
// A server can send a client to another one. The client joins that one with a second side: a host,
// a console and mods of its own, on the same socket. The first side plays on. When the second one
// has its control object, Host, Console and Scripts of the client are those of the second side,
// from one tick to the next: so do not keep them. The function of Host.SetMoves stays.
//
// # Nodes without goroutines
//
// A program can step a client or a server itself. It passes datagrams in and out, and calls Step.
// The node has no socket and no goroutine, and shares all else with other nodes. NewServerOn and
// NewClientOn take all other inputs from an Edge too: clock, date, entropy, stored values and
// connections of mods. So whole servers run in virtual time, and the same inputs give the same
// datagrams.
//
// On js/wasm there is no socket and no data folder. A client of NewSteppedClient joins a server
// over a channel of the program. A Server with a NewLocalClient works there too, with the mod base
// alone and the mods of Common.Mods.
//
// # Packages
//
//	node/bots           moves for clients without a human player
//	node/demo           shows a demo
//	node/dissect        what is in a captured datagram
//	node/listserver     a rendezvous with its public list
//	node/modtrial       the tests of a mod
//	node/natsfleet      the servers of a fleet, over NATS
//	node/nodetest       whole systems in virtual time, for tests
//	node/play           the client for browsers, without its browser
//	node/remote         the socket between a server's console and other processes
//	node/replay         runs a server again from its journal
//	node/swarm          many clients of one server
//	node/wasm           the client for browsers as a program, with own classes
//	node/webclient      the build of the client for browsers: the files of Web.Build
//	node/workers        the goroutines for packing connections
//	node/internal/core  what all nodes and their services share
//	node/internal       the services of a server: attach, browsers, demos, fleet, journals, meeting,
//	                    metrics, storage, tasks; what these use, such as web and netpage; and admin,
//	                    bans, keys, rights; of a client: follow
//
// All but the last two are public: programs and their tests use them.
//
// # Services
//
// A server is a list of services: values with commands, variables, a start and an end. builder.list
// has their order and its reasons. platform.go adds those that reach a network, platform_js.go
// none.
//
// # Where to read
//
//	config.go, common.go  settings of a program
//	server.go, client.go  the nodes
//	build.go              makes the services and the side of a server
//	services.go           the small services of a server: its own commands, packing, the last values of scripts
//	platform.go           the services that reach a network; platform_js.go for browsers
//	stepped.go            nodes without goroutines
//	journal.go, tape.go   records all inputs of a server
//	settings.go           what a program changes of a server that runs: settings of mods, password, lists
//	drain.go              a server ends without its players
//	fleet.go              how a server joins a fleet, and a look at one from outside
//	fleetlists.go         the lists of a fleet beside those of a server
//	reach.go              at which address other machines reach this one
//	restore.go            values for a fleet that has lost them
//	allocation.go         somebody has taken the server for a match
//	taped.go              a server that node/replay runs again
//	administer.go         the commands of administrators without a node
//	modnetwork.go         the network of mods
//	trial.go              the tests of a mod before a reload
//	status.go             the command status of a server
//	backup.go             tools for data folders
//	portmap.go            asks the router to forward a port
//	find.go, lists.go     searches for servers on the local network, and reads public lists
//	finder.go             the commands of a client for both, and favourites
//	line.go, reconnect.go the line of a client, and its way back
//	clientside.go         one side of a client: its host, console and mods, and what the program sees of them
//	follow.go             a client goes to another server with a second side
//	capture.go            what a client sends and receives, in a file; linequeue.go keeps the disk out of the loop
//	log.go                the logger of nodes
package node
