package lint

import (
	"io/fs"

	"github.com/yuin/gopher-lua/ast"

	"github.com/torc-engine/torc/script/plural"
	"github.com/torc-engine/torc/script/texts"
)

// englishFile is the table that each mod with texts has.
const englishFile = texts.Folder + "/" + texts.English + ".toml"

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
		c.noEnglish = c.noEnglish || p.File == englishFile && found.Table(texts.English) == nil
		c.report(&luaFile{name: p.File}, position{p.Line, 1}, ruleText, "%s", p.Text)
	}
}

// textKey reports a literal key of text that the English table does not have, and too few arguments
// for it.
func (c *checker) textKey(f *luaFile, name string, call *ast.FuncCallExpr, at position) {
	key, literal := text(call, 0)
	if name != "text" || !literal || c.noEnglish {
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
	if wrong := e.TooFew(key, n); wrong != "" && (!manyValues(call.Args[n]) || c.isText(call.Args[n])) {
		c.report(f, at, ruleArity, "%s", wrong)
	}
}

// isText reports whether an expression is a call of text, which returns one value.
func (c *checker) isText(e ast.Expr) bool {
	call, is := e.(*ast.FuncCallExpr)
	if !is || call.Func == nil {
		return false
	}
	of := c.typeOf(call.Func)
	return of.entry != nil && rowName(of.entry) == "text"
}
