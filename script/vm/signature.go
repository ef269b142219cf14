package vm

import (
	"encoding/json"
	"fmt"
	"strings"
)

// NameLetters are the characters of names in Lua.
const NameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// A Signature describes the parameters and results of a function, for example
// "ms: number, fn: function, ...: any -> integer". Its grammar:
//
//	signature = [params] ["->" params]
//	params    = name: types {"," name: types}; parts in [ ] are optional; ...: types is any number more
//	types     = type {"|" type}
//	type      = (NAME | "literal" | fun(params): results | {name: types, …}) {"[]" | "?"}
//	results   = types | (types, …)
//
// T? is T or nil, T[] is a list of T. A name is a type of Lua, a type of torc (vec, rot, tag,
// Object, Client, …) or a class of the game. A parameter without types may be anything.
type Signature struct {
	Params, Results []Param
}

// A Param is a parameter, a result, or a field of a record.
type Param struct {
	Name     string // "..." if Variadic; "" for a result without a name
	Types    Types
	Optional bool // may be omitted, together with all that follow in its brackets
	Variadic bool // any number of values, including none
}

// Types are the alternative types of a value.
type Types []Type

// A Type is a type name with its details.
type Type struct {
	Name   string     // "number", "Player"; "fun", "{}", or a literal with its quotes
	Fun    *Signature // of "fun", nil if not specified
	Fields []Param    // of "{}"
	List   bool       // a list of these
}

// Least returns the minimum number of arguments of a call.
func (s *Signature) Least() int {
	n := 0
	for _, p := range s.Params {
		if !p.Optional && !p.Variadic {
			n++
		}
	}
	return n
}

// Most returns the maximum number of arguments of a call, or -1 if there is no maximum.
func (s *Signature) Most() int {
	for _, p := range s.Params {
		if p.Variadic {
			return -1
		}
	}
	return len(s.Params)
}

// Has reports whether one of the types has this name and is not a list.
func (t Types) Has(name string) bool {
	for _, one := range t {
		if one.Name == name && !one.List {
			return true
		}
	}
	return false
}

func (t Types) String() string {
	var b strings.Builder
	for i, one := range t {
		switch {
		case one.Name == "nil" && i > 0 && i == len(t)-1:
			b.WriteByte('?')
			continue
		case i > 0:
			b.WriteByte('|')
		}
		b.WriteString(one.String())
	}
	return b.String()
}

func (t Type) String() string {
	text := t.Name
	switch {
	case t.Fun != nil:
		text = "fun(" + paramsText(t.Fun.Params) + ")"
		switch results := paramsText(t.Fun.Results); len(t.Fun.Results) {
		case 0:
		case 1:
			text += ": " + results
		default:
			text += ": (" + results + ")"
		}
	case t.Name == "{}":
		text = "{" + paramsText(t.Fields) + "}"
	}
	if t.List {
		text += "[]"
	}
	return text
}

func paramsText(list []Param) string {
	texts := make([]string, len(list))
	for i, p := range list {
		texts[i] = p.Types.String()
		switch {
		case p.Name != "" && p.Types == nil:
			texts[i] = p.Name
		case p.Name != "":
			texts[i] = p.Name + ": " + texts[i]
		}
	}
	return strings.Join(texts, ", ")
}

// ParseSignature parses a signature.
func ParseSignature(text string) (Signature, error) {
	p := sigParser{text: text}
	var s Signature
	p.params(&s.Params, false, true)
	if p.take("->") {
		p.params(&s.Results, false, false)
	}
	p.space()
	if p.err == nil && p.at < len(text) {
		p.fail("the end")
	}
	if p.err == nil && p.depth > 0 {
		p.fail("]")
	}
	return s, p.err
}

// ParseTypes parses types without a parameter list: "number?", "vec|Object".
func ParseTypes(text string) (Types, error) {
	p := sigParser{text: text}
	t := p.types()
	p.space()
	if p.err == nil && p.at < len(text) {
		p.fail("the end")
	}
	return t, p.err
}

// A sigParser parses a signature in one pass. After the first error it reads nothing more.
type sigParser struct {
	text  string
	at    int
	depth int // open brackets
	nest  int // nesting depth of types
	err   error
}

func (p *sigParser) fail(want string) {
	if p.err == nil {
		p.err = fmt.Errorf("signature %q: expected %s at %q", p.text, want, p.text[p.at:])
	}
}

