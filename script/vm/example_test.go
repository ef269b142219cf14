package vm_test

import (
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/vm"
)

// Example runs untrusted Lua with its own function and its own budget.
func Example() {
	runtime := vm.New(vm.Config{Side: vm.Server, Limits: vm.Limits{Callback: vm.Limit{Instructions: 1000}}})
	runtime.Install(vm.Lib{Name: "Greetings", Funcs: []vm.Func{{
		Name: "greet", Params: "name: string -> string", Doc: "Greets someone.",
		Fn: func(a vm.Args) int { return a.Text("hello " + a.String(1)) },
	}}})
	mod := runtime.NewMod("demo", nil)
	for _, source := range []string{`return greet("Ann")`, `return greet(nil)`, `while true do end`} {
		fn, err := mod.Compile("demo.lua", source, false)
		if err != nil {
			fmt.Println(err)
			continue
		}
		var out []lua.LValue
		out, err = runtime.Enter(mod, fn)
		var spent *vm.Exhausted
		switch {
		case errors.As(err, &spent):
			fmt.Println("stopped:", spent)
		case err != nil:
			fmt.Println(err)
		default:
			fmt.Println(out[0])
		}
	}
	// Output:
	// hello Ann
	// demo.lua:1: greet: argument 1 (name) must be a string, not nil
	// stopped: the budget of 1000 instructions is used up
}
