package script

import (
	"fmt"
	"strings"
)

// A Signature says what a function takes and what it gives: "ms: number, fn: function, ...: any -> integer".
//
//	signature = [params] ["->" params]
//	params    = a list by commas of name: types; what is in [ ] may be left out; ...: types is any number more
//	types     = type {"|" type}
//	type      = (NAME | "literal" | fun(params): results | {name: types, …}) {"[]" | "?"}
//	results   = types | (types, …)
//
// T? is T or nil, T[] is a list of T. A name stands for a type of Lua, for one of torc (vec, rot, tag, Object, Client, …),
// or for a class of the game. A parameter without types may be anything.
type Signature struct {
	Params, Results []Param
}

// A Param is one parameter, one result, or one field of a record.
type Param struct {
	Name     string // "..." if Variadic; "" for a result without a name
	Types    Types
	Optional bool // it may be left out, and with it all that follow in its brackets
	Variadic bool // any number of them, none too
}

// Types are what a value may be, one of several.
type Types []Type

// A Type is a name with what belongs to it.
type Type struct {
	Name   string     // "number", "Player"; "fun", "{}", or a literal with its quotes
	Fun    *Signature // of "fun", nil if it says nothing
	Fields []Param    // of "{}"
	List   bool       // a list of these
}

// Least is how many arguments a call needs.
func (s *Signature) Least() int {
	n := 0
	for _, p := range s.Params {
		if !p.Optional && !p.Variadic {
			n++
		}
	}
	return n
}

// Most is how many arguments a call takes, -1 if there is no end.
func (s *Signature) Most() int {
	for _, p := range s.Params {
		if p.Variadic {
			return -1
		}
	}
	return len(s.Params)
}

// Has says whether one of the types has this name and is no list.
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

// ParseSignature reads a signature.
func ParseSignature(text string) (Signature, error) {
	p := sigParser{text: text}
	var s Signature
	p.params(&s.Params, false, true)
	if p.take("->") {
		p.params(&s.Results, false, false)
	}
	p.space()
	if p.err == nil && p.at < len(text) {
		p.fail("nothing more")
	}
	if p.err == nil && p.depth > 0 {
		p.fail("]")
	}
	return s, p.err
}

// ParseTypes reads types alone: "number?", "vec|Object".
func ParseTypes(text string) (Types, error) {
	p := sigParser{text: text}
	t := p.types()
	p.space()
	if p.err == nil && p.at < len(text) {
		p.fail("nothing more")
	}
	return t, p.err
}

// A sigParser goes through a signature once; after the first error it reads nothing more.
type sigParser struct {
	text  string
	at    int
	depth int // brackets that are open
	nest  int // types within types
	err   error
}

func (p *sigParser) fail(want string) {
	if p.err == nil {
		p.err = fmt.Errorf("signature %q: %s is expected at %q", p.text, want, p.text[p.at:])
	}
}

func (p *sigParser) space() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

// take goes past a token if it is next.
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

// name is a name of Lua, "" if none is next.
func (p *sigParser) name() string {
	p.space()
	start := p.at
	for p.at < len(p.text) && strings.IndexByte(nameLetters, p.text[p.at]) >= 0 {
		p.at++
	}
	return p.text[start:p.at]
}

// params reads a list. Results may be types without names; the list of a signature may have brackets.
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

// param reads one. A result may be a type alone.
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
		p.fail("something simpler")
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

// results reads what a function gives: types, or a list of them in parentheses.
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

// inner reads the list of a function or a record, in which brackets mean nothing.
func (p *sigParser) inner(list *[]Param) {
	depth := p.depth
	p.depth = 0
	p.params(list, true, false)
	p.depth = depth
}
