// Package luac compiles Lua 5.1 source for mods.
//
// It parses with gopher-lua, rewrites the syntax tree and compiles it. Sources that would exhaust
// the compiler are refused, and no step of compiled code takes long: operators without limits
// become calls of functions that the caller supplies (Guards).
//
// # Where to read
//
//	compile.go               the checks around gopher-lua's parser and compiler, and its errors
//	diagnose.go              what a person needs to mend a syntax error
//	constants.go             constants that the compiler does not see
//	codesize.go              how long a function can be
//	foreign.go               byte order marks; characters that only strings can have
//	rewrite.go               the syntax tree; also rewrite_jump.go, rewrite_store.go
//	gotos.go                 what a goto closes
//	scopes.go                which locals are in scope at an instruction
//	variable.go              how the source names the value in a register
package luac
