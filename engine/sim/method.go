package sim

import "fmt"

// A Method is a function that scripts can call on an object.
type Method struct {
	Name   string
	Params string // as in "position: vec, n: integer -> boolean"; vm.Signature defines the syntax
	Doc    string // one sentence
	Ghosts bool   // can also be called on ghosts; it changes nothing

	// Do runs the method. Scripts can pass any args, so Do must validate them. The error is one
	// sentence without the method's name. While a change is open, effects on older objects wait
	// until Commit, unless the method returns a value.
	Do func(o Object, args []Value) ([]Value, error)
}

// A Function is a function of a whole world that scripts can call.
type Function struct {
	Name   string
	Params string
	Doc    string
	Client bool // also on clients; it changes nothing
	List   bool // scripts get the results as one list, empty if there are none
	Each   bool // scripts get an iterator over the results, which are objects

	// Options are the names of the options in the table that can replace the last parameter before
	// "...". That parameter is the first option. Do gets their values as single arguments in this
	// order, nil for those that are missing, and then the arguments of "...".
	Options []string

	// Do runs the function. It adds its work to World.Work if that depends on the world. With
	// ErrUnknownClass it can return results: a client uses them, because classes arrive later.
	Do func(w *World, args []Value) ([]Value, error)
}

// Method returns the class's own or inherited method with this name, or nil.
func (c *Class) Method(name string) *Method {
	for ; c != nil; c = c.parent {
		for i := range c.Methods {
			if c.Methods[i].Name == name {
				return &c.Methods[i]
			}
		}
	}
	return nil
}

// RegisterFunction adds a function that scripts can call by its name.
func (cs *Classes) RegisterFunction(f Function) error {
	if cs.session {
		return fmt.Errorf("function %s: must be registered before the first host is made", f.Name)
	}
	for _, old := range cs.functions {
		if old.Name == f.Name {
			return fmt.Errorf("function %s is already registered", f.Name)
		}
	}
	cs.functions = append(cs.functions, f)
	return nil
}

// Functions returns all registered functions, in order of registration. The slice belongs to cs.
func (cs *Classes) Functions() []Function { return cs.functions }
