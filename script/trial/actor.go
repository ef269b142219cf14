package trial

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// actorMeta is the metatable of test clients. It gives them fields and methods like those of
// objects.
var actorMeta = []bind.Row{
	bind.Def("__index", "", vm.Server, "", indexActor),
	bind.Def("__newindex", "", vm.Server, "", func(a bind.Call) int { a.Fail("the fields of a test client are read-only"); return 0 }),
	bind.Def("__tostring", "", vm.Server, "", func(a bind.Call) int { return a.Text("test client " + actorArg(a, 1).Name) }),
}

// actorHandle returns the userdata of an actor. Each actor has one.
func (t *testState) actorHandle(a *Actor) lua.LValue {
	if t.handles[a] == nil {
		t.handles[a] = bind.Of(t.mod).Userdata(a, t.meta)
	}
	return t.handles[a]
}

// actorArg returns argument i, a test client.
func actorArg(a bind.Call, i int) *Actor {
	if u, ok := a.Get(i).(*lua.LUserData); ok {
		if actor, ok := u.Value.(*Actor); ok {
			return actor
		}
	}
	a.Wrong(i, "a test client")
	return nil
}

// joinedActor returns argument i, a test client in the game.
func joinedActor(a bind.Call, i int) *Actor {
	actor := actorArg(a, i)
	if !actor.inGame() {
		why := actor.Refused
		if why == "" {
			why = "it has left"
		}
		a.Fail("the client %s is not in the game: %s", actor.Name, why)
	}
	return actor
}

func indexActor(a bind.Call) int {
	actor, key, t := actorArg(a, 1), a.String(2), testsOf(a)
	switch key {
	case "name":
		return a.Text(actor.Name)
	case "joined":
		return a.Return(lua.LBool(actor.inGame()))
	case "reason":
		if actor.Refused == "" {
			return a.Return(lua.LNil)
		}
		return a.Text(actor.Refused)
	case "client":
		if c := t.connection(actor); c != nil {
			return a.Return(a.Binding().Object(c.ID()))
		}
		joinedActor(a, 1)
		return a.Return(lua.LNil)
	}
	if fn := t.methods[key]; fn != nil {
		return a.Return(fn)
	}
	a.Fail("a test client has no %q", key)
	return 0
}

func actorLua(a bind.Call) int {
	actor, code := actorArg(a, 1), a.String(2)
	return runOn(a, actor, code, 3)
}

func actorCommand(a bind.Call) int {
	a.String(2)
	return runOn(a, joinedActor(a, 1), "commandToServer(...)", 2)
}

func actorSay(a bind.Call) int {
	actor, text := joinedActor(a, 1), a.String(2)
	a.L.SetTop(0)
	a.L.Push(lua.LString("MessageSent"))
	a.L.Push(lua.LString(text))
	return runOn(a, actor, "commandToServer(...)", 1)
}

// runOn runs Lua in an actor's console with the arguments from i on. It returns the results to Lua.
func runOn(a bind.Call, actor *Actor, code string, i int) int {
	m, t := actor.Scripts.Operator(), testsOf(a)
	fn, _, err := m.CompileLine("client "+actor.Name, code)
	if err != nil {
		a.FailWith(err)
	}
	args, err := t.toActor(actor, bind.Rest(a, i))
	if err != nil {
		a.Fail("%s", err)
	}
	out, err := m.Runtime.EnterWith(testLimit, m, fn, args...)
	if err != nil {
		a.FailWith(err)
	}
	out, err = t.fromActor(actor, out)
	if err != nil {
		a.Fail("%s", err)
	}
	return a.Return(out...)
}

func actorConsole(a bind.Call) int { return runLine(a, actorArg(a, 1), a.String(2)) }

func actorLines(a bind.Call) int { return a.Return(takeLines(a, actorArg(a, 1))) }

func actorHud(a bind.Call) int {
	lines := actorArg(a, 1).Scripts.Hud()
	return a.Text(lines[a.IntIn(2, 1, len(lines))-1])
}

func actorLeave(a bind.Call) int {
	actor := joinedActor(a, 1)
	_ = actor.Host.Dialer.Disconnect(a.OptString(2, ""))
	return 0
}
