package sockets

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/internal/order"
	"github.com/torc-engine/torc/script/vm"
)

// TestRows returns the functions with which the tests of a mod play the network.
func TestRows() []vm.Func {
	return []vm.Func{
		{Name: "httpReply", Params: "url: string, reply: string|{status: integer?, body: string?, headers: table?}|nil, [err: string]", Realm: vm.Server, Fn: httpReply,
			Doc: "Sets what the URL answers from now on: a body, or a table with status (default 200), body and headers. With nil and err, requests fail with err. Tests have no real network: other URLs fail."},
		{Name: "httpRequests", Params: "-> {method: string, url: string, body: string, headers: table}[]", Realm: vm.Server, Fn: httpRequests,
			Doc: "Returns the HTTP requests of the mods since the last call."},
		{Name: "tcpPeer", Params: "host: string, port: integer -> TestPeer", Realm: vm.Server, Fn: tcpPeer,
			Doc: "Returns the other side of the next connection that a mod opens to the host. Connections without one fail."},
		{Name: "tcpDial", Params: "port: integer -> TestPeer", Realm: vm.Server, Fn: tcpDial,
			Doc: "Connects to a port on which a mod listens."},
		{Name: "TestPeer.open", Params: ": boolean", Realm: vm.Server, Doc: "Whether the connection is open."},
		{Name: "TestPeer:send", Params: "text: string", Realm: vm.Server, Fn: peerSend, Doc: "Sends text to the mod. Before the connection is open, the text waits."},
		{Name: "TestPeer:received", Params: "-> string", Realm: vm.Server, Fn: peerReceived, Doc: "Returns what the mod has sent since the last call."},
		{Name: "TestPeer:close", Realm: vm.Server, Fn: peerClose, Doc: "Closes the connection."},
	}
}

// fakeOf returns the network of the test.
func fakeOf(a vm.Args) *Fake {
	f, ok := setOf(a).cfg.Network.(*Fake)
	if !ok {
		a.Fail("this works only in a test")
	}
	return f
}

func httpReply(a vm.Args) int {
	f, url := fakeOf(a), a.String(1)
	r := reply{Event: Event{Kind: Responded, Status: 200}, err: a.OptString(3, "")}
	switch v := a.Get(2).(type) {
	case lua.LString:
		r.Data = []byte(v)
	case *lua.LTable:
		if status, ok := v.RawGetString("status").(lua.LNumber); ok {
			r.Status = int(status)
		}
		r.Data = []byte(lua.LVAsString(v.RawGetString("body")))
		if t, ok := v.RawGetString("headers").(*lua.LTable); ok {
			vm.Each(t, func(k, v lua.LValue) {
				r.Header = append(r.Header, Field{strings.ToLower(lua.LVAsString(k)), lua.LVAsString(v)})
			})
			order.By(r.Header, func(x, y Field) int { return strings.Compare(x.Name, y.Name) })
		}
	case *lua.LNilType:
		if r.err == "" {
			a.Fail("give a reply, or nil and the reason why there is none")
		}
	default:
		a.Wrong(2, "a string, a table or nil")
	}
	f.replies[url] = r
	return 0
}

func httpRequests(a vm.Args) int {
	f, list := fakeOf(a), a.L.NewTable()
	for _, r := range f.requests {
		t, header := a.L.NewTable(), a.L.NewTable()
		for _, field := range r.Header {
			header.RawSetString(field.Name, lua.LString(field.Value))
		}
		t.RawSetString("method", lua.LString(r.Method))
		t.RawSetString("url", lua.LString(r.URL))
		t.RawSetString("body", lua.LString(r.Body))
		t.RawSetString("headers", header)
		list.Append(t)
	}
	f.requests = nil
	return a.Return(list)
}

func tcpPeer(a vm.Args) int {
	f, at := fakeOf(a), fmt.Sprintf("%s:%d", a.String(1), a.IntIn(2, 1, 65_535))
	p := &peer{fake: f}
	f.expected[at] = append(f.expected[at], p)
	return a.Return(setOf(a).account(a.Mod).wrap(p))
}

func tcpDial(a vm.Args) int {
	port := a.IntIn(1, 1, 65_535)
	p, ok := fakeOf(a).dial(port)
	if !ok {
		a.Fail("no mod listens on port %d", port)
	}
	return a.Return(setOf(a).account(a.Mod).wrap(p))
}

func (p *peer) typeName() string { return "TestPeer" }
func (p *peer) String() string   { return "test peer" }
func (p *peer) Kind() string     { return "a test peer" }

func (p *peer) field(name string) lua.LValue {
	if name == "open" {
		return lua.LBool(p.open)
	}
	return nil
}

// peerArg returns argument 1, a peer.
func peerArg(a vm.Args) *peer {
	p, ok := a.UserData(1, "a test peer").Value.(*peer)
	if !ok {
		a.Wrong(1, "a test peer")
	}
	return p
}

func peerSend(a vm.Args) int {
	p, data := peerArg(a), []byte(a.String(2))
	switch {
	case p.open:
		p.fake.events = append(p.fake.events, Event{Kind: Received, ID: p.id, Data: data})
	case p.id == 0:
		p.early = append(p.early, data...)
	default:
		a.Fail("the connection has ended")
	}
	return 0
}

func peerReceived(a vm.Args) int {
	p := peerArg(a)
	text := string(p.received)
	p.received = nil
	return a.Text(text)
}

func peerClose(a vm.Args) int {
	if p := peerArg(a); p.open {
		p.open = false
		p.fake.end(p.id, "")
	}
	return 0
}
