package torc_test

import (
	"go/ast"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCommentNames looks up the names in comments that have the form package.Name or Type.Method. A
// rename must also change the comments.
func TestCommentNames(t *testing.T) {
	files := goFiles(t)
	names, owners := dottedNames(files)
	for name := range names {
		if owner, _, _ := strings.Cut(name, "."); ast.IsExported(owner) {
			owners[owner] = true
		}
	}
	dotted := regexp.MustCompile(`\b[A-Za-z]+\.[A-Z][A-Za-z]+\b`)
	checked := 0
	for _, f := range files {
		for _, c := range f.ast.Comments {
			for _, name := range dotted.FindAllString(c.Text(), -1) {
				if owner, _, _ := strings.Cut(name, "."); owners[owner] {
					assert.True(t, names[name], "%s: there is no %s", f.name, name)
					checked++
				}
			}
		}
	}
	assert.Greater(t, checked, 100)
}

// TestWhereToRead checks the lists of files in doc.go. Each file of a list exists, and the list of
// a package of more than ten files has all of them. So a reader finds the file of a change without
// a search.
func TestWhereToRead(t *testing.T) {
	packages := map[string][]string{}
	for _, f := range goFiles(t) {
		packages[f.pkg] = append(packages[f.pkg], path.Base(f.name))
	}
	for pkg, files := range packages {
		doc, _ := os.ReadFile(path.Join(pkg, "doc.go"))
		_, list, _ := strings.Cut(string(doc), "\n// # Where to read\n")
		list, _, _ = strings.Cut(list, "\n// # ")
		named := map[string]bool{"doc.go": true}
		for _, name := range regexp.MustCompile(`[\w/]+\.go\b`).FindAllString(list, -1) {
			named[name] = true
			assert.FileExists(t, path.Join(pkg, name), "doc.go of %s", pkg)
		}
		for _, name := range files {
			assert.True(t, len(files) <= 10 || named[name], "doc.go of %s does not name %s", pkg, name)
		}
	}
}
