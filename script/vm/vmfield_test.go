package vm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestMeantFields checks the suggestions for fields and methods that are nil.
func TestMeantFields(t *testing.T) {
	const account = `local Account = {limit = 9} Account.__index = Account function Account:deposit(n) return n end
		local Savings = setmetatable({}, {__index = Account}) Savings.__index = Savings function Savings:interest() end local a = setmetatable({name = {}}, Savings) `
	r := newRig(t)
	for _, c := range []struct{ source, want string }{
		{`math.sqr(2)`, "attempt to call field 'sqr' (a nil value), did you mean 'sqrt'?"},
		{`return math.sqr(2)`, "attempt to call field 'sqr' (a nil value), did you mean 'sqrt'?"},
		{`local m = math local x, y = m.floo(2), 1`, "attempt to call field 'floo' (a nil value), did you mean 'floor'?"},
		{`local m = math local function f() m.floo(2) end f()`, "attempt to call field 'floo' (a nil value), did you mean 'floor'?"},
		{`local s = "x" return s:uper()`, "attempt to call method 'uper' (a nil value), did you mean 'upper'?"},
		{`return ("x"):uper()`, "attempt to call method 'uper' (a nil value), did you mean 'upper'?"},
		{account + `a:depsit(1)`, "attempt to call method 'depsit' (a nil value), did you mean 'deposit'?"},
		{account + `return a:intrest(1)`, "attempt to call method 'intrest' (a nil value), did you mean 'interest'?"},
		{account + `return a.limt + 1`, "attempt to perform arithmetic on field 'limt' (a nil value), did you mean 'limit'?"},
		{account + `a.nam.first = 1`, "attempt to index field 'nam' (a nil value), did you mean 'name'?"},
		{account + `return a.name.first.x`, "attempt to index field 'first' (a nil value)"},
		{account + `return #a.limt`, "attempt to get length of field 'limt' (a nil value), did you mean 'limit'?"},
		{account + `a:limt()`, "attempt to call method 'limt' (a nil value)"},
		{`db = {users = {add = function() end}} db.users.ad(1)`, "attempt to call field 'ad' (a nil value)"},
		{`db = {users = {insert = function() end}} db.users.insrt(1)`, "attempt to call field 'insrt' (a nil value), did you mean 'insert'?"},
		{`db = {users = {insert = function() end}} db.usrs.insert(1)`, "attempt to index field 'usrs' (a nil value), did you mean 'users'?"},
		{`db = {users = {insert = {}}} return db.users.insrt.x`, "attempt to index field 'insrt' (a nil value), did you mean 'insert'?"},
		{`local db = {users = {{insert = {}}}} return db.users[1].insrt.x`, "attempt to index field 'insrt' (a nil value), did you mean 'insert'?"},
		{`local db, i = {users = {{insert = {}}}}, 1 return db.users[i].insrt.x`, "attempt to index field 'insrt' (a nil value), did you mean 'insert'?"},
		{account + `return a.name.first.x .. ""`, "attempt to index field 'first' (a nil value)"},
		{account + `return "<" .. a.nmae .. ">"`, "attempt to concatenate field 'nmae' (a nil value), did you mean 'name'?"},
		{account + `return a.limt .. ">"`, "attempt to concatenate field 'limt' (a nil value), did you mean 'limit'?"},
		{`db = {users = {count = 1}} return "users: " .. 1 .. db.users.cuont`, "attempt to concatenate field 'cuont' (a nil value), did you mean 'count'?"},
		{`db = {users = {count = 1}} return 1 + db.users.cuont`, "attempt to perform arithmetic on field 'cuont' (a nil value), did you mean 'count'?"},
		{`db = {users = {count = 1}} return "1" + db.users.cuont`, "attempt to perform arithmetic on field 'cuont' (a nil value), did you mean 'count'?"},
		{`db = {users = {count = 1}} for k in pairs(db.usres) do end`, "pairs: argument 1 (table) must be a table, not nil, did you mean 'users'?"},
		{`db = {users = {count = 1}} return ("x"):rep(db.users.cuont)`, "string.rep: argument 2 (n) must be a number, not nil, did you mean 'count'?"},
		{`local u = newproxy return "<" .. u.nmae`, "attempt to index local 'u' (a nil value)"},
		{`_G.tostrin(1)`, "attempt to call field 'tostrin' (a nil value), did you mean 'tostring'?"},
		{`local env = {m = {insert = 1}} setfenv(1, env) m.insrt.x = 1`, "attempt to index field 'insrt' (a nil value), did you mean 'insert'?"},
		{`local t = {} t.qqqqq()`, "attempt to call field 'qqqqq' (a nil value)"},
		{`local t, k = {insert = type}, "insrt" t[k]()`, "attempt to call field '?' (a nil value)"},
		{`local t = {insert = 1, insrt = 2} t.insrt()`, "attempt to call field 'insrt' (a number value)"},
		{`local t = {} for i = 1, 300 do t["field" .. i] = type end t.fieldd1()`, "attempt to call field 'fieldd1' (a nil value)"},
		{`local t = {} t.__index = t setmetatable(t, t) t.qqqqq()`, "too many recursions in gettable"},
	} {
		source := strings.ReplaceAll(c.source, "\n\t\t", " ")
		said := r.run("local ok, why = pcall(function() " + source + " end) return why")
		assert.Equal(t, "mods/x/init.lua:1: "+c.want, said, c.source)
	}
}

// TestSuggestionsCost checks that a search is charged, so that a loop of errors cannot search for
// long.
func TestSuggestionsCost(t *testing.T) {
	r := newRig(t)
	spent := func(name string) int64 {
		before := r.InstructionCount()
		r.run(`local t = {} for i = 1, 100 do t["field" .. i] = type end pcall(function() t.` + name + `() end)`)
		return r.InstructionCount() - before
	}
	assert.Greater(t, spent("fieldd"), spent("qq")+100*fieldCost/2)
}
