package torc_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
		parsed, err := parser.ParseFile(token.NewFileSet(), f.name, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, c := range parsed.Comments {
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
