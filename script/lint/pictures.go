package lint

import (
	"io/fs"

	"github.com/yuin/gopher-lua/ast"

	"github.com/torc-engine/torc/script/pictures"
)

// readPictures reads the pictures of the mod, and reports their mistakes.
func (c *checker) readPictures(dir fs.FS) {
	set, problems := pictures.Read(dir, nil)
	c.pictures = set
	for _, p := range problems {
		c.report(&luaFile{name: p.File}, position{1, 1}, ruleFile, "%s", p.Text)
	}
}

// picture reports the literal name of a picture in a row of a form that the mod does not have.
func (w *walker) picture(e *ast.TableExpr) {
	var kind, name *ast.StringExpr
	for _, field := range e.Fields {
		key, _ := field.Key.(*ast.StringExpr)
		value, literal := field.Value.(*ast.StringExpr)
		switch {
		case key == nil || !literal:
		case key.Value == "kind":
			kind = value
		case key.Value == "picture":
			name = value
		}
	}
	if !w.u.checked || kind == nil || kind.Value != "image" || name == nil || w.c.pictures.Find(name.Value) != nil {
		return
	}
	w.c.report(w.f, w.c.places[name], ruleFile, "the folder %s has no picture %q%s", pictures.Folder, name.Value, meant(name.Value, w.c.pictures.Names()))
}
