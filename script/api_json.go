package script

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/json"
	"github.com/torc-engine/torc/script/vm"
)

const (
	maxJSON      = 1 << 20   // bytes of a text
	maxEncode    = 1_000_000 // instructions of encoding: it runs in one piece, also in a thread
	maxJSONEvent = 128 << 10 // bytes of a text that an event decodes at once

	// decodeWork is the cost of the part of a text that is decoded in one tick, in instructions.
	decodeWork = 250_000
	// askMemory is the growth of a result in bytes after which its size is compared with the heap.
	askMemory = 512 << 10
	// decodeStep is the cost of the part of a text after which the rest of the budget is looked at.
	decodeStep = 8192
)

// decodeEvent is the handler of the functions that get decoded texts.
const decodeEvent = "json.decode"

func jsonLib() vm.Lib {
	return bind.Chapter("JSON", []bind.Row{
		bind.Def("json.encode", "value: any -> string?, string?", vm.Both, "Returns a value as JSON, or nil and the place that cannot be JSON. Keys are sorted, and an empty table is [].", encodeJSON),
		bind.Def("json.decode", "text: string, [done: fun(value: any, err: string?)] -> any, string?", vm.Both, "Returns the value of a JSON text, or nil and the place of the mistake. An event can decode 128 KiB. With done, and in a function that spawn has started, a text can have 1 MiB and is decoded over several ticks. null becomes json.null.", decodeJSON),
		bind.Def("json.null", ": any", vm.Both, "The value of null: nil cannot be in a table.", nil),
		bind.Def("json.object", "[fields: table] -> table", vm.Both, "Marks a table as an object, so that json.encode writes it as {} when it is empty. Returns the table, or a new one.", objectJSON),
	})
}

// jsonNull is the Go value of json.null.
type jsonNull struct{}

func (jsonNull) Kind() string                  { return "json.null" }
func (jsonNull) Literal() string               { return "json.null" }
func (jsonNull) In(x *bind.Binding) lua.LValue { return instanceOf(x.Mod).null() }

var nullMeta = []bind.Row{
	bind.Def("__tostring", "", vm.Both, "", func(a bind.Call) int { return a.Text("null") }),
}

// null returns json.null of a state: one value, so that it is equal to itself.
func (x *instance) null() *lua.LUserData {
	if x.jsonNull == nil {
		x.jsonNull = x.values.Userdata(jsonNull{}, x.values.Metatable(nullMeta))
	}
	return x.jsonNull
}

// fillLibrary adds the values of a library that are no functions.
func (x *instance) fillLibrary(name string, library *lua.LTable) {
	switch name {
	case "json":
		library.RawSetString("null", x.null())
	case "fleet":
		x.fillFleet(library)
	}
}

func encodeJSON(a bind.Call) int {
	e := json.Encoder{
		Kind: bind.KindOf, Each: vm.Each, Most: min(a.Longest(), maxJSON), Budget: maxEncode, Charge: func(n int) { a.Charge(n) },
		Text: func(u *lua.LUserData) (text string, null, ok bool) {
			switch v := u.Value.(type) {
			case bind.Tag:
				return v.Value.Text(), false, true
			case jsonNull:
				return "", true, true
			}
			return "", false, false
		},
	}
	text, err := e.Encode(a.Any(1))
	if err != nil {
		return a.Return(lua.LNil, lua.LString(err.Error()))
	}
	return a.Text(text)
}

func objectJSON(a bind.Call) int {
	t := a.OptTable(1)
	if t == nil {
		t = a.L.CreateTable(0, 0)
	}
	if !json.MarkObject(t) {
		a.Fail("a table with a metatable cannot be marked as an object")
	}
	return a.Return(t)
}

