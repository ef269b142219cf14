package sockets

import (
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/internal/spell"
	"github.com/torc-engine/torc/script/vm"
)

// A thing is the Go value of a handle.
type thing interface {
	// typeName is the type in the reference.
	typeName() string
	// field returns a field, nil if there is none of this name.
	field(name string) lua.LValue
	String() string
}

func (c *conn) typeName() string { return "TCPConnection" }
func (c *conn) String() string   { return "TCP connection with " + c.peerName() }
func (c *conn) Kind() string     { return "a TCP connection" }

// peerName names the other side for messages.
func (c *conn) peerName() string {
	if c.address == "" {
		return c.to.Host + ":" + strconv.Itoa(c.to.Port)
	}
	return c.address
}

func (c *conn) field(name string) lua.LValue {
	switch name {
	case "address":
		return lua.LString(c.address)
	case "open":
		return lua.LBool(c.connected && !c.ended && !c.closed)
	case "own":
		if c.own == nil {
			c.own = c.mod.State.Lua().NewTable()
		}
		return c.own
	}
	return nil
}

// value returns the handle of the connection. A connection has one handle, so handles are equal if
// the connections are.
func (c *conn) value() lua.LValue {
	if c.handle == nil {
		c.handle = c.wrap(c)
	}
	return c.handle
}

func (l *listener) typeName() string { return "TCPListener" }
func (l *listener) String() string   { return "TCP listener on port " + strconv.Itoa(int(l.port())) }
func (l *listener) Kind() string     { return "a TCP listener" }

// port returns the real port, 0 until the listener listens.
func (l *listener) port() uint16 { return l.address.Port() }

func (l *listener) field(name string) lua.LValue {
	if name == "port" {
		return lua.LNumber(l.port())
	}
	return nil
}

func (l *listener) value() lua.LValue {
	if l.handle == nil {
		l.handle = l.wrap(l)
	}
	return l.handle
}

// wrap makes the handle of a thing.
func (a *account) wrap(t thing) *lua.LUserData {
	l := a.mod.State.Lua()
	if a.meta == nil {
		a.meta = l.CreateTable(0, 4)
		for _, f := range []vm.Func{
			{Name: "__index", Fn: a.index},
			{Name: "__newindex", Fn: func(a vm.Args) int {
				a.Fail("its fields are read-only: keep data in its own table")
				return 0
			}},
			{Name: "__tostring", Fn: func(a vm.Args) int { return a.Text(thingOf(a).String()) }},
		} {
			a.meta.RawSetString(f.Name, a.mod.State.Bind(&f))
		}
		a.meta.RawSetString("__metatable", lua.LFalse)
	}
	u := l.NewUserData()
	u.Value, u.Metatable = t, a.meta
	return u
}

// thingOf returns argument 1 of a metamethod.
func thingOf(a vm.Args) thing {
	t, ok := a.UserData(1, "a TCP connection or listener").Value.(thing)
	if !ok {
		a.Wrong(1, "a TCP connection or listener")
	}
	return t
}

// index returns a field or a method of a handle.
func (a *account) index(args vm.Args) int {
	t, name := thingOf(args), args.ShortString(2)
	if v := t.field(name); v != nil {
		return args.Return(v)
	}
	full := t.typeName() + ":" + name
	if fn := a.methods[full]; fn != nil {
		return args.Return(fn)
	}
	known := []string{}
	for _, f := range append(rows(), TestRows()...) {
		if f.Name == full {
			a.methods[full] = a.mod.State.Bind(&f)
			return args.Return(a.methods[full])
		}
		if rest, ok := strings.CutPrefix(f.Name, t.typeName()); ok {
			known = append(known, rest[1:])
		}
	}
	near := spell.Nearest(name, known)
	if near != "" {
		near = ", did you mean " + strconv.Quote(near) + "?"
	}
	args.Fail("%s has no %s%s", t.typeName(), strconv.Quote(name), near)
	return 0
}
