package sim

import "fmt"

// A Method is what scripts can have an object do, besides its fields.
type Method struct {
	Name   string
	Params string // as in "position: vec, n: integer -> boolean"; script.Signature says how it is written
	Doc    string // one sentence
	Ghosts bool   // can be called on ghosts too: it changes nothing

	// Do does it. args are what the script gave, and may be anything. The error
	// is one sentence without the method's name. Where a change of the world is
	// open, what changes objects that were there before waits until it is
	// committed, unless the method returns something.
	Do func(o Object, args []Value) ([]Value, error)
}

// A Function is what scripts can ask of a world as a whole.
type Function struct {
	Name   string
	Params string
	Doc    string
	Client bool // on clients too: it changes nothing
	List   bool // scripts get what it returns as one list, and an empty one for nothing

	Do func(w *World, args []Value) ([]Value, error)
}

// Method is the class's own or inherited method of this name, or nil.
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
		return fmt.Errorf("function %s: functions are registered before the first host is made", f.Name)
	}
	for _, old := range cs.functions {
		if old.Name == f.Name {
			return fmt.Errorf("function %s is registered already", f.Name)
		}
	}
	cs.functions = append(cs.functions, f)
	return nil
}

// Functions are all that were registered, in that order; the slice belongs to cs.
func (cs *Classes) Functions() []Function { return cs.functions }
