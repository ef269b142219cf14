package vm

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/script/luac"
)

func TestProgramsEqualLua(t *testing.T) { sweep(t, (*drawer).flow, 150, anyError) }

// FuzzJumps checks the jumps of compiled programs.
func FuzzJumps(f *testing.F) {
	most := uint64(100)
	if testenv.Fuzzing() || testenv.Long() {
		most = 300
	}
	for seed := range most {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		d := &drawer{rand.New(rand.NewPCG(seed, 52))}
		source := d.flow()
		proto, err := luac.Compile("flow.lua", source, func(int) error { return nil })
		require.NoError(t, err)
		requireJumps(t, source, proto)
	})
}

// requireJumps checks that no jump goes back to a jump, which the compiler would get wrong, and
// that each generic for loop jumps to the beginning of its body.
func requireJumps(t *testing.T, source string, f *lua.FunctionProto) {
	t.Helper()
	entered := map[int]int{} // by the end of a loop: the first jump there, which enters the loop
	skip := 0
	for pc, code := range f.Code {
		i := luac.Instruction(code)
		to := pc + 1 + i.SBx()
		switch {
		case skip > 0: // not an instruction
			skip--
		case i.Op() == lua.OP_CLOSURE:
			skip = int(f.FunctionPrototypes[i.Bx()].NumUpvalues)
		case i.Op() == lua.OP_SETLIST && i.C() == 0:
			skip = 1
		case i.Op() == lua.OP_JMP && to > pc:
			if _, found := entered[to]; !found {
				entered[to] = pc
			}
		case i.Op() == lua.OP_JMP:
			require.GreaterOrEqual(t, to, 0, source)
			require.NotEqual(t, lua.OP_JMP, luac.Instruction(f.Code[to]).Op(), "%s\ninstruction %d jumps to the jump %d", source, pc, to)
			if pc > 0 && luac.Instruction(f.Code[pc-1]).Op() == lua.OP_TFORLOOP {
				require.Equal(t, entered[pc-1]+1, to, "%s\nthe loop at instruction %d", source, pc)
			}
		}
	}
	for _, inner := range f.FunctionPrototypes {
		requireJumps(t, source, inner)
	}
}
