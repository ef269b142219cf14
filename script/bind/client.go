package bind

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm"
)

// clientMeta is the metatable of clients of the server on other clients. They know no more than
// what commands tell them.
var clientMeta = []Row{
	{"__tostring", "", vm.Both, "", func(a Call) int { return a.Text(a.otherClient(1).Name) }},
	{"__index", "", vm.Both, "", indexClient},
	{"__newindex", "", vm.Both, "", func(a Call) int { a.Fail("a client is read-only here: only its server can change it"); return 0 }},
}

// otherClient returns argument i, a client of the server.
func (a Call) otherClient(i int) Client {
	if u, ok := a.Get(i).(*lua.LUserData); ok {
		if c, ok := u.Value.(Client); ok {
			return c
		}
	}
	a.Wrong(i, "a client")
	return Client{}
}

func indexClient(a Call) int {
	c, key := a.otherClient(1), a.String(2)
	switch key {
	case "id":
		return a.Return(lua.LNumber(c.ID))
	case "name":
		return a.Text(c.Name)
	}
	a.Fail("a client has only id and name here, not %s: the server knows the rest", Quote(vm.ClipText(key, vm.MaxQuoted)))
	return 0
}
