package torc_test

import (
	"go/ast"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestArchitectureNames checks the packages, files and Go names in ARCHITECTURE.md and in the
// glossary. A rename must also change these pages.
func TestArchitectureNames(t *testing.T) {
	files := goFiles(t)
	assert.Greater(t, checkNames(t, "ARCHITECTURE.md", files), 60)
	assert.Greater(t, checkNames(t, "docs/glossary.md", files), 30)
}

// checkNames checks the names in a page, and returns their number.
func checkNames(t *testing.T, name string, files []file) (checked int) {
	page, err := os.ReadFile(name)
	require.NoError(t, err)
	text := regexp.MustCompile("(?s)```.*?```").ReplaceAllString(string(page), "")
	names, owners := dottedNames(files)
	for _, code := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(text, -1) {
		word, _, _ := strings.Cut(code[1], "(")
		owner, name, dotted := strings.Cut(word, ".")
		switch {
		case strings.HasSuffix(word, ".go"):
			assert.True(t, hasFile(files, word), "there is no file %s", word)
		case regexp.MustCompile(`^(netcore|engine|game|script|console|node|cmd|internal)/[a-z/-]+$`).MatchString(word):
			assert.DirExists(t, word)
		case dotted && owners[owner] && ast.IsExported(name) || dotted && ast.IsExported(owner):
			assert.True(t, names[word], "there is no %s", word)
		default:
			continue
		}
		checked++
	}
	return checked
}

// TestArchitectureSize keeps ARCHITECTURE.md a page that a newcomer reads to the end. A walk or a reason that concerns one
// package belongs to its doc.go.
func TestArchitectureSize(t *testing.T) {
	page, err := os.ReadFile("ARCHITECTURE.md")
	require.NoError(t, err)
	assert.LessOrEqual(t, len(page), 14<<10, "bytes")
}

// hasFile reports whether a path or a file name is that of a Go file.
func hasFile(files []file, name string) bool {
	for _, f := range files {
		if f.name == name || path.Base(f.name) == name {
			return true
		}
	}
	_, err := os.Stat(name)
	return err == nil
}

// dottedNames returns the names of the module as prose has them: Type.method, Type.field, package.Name. owners
// are the names of the packages.
func dottedNames(files []file) (names, owners map[string]bool) {
	names, owners = map[string]bool{}, map[string]bool{}
	for _, f := range files {
		pkg := f.ast.Name.Name
		owners[pkg] = true
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names[receiverOf(d, pkg)+"."+d.Name.Name] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						names[pkg+"."+s.Name.Name] = true
						for _, member := range membersOf(s.Type) {
							names[s.Name.Name+"."+member] = true
						}
					case *ast.ValueSpec:
						for _, n := range s.Names {
							names[pkg+"."+n.Name] = true
						}
					}
				}
			}
		}
	}
	return names, owners
}

// receiverOf returns the type of a method, or pkg for a function.
func receiverOf(d *ast.FuncDecl, pkg string) string {
	if d.Recv == nil {
		return pkg
	}
	name := ""
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if n, ok := n.(*ast.Ident); ok && name == "" {
			name = n.Name
		}
		return name == ""
	})
	return name
}

// membersOf returns the fields of a struct or the methods of an interface.
func membersOf(of ast.Expr) (names []string) {
	var list *ast.FieldList
	switch of := of.(type) {
	case *ast.StructType:
		list = of.Fields
	case *ast.InterfaceType:
		list = of.Methods
	default:
		return nil
	}
	for _, f := range list.List {
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
	}
	return names
}
