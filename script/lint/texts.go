package lint

import (
	"io/fs"

	"github.com/yuin/gopher-lua/ast"

	"github.com/torc-engine/torc/script/plural"
	"github.com/torc-engine/torc/script/texts"
)

// readTexts reads the tables of the mod. It reports their mistakes and what differs between them.
func (c *checker) readTexts(dir fs.FS) {
	found, problems := texts.Read(dir, texts.Options{})
	c.texts = found
	if found != nil {
		problems = append(problems, found.Compare(func(language string) texts.PluralForms {
			return texts.PluralForms{Whole: plural.Whole(language), All: plural.All(language)}
		})...)
	}
	for _, p := range problems {
		c.report(&luaFile{name: p.File}, position{p.Line, 1}, ruleText, "%s", p.Text)
	}
}

// textKey reports a literal key of text that the English table does not have, and too few arguments for
// it.
func (c *checker) textKey(f *luaFile, name string, call *ast.FuncCallExpr, at position) {
	key, literal := text(call, 0)
	if name != "text" || !literal {
		return
	}
	if c.texts == nil || c.texts.Table(texts.English) == nil {
		c.report(f, at, ruleText, "this mod has no file texts/en.toml with the key %q", key)
		return
	}
	e := c.texts.Table(texts.English).Entry(key)
	if e == nil {
		c.report(f, at, ruleText, "texts/en.toml has no key %q%s", key, meant(key, c.texts.Keys()))
		return
	}
	n := len(call.Args) - 1
	if wrong := e.TooFew(key, n); wrong != "" && !manyValues(call.Args[n]) {
		c.report(f, at, ruleArity, "%s", wrong)
	}
}
