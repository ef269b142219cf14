package script

import (
	"cmp"
	"errors"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/internal/order"
	"github.com/torc-engine/torc/script/vm"
)

// A formBook keeps what mods do with the answers to their forms.
type formBook struct {
	scripts *Scripts
	open    map[formKey]openedForm
}

// formKey names a form of a client.
type formKey struct {
	client sim.ID
	number uint32
}

// An openedForm is the function done of a form, and the instance of the mod that opened the form.
type openedForm struct {
	by   *instance
	done *lua.LFunction
}

// FormEnded calls done of a form, unless its mod runs no more code.
func (s *hooks) FormEnded(c *engine.Connection, number uint32, answer engine.FormAnswer) {
	key := formKey{c.ID(), number}
	f, known := s.forms.open[key]
	if delete(s.forms.open, key); !known || f.by.disabled {
		return
	}
	defer s.Runtime.SetPeer(s.Runtime.SetPeer(peerOf(c)))
	s.dispatch.call(f.by.mod, formEvent, f.done, f.by.values.Object(c.ID()), f.by.formValues(answer))
}

// formValues returns the values of an answer as a table, or nil.
func (x *instance) formValues(answer engine.FormAnswer) lua.LValue {
	if !answer.Given {
		return lua.LNil
	}
	t := x.mod.State.Lua().CreateTable(0, len(answer.Values)+1)
	if answer.Button != "" {
		t.RawSetString(form.Pressed, lua.LString(answer.Button))
	}
	for _, e := range answer.Values {
		if e.IsText {
			x.mod.NoteString(len(e.Text))
			t.RawSetString(e.Name, lua.LString(e.Text))
		} else {
			t.RawSetString(e.Name, lua.LNumber(e.Number))
		}
	}
	return t
}

// close closes the open forms of an instance, or of all if it is nil. Their done gets nil.
func (b *formBook) close(of *instance) {
	var keys []formKey
	for k, f := range b.open { // any order: they are sorted
		if of == nil || f.by == of {
			keys = append(keys, k)
		}
	}
	order.By(keys, func(a, b formKey) int {
		return cmp.Or(cmp.Compare(a.client, b.client), cmp.Compare(a.number, b.number))
	})
	for _, k := range keys {
		if c := b.scripts.engine.Connection(k.client); c != nil {
			c.Forms().CloseNumber(k.number)
		}
		delete(b.open, k)
	}
}

// retire closes the forms of an instance whose code is about to stop.
func (b *formBook) retire(m *vm.Mod) { b.close(instanceOf(m)) }

// command returns the command `form` of a client.
func (b *formBook) command() console.Command {
	return console.Command{
		Name: "form", Params: "[NUMBER [VALUE] | send | close]", Help: "shows the newest form of the server; with a number, presses that button or gives that item a value; send answers a form without buttons, close closes the form",
		Run: func(args []string) (string, error) {
			c := b.scripts.engine.Server()
			if c == nil {
				return "", errors.New("not connected to a server")
			}
			desk := c.Forms().Desk()
			if len(args) == 0 && desk.Form() == nil {
				return "no form is open", nil
			}
			if len(args) > 0 {
				answer, err := desk.Do(args)
				if err != nil {
					return "", err
				}
				if answer != nil {
					return "", c.Forms().Answer(*answer)
				}
			}
			return strings.Join(desk.Lines(-1), "\n"), nil
		},
	}
}
