package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/torc-engine/torc/internal/order"
)

// Rule names, as ignore comments write them.
const (
	ruleSyntax     = "syntax"
	ruleUndefined  = "undefined"
	ruleUnused     = "unused"
	ruleUnread     = "unread"
	ruleUnknown    = "unknown"
	ruleRealm      = "realm"
	ruleArity      = "arity"
	ruleType       = "type"
	ruleFile       = "file"
	ruleDepends    = "depends"
	ruleCallback   = "callback"
	rulePermission = "permission"
	ruleManifest   = "manifest"
	ruleText       = "text"
	ruleIgnore     = "ignore"
)

var rules = []string{
	ruleSyntax, ruleUndefined, ruleUnused, ruleUnread, ruleUnknown, ruleRealm, ruleArity, ruleType, ruleFile, ruleDepends,
	ruleCallback, rulePermission, ruleManifest, ruleText, ruleIgnore,
}

// Finding is one problem in a mod.
type Finding struct {
	File string `json:"file"` // path in the mod's folder
	Line int    `json:"line"` // from 1
	Col  int    `json:"col"`  // in bytes, from 1
	Rule string `json:"rule"`
	Text string `json:"text"` // one sentence
}

func (f Finding) String() string {
	return fmt.Sprintf("%s:%d:%d: %s (%s)", f.File, f.Line, f.Col, f.Text, f.Rule)
}

// report adds a finding, unless an ignore comment on the line turns its rule off.
func (c *checker) report(f *luaFile, at position, rule, format string, args ...any) {
	if f.src != nil {
		for _, off := range f.src.ignored[at.line] {
			if off == "" || off == rule {
				return
			}
		}
	}
	c.findings = append(c.findings, Finding{f.name, at.line, at.col, rule, fmt.Sprintf(format, args...)})
}

// ignores reports ignore comments for rules that do not exist.
func (c *checker) ignores(f *luaFile) {
	for line, list := range f.src.ignored { // any order: findings are sorted by line
		for _, rule := range list {
			if rule != "" && !slices.Contains(rules, rule) {
				c.report(f, position{line, 1}, ruleIgnore, "unknown rule %q; the rules are %s", rule, strings.Join(rules, ", "))
			}
		}
	}
}

// sorted sorts the findings by file and position, and removes duplicates.
func sorted(list []Finding) []Finding {
	order.By(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Text, b.Text))
	})
	return slices.Compact(list)
}
