package wasm

import (
	"errors"
	"syscall/js"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
)

// lines are the lines that the page has opened to servers to which the player was sent. The first
// server has the line 1. A line with the number n is at netcore.LocalAddr(n).
var lines = struct {
	newest  uint16
	playing uint16
	keys    map[uint16]seal.Key // of the servers
	waits   map[uint16]func([]netcore.Addr, error)
}{1, 1, map[uint16]seal.Key{}, map[uint16]func([]netcore.Addr, error){}}

// followBy lets a client follow orders by the functions of the page:
//
//	reach(number, name, address, key)  opens a line, and answers with reached
//	leaves(number)                     a line is no longer used
//	arrives(number)                    the player plays at the server of a line from now on
//	asked(name)                        asks the player, who answers with follow; null: nothing waits any more
//
// A page without reach goes to no other server.
func followBy(c *node.ClientConfig) {
	if page.Get("reach").Type() != js.TypeFunction {
		return
	}
	c.Reach = reach
	c.Leaves = func(at []netcore.Addr) {
		for _, a := range at {
			delete(lines.keys, a.Port)
			page.Call("leaves", int(a.Port))
		}
	}
	c.Arrives = func(at netcore.Addr) {
		lines.playing, told = at.Port, engine.VoiceRules{}
		page.Call("arrives", int(at.Port))
	}
	c.Asked = func(o *node.TransferOrder) {
		if o == nil {
			page.Call("asked", nil)
			return
		}
		page.Call("asked", o.Name)
	}
}

// reach asks the page for a line to the server of an order. A server that the player comes back to
// has one.
func reach(o node.TransferOrder, done func([]netcore.Addr, error)) {
	if key, ok := lines.keys[lines.playing]; ok && key == o.Key {
		done([]netcore.Addr{netcore.LocalAddr(lines.playing)}, nil)
		return
	}
	lines.newest++
	n := lines.newest
	lines.keys[n], lines.waits[n] = o.Key, done
	page.Call("reach", int(n), o.Name, o.Address, o.Key.String())
}

// reached says that a line is open: reached(number, ""). With a text instead of "", the page cannot
// go there. A number that reach has not named is ignored.
func reached(args []js.Value) any {
	if args[0].Type() != js.TypeNumber {
		return nil
	}
	n := uint16(args[0].Int())
	done := lines.waits[n]
	if done == nil || client == nil || ended {
		return nil
	}
	delete(lines.waits, n)
	if why := args[1].String(); why != "" {
		delete(lines.keys, n)
		done(nil, errors.New(why))
		return nil
	}
	done([]netcore.Addr{netcore.LocalAddr(n)}, nil)
	return nil
}

// follow answers a server that sends the player to another one, while net.follow is ask:
// follow(goes). It returns what went wrong, or "".
func follow(args []js.Value) any {
	if client == nil {
		return "not connected to a server"
	}
	if err := client.Follow(args[0].Truthy()); err != nil {
		return err.Error()
	}
	return ""
}