func decodeJSON(a bind.Call) int {
	text, done, x := a.String(1), a.OptFunction(2), caller(a)
	if len(text) > maxJSON {
		return notDecoded(a, done, fmt.Sprintf("the text has %d bytes, at most %d can be decoded", len(text), maxJSON))
	}
	job := &decoding{decoder: json.NewDecoder(text, x.null())}
	if done != nil {
		job.what, job.done = done, done
		job.begin(a)
		return 0
	}
	if !a.Runtime().InEvent() || len(text) <= maxJSONEvent {
		return a.Return(job.now(a)...)
	}
	t := x.scripts.dispatch.thread
	if t == nil || a.L != t.Thread {
		return a.Return(lua.LNil, lua.LString(fmt.Sprintf("the text has %d bytes, an event can decode %d at once: give json.decode a function, or call it in a function that spawn has started", len(text), maxJSONEvent)))
	}
	n := vm.Yield(a.Args)
	job.owner, job.what, job.thread = t.owner, t.Thread, t
	job.begin(a)
	t.waits = true
	return n
}

// notDecoded tells why a text is not decoded: by the results, or by calling done.
func notDecoded(a bind.Call, done *lua.LFunction, why string) int {
	if done == nil {
		return a.Return(lua.LNil, lua.LString(why))
	}
	x := caller(a)
	after(a, decodeEvent, 0, 0, done, func() { x.scripts.dispatch.call(x.mod, decodeEvent, done, lua.LNil, lua.LString(why)) })
	return 0
}

// A decoding is a JSON text that is being decoded.
type decoding struct {
	decoder *json.Decoder
	owner   sim.ID         // of the timers; 0: none
	what    any            // who waits, for the list of timers
	done    *lua.LFunction // gets the results; nil: thread does
	thread  *spawnedThread // waits for the results
	step    *lua.LFunction
	values  []lua.LValue // the results; nil: it has not ended
}

// now decodes the whole text.
func (j *decoding) now(a bind.Call) []lua.LValue {
	memory := meteredMemory{}
	for {
		before := j.decoder.Cost
		ended, err := j.decoder.Step(decodeStep)
		cost := j.decoder.Cost - before
		if left := a.InstructionsLeft(); cost >= left {
			a.Charge(left / 2)
			return []lua.LValue{lua.LNil, lua.LString("decoding the text takes more instructions than are left: give json.decode a function")}
		}
		a.Charge(cost)
		if values := j.check(a, &memory, ended, err); values != nil {
			return values
		}
	}
}

// check returns the results if the decoding has ended, and nil otherwise.
func (j *decoding) check(a bind.Call, memory *meteredMemory, ended bool, err error) []lua.LValue {
	switch {
	case err != nil:
		return []lua.LValue{lua.LNil, lua.LString(err.Error())}
	case !memory.fits(a, j.decoder.Memory):
		return []lua.LValue{lua.LNil, lua.LString("the value of the text takes more than half of the memory that is left")}
	case ended:
		return []lua.LValue{j.decoder.Result()}
	}
	return nil
}

// meteredMemory compares the growth of a result with the heap that is left, from time to time.
type meteredMemory struct{ from, asked int }

func (m *meteredMemory) fits(a bind.Call, memory int) bool {
	if memory-m.asked < askMemory {
		return true
	}
	m.asked = memory
	return a.Runtime().FitsHeap(memory - m.from)
}

// begin decodes the text in parts, one in each of the next ticks.
func (j *decoding) begin(a bind.Call) {
	j.step = bind.Bind(a.Mod.State, bind.Row{Name: "json.decode", Realm: vm.Both, Fn: func(a bind.Call) int {
		before := j.decoder.Cost
		memory := meteredMemory{j.decoder.Memory, j.decoder.Memory}
		for j.values == nil && j.decoder.Cost-before < decodeWork {
			ended, err := j.decoder.Step(decodeStep)
			j.values = j.check(a, &memory, ended, err)
		}
		a.Charge(j.decoder.Cost - before)
		switch {
		case j.values == nil:
			j.next(a)
		case j.thread != nil:
			t, x := j.thread, caller(a)
			t.args = j.values
			t.timer = after(a, threadEvent, 0, t.owner, t.Thread, func() { x.threadDue(t) })
		}
		return 0
	}})
	j.next(a)
}

// next schedules the next part.
func (j *decoding) next(a bind.Call) {
	x := caller(a)
	after(a, decodeEvent, 0, j.owner, j.what, func() {
		if _, ok := x.scripts.dispatch.call(x.mod, decodeEvent, j.step); ok && j.values != nil && j.done != nil {
			x.scripts.dispatch.call(x.mod, decodeEvent, j.done, j.values...)
		}
	})
}
