package script

import (
	"slices"
	"strings"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/fieldtext"
	"github.com/torc-engine/torc/script/reference"
	"github.com/torc-engine/torc/script/vm"
)

// gameLibs returns rows for a game's classes and functions. Each class has a chapter with its own
// fields and methods, and the functions have one.
func gameLibs(classes *sim.Classes) []vm.Lib {
	var libs []vm.Lib
	for _, c := range classes.List() {
		if lib := classRows(c); len(lib.Funcs) > 0 {
			libs = append(libs, lib)
		}
	}
	if len(classes.Functions()) > 0 {
		lib := vm.Lib{Name: "The world"}
		for _, f := range classes.Functions() {
			lib.Funcs = append(lib.Funcs, functionRow(f).fn())
		}
		libs = append(libs, lib)
	}
	return libs
}

// classRows returns rows for the members of a class, without inherited ones.
func classRows(c *sim.Class) vm.Lib {
	lib := vm.Lib{Name: "Class " + c.Name}
	if parent := c.ParentClass(); parent != nil {
		lib.Name += ", " + fieldtext.Article(parent.Name)
	}
	for i := range c.Fields {
		f := &c.Fields[i]
		lib.Funcs = append(lib.Funcs, row{c.Name + "." + f.Name, ": " + fieldtext.Type(f), vm.Both, fieldtext.Doc(c, f), nil}.fn())
	}
	for i := range c.Methods {
		lib.Funcs = append(lib.Funcs, methodRow(c, &c.Methods[i]).fn())
	}
	for _, e := range c.Events {
		params, results, returns := strings.Cut(e.Params, " -> ")
		if returns {
			results = " -> " + results
		}
		lib.Funcs = append(lib.Funcs, row{"function " + c.Name + ":" + e.Name + "(" + params + ")" + results, "", vm.Server, reference.Sentence(e.Doc), nil}.fn())
	}
	return lib
}

// Reference returns the complete model: all rows, the rows for tests, the classes, and the console
// of this side.
func (s *Scripts) Reference() *reference.Model {
	libs := s.List()
	if tests := TestAPI(); !slices.ContainsFunc(libs, func(l vm.Lib) bool { return l.Name == tests.Name }) {
		libs = append(slices.Clip(libs), tests)
	}
	r := reference.New(libs)
	for _, c := range s.engine.World().Classes().List() {
		e := reference.Class{Name: c.Name, Doc: c.Doc, Datablock: c.Kind == sim.BlockClass, Abstract: c.Abstract, DataBlock: c.DataBlock}
		if p := c.ParentClass(); p != nil {
			e.Parent = p.Name
		}
		r.Classes = append(r.Classes, e)
	}
	r.AddConsole(s.console, s.Side)
	return r
}

// Help returns the console help for a name; see reference.Model.Help.
func (s *Scripts) Help(name string) string { return s.currentReference().Help(name) }

// currentReference is Reference with the members of the classes that mods have declared.
func (s *Scripts) currentReference() *reference.Model {
	r := s.Reference()
	var declared []vm.Lib
	for _, c := range s.engine.World().Classes().List() {
		if c.Spec() != nil {
			declared = append(declared, classRows(c))
		}
	}
	r.Chapters = append(r.Chapters, reference.New(declared).Chapters...)
	return r
}

// callbackLib documents the callbacks from the engine. hooks.go calls them.
func callbackLib() vm.Lib {
	return chapter("Callbacks of connections", []row{
		{"function GameConnection.onConnectRequest(client: Client, address: string, ...: string) -> string?", "", vm.Server, "Runs for each connect request. Return a reason to refuse, nothing to accept. The first reason of any mod counts.", nil},
		{"function GameConnection.onConnect(client: Client, ...: string)", "", vm.Server, "Runs when a client has connected.", nil},
		{"function GameConnection.onDrop(client: Client, reason: string)", "", vm.Server, "Runs when a client has disconnected.", nil},
		{"function GameConnection.onCommandsRefused(client: Client, count: integer)", "", vm.Server, "Runs when commands of a client were refused, because the client's commands use more than its share of the instructions. It runs at most once in 5 s.", nil},
		{"function GameConnection.onDataBlocksDone(client: Client, sequence: integer)", "", vm.Server, "Runs when the client has the datablocks of this transmission.", nil},
		{"function GameConnection.onGhostAlwaysObjectsReceived(client: Client)", "", vm.Server, "Runs when the client has every object that is always in scope.", nil},
		{"function GameConnection.onGhostAcked(client: Client, obj: Object?)", "", vm.Server, "Runs when the client has received the object.", nil},
		{"function GameConnection.onClientEnterGame(client: Client)", "", vm.Server, "Runs when the client's join is complete: give it a control object here. It runs again after a mission change, and also for bots.", nil},
		{"function GameConnection.onConnectionAccepted(server: Client)", "", vm.Client, "Runs when the server has accepted the connection.", nil},
		{"function GameConnection.onEnterGame(server: Client)", "", vm.Client, "Runs when the join is complete.", nil},
		{"function GameConnection.initialControlSet(server: Client)", "", vm.Client, "Runs when this client's first control object has arrived: server.controlObject.", nil},
		{"function GameConnection.onConnectionDropped(server: Client, reason: string)", "", vm.Client, "Runs when the connection has ended.", nil},
		{"function GameConnection.onConnectionTimedOut(server: Client)", "", vm.Client, "Runs when the server has sent nothing until the timeout.", nil},
		{"function GameConnection.onConnectFailed(address: string, reason: string)", "", vm.Client, "Runs when a connection attempt has failed.", nil},
		{"function GameConnection.onDataBlockObjectReceived(server: Client, index: integer, total: integer)", "", vm.Client, "Runs when a datablock has arrived.", nil},
		{"function GameConnection.onGhostAdded(server: Client, obj: Object)", "", vm.Client, "Runs when a ghost has arrived and is complete, after its onAdd.", nil},
		{"function GameConnection.onGhostRemoved(server: Client, obj: Object)", "", vm.Client, "Runs before a ghost is removed and before its onRemove.", nil},
	})
}
