package luac

import lua "github.com/yuin/gopher-lua"

// A Variable says how the source names a value: its kind ("local", "upvalue", "global", "field" or
// "method") and its name. It is zero if the source does not name the value, or not one variable
// alone.
type Variable struct{ Kind, Name string }

// An Instruction is one instruction of the VM.
type Instruction uint32

func (i Instruction) Op() int            { return int(i >> 26) }
func (i Instruction) A() int             { return int(i>>18) & 0xff }
func (i Instruction) withA(a int) uint32 { return uint32(i)&^(0xff<<18) | uint32(a)<<18 }
func (i Instruction) C() int             { return int(i>>9) & 0x1ff }
func (i Instruction) B() int             { return int(i & 0x1ff) }
func (i Instruction) Bx() int            { return int(i & 0x3ffff) }
func (i Instruction) SBx() int {
	return i.Bx() - 0x1ffff
}

// ConstantBit marks an operand that is the number of a constant, not of a register.
const ConstantBit = 256

// VariableOf returns the variable whose value the instruction at pc finds in a register. It reads
// the instructions before it, as Lua does for its own error messages.
func VariableOf(p *lua.FunctionProto, pc, register int) Variable {
	for range 8 { // moves between registers
		if name := localName(p, pc, register); name != "" && name[0] != 0 && name[0] != '(' {
			return Variable{"local", name}
		}
		if pc = setter(p, pc, register); pc < 0 {
			return Variable{}
		}
		switch i := Instruction(p.Code[pc]); i.Op() {
		case lua.OP_MOVE, lua.OP_MOVEN:
			register = i.B()
		case lua.OP_GETGLOBAL:
			return Variable{"global", ConstantText(p, i.Bx())}.named()
		case lua.OP_GETUPVAL:
			if i.B() < len(p.DbgUpvalues) {
				return Variable{"upvalue", p.DbgUpvalues[i.B()]}.named()
			}
			return Variable{}
		case lua.OP_GETTABLE, lua.OP_GETTABLEKS:
			if key := keyText(p, pc, i.C()); key != "" {
				return Variable{"field", key}
			}
			return Variable{"field", "?"}
		case lua.OP_SELF:
			return Variable{"method", keyText(p, pc, i.C())}.named()
		default:
			return Variable{}
		}
	}
	return Variable{}
}

// A Read says where an instruction finds a value: PC is the last instruction that set it, with the
// Code of that instruction. PC is -1 if there is none, or if it depends on a jump.
type Read struct {
	PC   int
	Code Instruction
}

// LastSet returns the instruction before pc that set a register.
func LastSet(p *lua.FunctionProto, pc, register int) Read {
	at := setter(p, pc, register)
	if at < 0 {
		return Read{PC: -1}
	}
	return Read{at, Instruction(p.Code[at])}
}

// Key returns the key of a field that the instruction reads, or "" if it reads none with a constant
// name.
func (r Read) Key(p *lua.FunctionProto) string {
	switch r.Code.Op() {
	case lua.OP_GETTABLE, lua.OP_GETTABLEKS, lua.OP_SELF:
		return keyText(p, r.PC, r.Code.C())
	}
	return ""
}

// named returns v, or zero if its name is not one of the source.
func (v Variable) named() Variable {
	if v.Name == "" || v.Name[0] == 0 {
		return Variable{}
	}
	return v
}

// ConstantText returns the constant string of a number, or "".
func ConstantText(p *lua.FunctionProto, n int) string {
	if n < len(p.Constants) {
		if text, ok := p.Constants[n].(lua.LString); ok {
			return string(text)
		}
	}
	return ""
}

// keyText returns the operand of the instruction at pc, a key, if it is a constant string. In the
// head of a loop, and with many constants, the compiler loads the key into a register first.
func keyText(p *lua.FunctionProto, pc, operand int) string {
	if operand >= ConstantBit {
		return ConstantText(p, operand-ConstantBit)
	}
	if localName(p, pc, operand) != "" {
		return ""
	}
	if i := LastSet(p, pc, operand); i.PC >= 0 && i.Code.Op() == lua.OP_LOADK {
		return ConstantText(p, i.Code.Bx())
	}
	return ""
}

// localName returns the name of the local in a register, or "".
func localName(p *lua.FunctionProto, pc, register int) string {
	for _, local := range p.DbgLocals {
		if local.StartPc <= pc && pc < local.EndPc {
			if register == 0 {
				return local.Name
			}
			register--
		}
	}
	return ""
}

// maxSearched limits the instructions that setter examines: an error costs little in a function of
// any size.
const maxSearched = 4096

// setter returns the last instruction before end that set a register. It returns -1 if that depends
// on a jump, or if end is far from the start of the function.
func setter(p *lua.FunctionProto, end, register int) int {
	if end > maxSearched {
		return -1
	}
	found, target := -1, 0 // target: the end of the code that a jump can skip
	for pc := 0; pc < end; pc++ {
		i := Instruction(p.Code[pc])
		if i.sets(register) {
			found = pc
			if pc < target {
				found = -1
			}
		}
		switch i.Op() {
		case lua.OP_JMP:
			if to := pc + 1 + i.SBx(); to > pc && to <= end {
				target = max(target, to)
			}
		case lua.OP_CLOSURE: // one word for each upvalue follows
			pc += int(p.FunctionPrototypes[i.Bx()].NumUpvalues)
		case lua.OP_SETLIST:
			if i.C() == 0 {
				pc++ // the number of the list's part follows
			}
		}
	}
	return found
}

// sets reports whether an instruction changes a register.
func (i Instruction) sets(register int) bool {
	a := i.A()
	switch i.Op() {
	case lua.OP_LOADNIL:
		return a <= register && register <= i.B()
	case lua.OP_CALL, lua.OP_TAILCALL, lua.OP_VARARG:
		return register >= a
	case lua.OP_TFORLOOP:
		return register >= a+2
	case lua.OP_FORLOOP:
		return a <= register && register <= a+3
	case lua.OP_SELF:
		return register == a || register == a+1
	case lua.OP_SETGLOBAL, lua.OP_SETUPVAL, lua.OP_SETTABLE, lua.OP_SETTABLEKS, lua.OP_JMP, lua.OP_EQ, lua.OP_LT, lua.OP_LE,
		lua.OP_TEST, lua.OP_RETURN, lua.OP_SETLIST, lua.OP_CLOSE, lua.OP_NOP:
		return false
	}
	return register == a
}

// LocalsAt returns the names of the locals in scope at an instruction, by register. Names that are
// not of the source begin with a bracket or a zero byte.
func LocalsAt(p *lua.FunctionProto, pc int) (names []string) {
	for _, local := range p.DbgLocals {
		if local.StartPc <= pc && pc < local.EndPc {
			names = append(names, local.Name)
		}
	}
	return names
}
