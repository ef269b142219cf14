package sockets

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm"
)

// Holder is the data of a mod's rows: it knows the Set of its host.
type Holder interface{ Sockets() *Set }

// setOf returns the Set of a calling mod.
func setOf(a vm.Args) *Set { return a.Mod.Binding.(Holder).Sockets() }

// Lib returns the functions for HTTP and TCP.
func Lib() vm.Lib { return vm.Lib{Name: "HTTP and TCP", Funcs: rows()} }

func rows() []vm.Func {
	return []vm.Func{
		{Name: "http.get", Params: "url: string, callback: fun(response: HTTPResponse?, err: string?), [headers: table]", Realm: vm.Server, Fn: httpGet,
			Doc: "Requests a URL. callback(response) runs in a later tick, or callback(nil, err). The mod needs the permission net:HOST:PORT."},
		{Name: "http.post", Params: "url: string, body: string, callback: fun(response: HTTPResponse?, err: string?), [headers: table]", Realm: vm.Server, Fn: httpPost,
			Doc: "Sends body to a URL, like http.get. headers holds strings by name, as in { [\"Content-Type\"] = \"application/json\" }."},
		{Name: "HTTPResponse.status", Params: ": integer", Realm: vm.Server, Doc: "The status code, such as 200 or 404."},
		{Name: "HTTPResponse.body", Params: ": string", Realm: vm.Server, Doc: "The body, at most 1 MiB."},
		{Name: "HTTPResponse.headers", Params: ": table", Realm: vm.Server, Doc: "The fields of the header by name, in lower case: response.headers[\"content-type\"]."},
		{Name: "tcpConnect", Params: "host: string, port: integer, handlers: {onConnected: function?, onConnectFailed: function?, onLine: function?, onData: function?, onSent: function?, onDisconnect: function?} -> TCPConnection", Realm: vm.Server, Fn: tcpConnect,
			Doc: "Connects to a host. The mod needs the permission net:HOST:PORT. The handlers run in later ticks: onConnected(c), onConnectFailed(c, reason), onLine(c, line) or onData(c, text), onSent(c) when everything has been sent, onDisconnect(c, reason); reason is nil if the peer has closed the connection."},
		{Name: "tcpListen", Params: "port: integer, handlers: {onListening: function?, onListenFailed: function?, onConnected: function?, onLine: function?, onData: function?, onSent: function?, onDisconnect: function?} -> TCPListener", Realm: vm.Server, Fn: tcpListen,
			Doc: "Accepts connections on a port. The mod needs the permission listen:PORT for connections from the same machine, or listen:ADDRESS:PORT. onListening(l) or onListenFailed(l, reason) runs first, then onConnected(c) and the other handlers of tcpConnect for each connection. Port 0 is any free port."},
		{Name: "TCPConnection.address", Params: ": string", Realm: vm.Server, Doc: "The address and port of the peer; \"\" until the connection is open."},
		{Name: "TCPConnection.open", Params: ": boolean", Realm: vm.Server, Doc: "Whether the connection is open."},
		{Name: "TCPConnection.own", Params: ": table", Realm: vm.Server, Doc: "A table for the mod's data about the connection."},
		{Name: "TCPConnection:send", Params: "text: string -> boolean", Realm: vm.Server, Fn: sendText,
			Doc: "Queues text for sending. Returns false, and sends nothing of it, if the connection has ended or more than 64 KiB would wait."},
		{Name: "TCPConnection:close", Realm: vm.Server, Fn: closeConn, Doc: "Closes the connection after the queued text has been sent. No handler runs afterwards."},
		{Name: "TCPListener.port", Params: ": integer", Realm: vm.Server, Doc: "The port; 0 until the listener listens."},
		{Name: "TCPListener:close", Realm: vm.Server, Fn: closeListener, Doc: "Accepts no more connections. Those that are open stay open."},
	}
}

func sendText(a vm.Args) int {
	c, text := connArg(a), a.String(2)
	a.Charge(callCost/10 + len(text)/byteCost)
	return a.Return(lua.LBool(c.send(text)))
}

func closeConn(a vm.Args) int {
	connArg(a).closed = true
	return 0
}

func closeListener(a vm.Args) int {
	l, ok := a.UserData(1, "a TCP listener").Value.(*listener)
	if !ok {
		a.Wrong(1, "a TCP listener")
	}
	l.closed = true
	return 0
}

// connArg returns argument 1, a connection.
func connArg(a vm.Args) *conn {
	c, ok := a.UserData(1, "a TCP connection").Value.(*conn)
	if !ok {
		a.Wrong(1, "a TCP connection")
	}
	return c
}
