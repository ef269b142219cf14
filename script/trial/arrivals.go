package trial

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// An Arrival is a player whom the server of the test has sent to another one.
type Arrival struct {
	Name, Key string
	Data      []byte // encoded as stored values are; nil: none
}

// Arrive lets a player arrive at a server. It returns why the server refuses it, "" if it does not.
func (f *Fleet) Arrive(server string, p Arrival) (refusal string) {
	s := f.server(server)
	switch {
	case s == nil || s.dead:
		return server + " does not answer"
	case s.refuses != "":
		return s.refuses
	}
	s.arrived = append(s.arrived, p)
	return ""
}

// arrivalRows are the functions of test files for the players whom a server takes.
func arrivalRows() []bind.Row {
	return []bind.Row{
		bind.Def("TestServer:arrivals", "-> {name: string, key: string, data: any}[]", vm.Server, "Returns the players who have come with client:transfer since the last call. Their clients have left the test.", readArrivals),
		bind.Def("TestServer:refuse", "[why: string]", vm.Server, "Refuses players from now on, with this reason; without one it takes them again.", refuseArrivals),
	}
}

func readArrivals(a bind.Call) int {
	s := serverArg(a)
	list := testsOf(a).mod.State.Lua().NewTable()
	for _, p := range s.arrived {
		line := decodedRow(a, "data", p.Data)
		line.RawSetString("name", lua.LString(p.Name))
		line.RawSetString("key", lua.LString(p.Key))
		list.Append(line)
	}
	s.arrived = nil
	return a.Return(list)
}

func refuseArrivals(a bind.Call) int {
	livingArg(a).refuses = a.OptString(2, "")
	return 0
}