func (p *sigParser) space() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

// take skips a token if it is next, and reports whether it was.
func (p *sigParser) take(token string) bool {
	p.space()
	if p.err != nil || !strings.HasPrefix(p.text[p.at:], token) {
		return false
	}
	p.at += len(token)
	return true
}

func (p *sigParser) need(token string) {
	if !p.take(token) {
		p.fail(token)
	}
}

// name reads a Lua name and returns "" if there is none.
func (p *sigParser) name() string {
	p.space()
	start := p.at
	for p.at < len(p.text) && strings.IndexByte(NameLetters, p.text[p.at]) >= 0 {
		p.at++
	}
	return p.text[start:p.at]
}

// params reads a list of parameters. Results may be types without names. Only the list of a
// signature may have brackets.
func (p *sigParser) params(list *[]Param, inner, brackets bool) {
	p.space()
	if p.at == len(p.text) || strings.HasPrefix(p.text[p.at:], "->") || inner && strings.IndexByte(")}", p.text[p.at]) >= 0 {
		return
	}
	for p.err == nil {
		for brackets && p.take("[") {
			p.depth++
		}
		*list = append(*list, p.param(!brackets && !inner))
		comma := p.take(",")
		for brackets && p.depth > 0 && p.take("]") {
			p.depth--
			comma = p.take(",") || comma
		}
		if !comma {
			return
		}
	}
}

// param reads one parameter or result. A result may be a type alone.
func (p *sigParser) param(result bool) Param {
	one := Param{Optional: p.depth > 0}
	if p.take("...") {
		one.Name, one.Variadic = "...", true
	} else {
		start := p.at
		one.Name = p.name()
		if result && !p.take(":") {
			p.at, one.Name = start, ""
			one.Types = p.types()
			return one
		} else if result {
			one.Types = p.types()
			return one
		}
		if one.Name == "" {
			p.fail("a name")
		}
	}
	if p.take(":") {
		one.Types = p.types()
	}
	return one
}

func (p *sigParser) types() Types {
	if p.nest++; p.nest > 16 {
		p.fail("a simpler type")
	}
	var list Types
	for p.err == nil {
		one := p.one()
		for p.take("[]") {
			one.List = true
		}
		list = append(list, one)
		if p.take("?") {
			list = append(list, Type{Name: "nil"})
		}
		if !p.take("|") {
			break
		}
	}
	p.nest--
	return list
}

func (p *sigParser) one() Type {
	switch {
	case p.take("{"):
		t := Type{Name: "{}"}
		p.inner(&t.Fields)
		p.need("}")
		return t
	case p.take(`"`):
		end := strings.IndexByte(p.text[p.at:], '"')
		if end < 0 {
			p.fail(`"`)
			return Type{}
		}
		literal := p.text[p.at-1 : p.at+end+1]
		p.at += end + 1
		return Type{Name: literal}
	}
	t := Type{Name: p.name()}
	switch {
	case t.Name == "":
		p.fail("a type")
	case t.Name == "fun":
		p.need("(")
		t.Fun = &Signature{}
		p.inner(&t.Fun.Params)
		p.need(")")
		if p.take(":") {
			t.Fun.Results = p.results()
		}
	}
	return t
}

// results reads the results of a function: a single type, or a list of types in parentheses.
func (p *sigParser) results() (list []Param) {
	if !p.take("(") {
		return []Param{{Types: p.types()}}
	}
	for {
		list = append(list, Param{Types: p.types()})
		if !p.take(",") {
			break
		}
	}
	p.need(")")
	return list
}

// inner reads the parameter list of a function type or the fields of a record, without brackets.
func (p *sigParser) inner(list *[]Param) {
	depth := p.depth
	p.depth = 0
	p.params(list, true, false)
	p.depth = depth
}

// MarshalJSON writes the types as a string.
func (t Types) MarshalJSON() ([]byte, error) { return json.Marshal(t.String()) }

// MarshalJSON omits empty and false fields.
func (p Param) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Name     string `json:"name,omitempty"`
		Types    string `json:"types,omitempty"`
		Optional bool   `json:"optional,omitempty"`
		Variadic bool   `json:"variadic,omitempty"`
	}{p.Name, p.Types.String(), p.Optional, p.Variadic})
}
