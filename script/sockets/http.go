package sockets

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/internal/order"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/vm"
)

const (
	maxURL    = 4096 // bytes
	maxFields = 32   // fields of a request's header
	maxField  = 4096 // bytes of a field's name and value
	callCost  = 2000 // instructions of a request, a connection or a listener
	byteCost  = 64   // bytes per instruction
	noNetwork = "this server has no network"
)

// The states of a request.
const (
	waiting = iota // for the end of the tick, or for an earlier request
	flight         // under way in the Network
	over           // its callback is due
)

// A request is an HTTP request of a mod.
type request struct {
	*account
	id     ID
	spec   HTTPRequest
	permit string // permission; "" if the URL is wrong
	done   *lua.LFunction
	cause  vm.Peer
	state  int
}

func httpGet(a vm.Args) int {
	return ask(a, HTTPRequest{Method: "GET", URL: a.String(1), Header: header(a, 3)}, a.Function(2))
}

func httpPost(a vm.Args) int {
	body := a.String(2)
	if len(body) > MaxBody {
		a.Fail("a body of %d bytes is longer than %d", len(body), MaxBody)
	}
	a.Charge(len(body) / byteCost)
	return ask(a, HTTPRequest{Method: "POST", URL: a.String(1), Header: header(a, 4), Body: []byte(body)}, a.Function(3))
}

// ask adds a request. A mod that asks in a loop gets an error. All other failures reach the
// callback.
func ask(a vm.Args, spec HTTPRequest, done *lua.LFunction) int {
	a.Charge(callCost)
	s := setOf(a)
	of := s.account(a.Mod)
	if len(of.requests) >= MaxRequests {
		a.Fail("a mod can have at most %d unfinished requests", MaxRequests)
	}
	spec.Most = min(MaxBody, a.Longest())
	r := &request{account: of, spec: spec, done: done, cause: a.Runtime().Peer()}
	r.id = s.add(r)
	of.requests = append(of.requests, r)
	host, port, err := SplitURL(spec.URL)
	if err == nil {
		r.spec.Target, r.permit, err = s.target(a.Mod, host, port)
	}
	switch {
	case err != nil:
		r.fail(err.Error())
	case s.cfg.Network == nil:
		r.fail(noNetwork)
	}
	return 0
}

// SplitURL returns host and port of a URL that can be requested.
func SplitURL(text string) (host string, port int, err error) {
	u, err := url.Parse(text)
	switch {
	case len(text) > maxURL:
		return "", 0, fmt.Errorf("a URL can have at most %d bytes", maxURL)
	case err != nil:
		return "", 0, errors.New("the URL is not valid") // the parser quotes it, and it can hold a secret
	case u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "" || u.Host == "":
		return "", 0, errors.New("a URL must begin with http:// or https:// and a host")
	case u.User != nil:
		return "", 0, errors.New("a URL cannot hold a user or a password: use the header Authorization")
	}
	port = map[string]int{"http": 80, "https": 443}[u.Scheme]
	if digits := u.Port(); digits != "" {
		if port, err = strconv.Atoi(digits); err != nil {
			return "", 0, errors.New("the URL is not valid")
		}
	}
	return u.Hostname(), port, nil
}

// reach returns the permission for a host and a port, and why the mod does not have it.
func (s *Set) reach(m *vm.Mod, host string, port int) (string, error) {
	permission, ok := manifest.NetPermission(host, port)
	if !ok {
		return "", fmt.Errorf("%s is not a host and a port", strconv.Quote(vm.ClipText(fmt.Sprintf("%s:%d", host, port), vm.MaxQuoted)))
	}
	return permission, s.cfg.Permit(m, permission)
}

// ownFields are the fields of a request that belong to the connection, not to the mod.
var ownFields = []string{"connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade"}

// header returns argument i, a table of header fields, sorted by name.
func header(a vm.Args, i int) (list []Field) {
	t := a.OptTable(i)
	if t == nil {
		return nil
	}
	if n := vm.KeyCount(t); n > maxFields {
		a.Fail("a header can have at most %d fields, got %d", maxFields, n)
	}
	vm.Each(t, func(k, v lua.LValue) {
		name, named := k.(lua.LString)
		value, ok := v.(lua.LString)
		if n, number := v.(lua.LNumber); number {
			value, ok = lua.LString(vm.NumberText(float64(n))), true
		}
		switch {
		case !named || !ok:
			a.Fail("a header must be a table of strings by name")
		case !validField(string(name), string(value)):
			a.Fail("a header cannot have this field: %s", strconv.Quote(vm.ClipText(string(name), vm.MaxQuoted)))
		case slices.Contains(ownFields, strings.ToLower(string(name))) || strings.HasPrefix(strings.ToLower(string(name)), "proxy-"):
			a.Fail("a mod cannot set the field %s", string(name))
		}
		list = append(list, Field{string(name), string(value)})
	})
	order.By(list, func(x, y Field) int { return strings.Compare(x.Name, y.Name) })
	return list
}

// validField reports whether a name is a token of HTTP, and a value has no control characters.
func validField(name, value string) bool {
	token := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	}
	control := func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
	return name != "" && len(name)+len(value) <= maxField && !strings.ContainsFunc(name, func(r rune) bool { return !token(r) }) && !strings.ContainsFunc(value, control)
}

func (r *request) start() {
	r.state = flight
	r.spec.Allow = r.set.allowed(r.spec.Host)
	r.set.cfg.Network.HTTP(r.id, r.spec)
	r.spec.Body = nil
}

func (r *request) receive(e Event) {
	if e.Kind != Responded {
		r.finish(lua.LNil, lua.LString(e.Reason))
		return
	}
	if r.state != over {
		r.end(func() []lua.LValue { return []lua.LValue{r.response(e)} })
	}
}

// response returns a response as a table for Lua.
func (r *request) response(e Event) lua.LValue {
	l := r.mod.State.Lua()
	header := l.CreateTable(0, len(e.Header))
	for _, f := range e.Header {
		header.RawSetString(f.Name, lua.LString(f.Value))
	}
	r.mod.NoteString(len(e.Data))
	t := l.CreateTable(0, 3)
	t.RawSetString("status", lua.LNumber(e.Status))
	t.RawSetString("body", lua.LString(e.Data))
	t.RawSetString("headers", header)
	return t
}

// fail ends a request with a reason.
func (r *request) fail(why string) {
	if r.state == flight {
		r.set.cfg.Network.Close(r.id, true)
	}
	r.finish(lua.LNil, lua.LString(why))
}

func (r *request) finish(values ...lua.LValue) {
	if r.state != over {
		r.end(func() []lua.LValue { return values })
	}
}

// end queues the callback. The request counts until the callback has run.
func (r *request) end(values func() []lua.LValue) {
	r.state = over
	delete(r.set.owners, r.id)
	r.later(func() bool {
		r.requests = slices.DeleteFunc(r.requests, func(other *request) bool { return other == r })
		r.call("http", r.cause, r.done, values()...)
		return true
	})
}
