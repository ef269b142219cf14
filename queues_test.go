package torc_test

import (
	"cmp"
	"errors"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A queueRow is a row of a table of docs/queues.md: a queue with its cap.
type queueRow struct {
	name, grower, above, payer string
	most                       int64  // in the unit of the constant: a number, bytes, or nanoseconds
	folder, constant           string // where the cap is, and its name
	place, test                string // where the test is that fills the queue, and its name
}

var (
	queueCap  = regexp.MustCompile(`^([0-9,]+)( KiB| MiB| s)?\b`)
	queueCode = regexp.MustCompile("^`([a-z0-9/]+)` `([A-Za-z]+)`$")
	queueTest = regexp.MustCompile("^(?:`([a-z0-9/]+)` )?`(Test[A-Za-z0-9]+)`$")
	capUnits  = map[string]int64{"": 1, " KiB": 1 << 10, " MiB": 1 << 20, " s": 1e9}
)

// queueRows reads the tables of docs/queues.md.
func queueRows(t *testing.T) (rows []queueRow) {
	page, err := os.ReadFile("docs/queues.md")
	require.NoError(t, err)
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		if !strings.HasPrefix(line, "|") || cells[0] == "queue" || strings.HasPrefix(cells[0], "---") {
			continue
		}
		require.Len(t, cells, 7, line)
		most, code, test := queueCap.FindStringSubmatch(cells[2]), queueCode.FindStringSubmatch(cells[5]), queueTest.FindStringSubmatch(cells[6])
		require.NotNil(t, most, "a cap begins with a number: %s", line)
		require.NotNil(t, code, "the code is a folder and a constant: %s", line)
		require.NotNil(t, test, "the test is a name: %s", line)
		n, err := strconv.ParseInt(strings.ReplaceAll(most[1], ",", ""), 10, 64)
		require.NoError(t, err)
		rows = append(rows, queueRow{
			name: cells[0], grower: cells[1], above: cells[3], payer: cells[4],
			most: n * capUnits[most[2]], folder: code[1], constant: code[2], place: cmp.Or(test[1], code[1]), test: test[2],
		})
	}
	return rows
}

// TestQueuesHaveTheirCaps walks docs/queues.md. The constant of each row has the number on the page, the code uses it, and the
// test of the row exists and names it. That test fills the queue.
func TestQueuesHaveTheirCaps(t *testing.T) {
	rows, folders, seen := queueRows(t), map[string]*capFolder{}, map[string]bool{}
	require.Greater(t, len(rows), 50)
	for _, r := range rows {
		what := r.folder + " " + r.constant
		for _, cell := range []string{r.name, r.grower, r.above, r.payer} {
			assert.NotEmpty(t, cell, what)
		}
		assert.False(t, seen[what], "%s has two rows", what)
		seen[what] = true
		for _, folder := range []string{r.folder, r.place} {
			if folders[folder] == nil {
				folders[folder] = readCapFolder(t, folder)
			}
		}
		f := folders[r.folder]
		if !assert.NotNil(t, f.values[r.constant], "%s does not exist", what) {
			continue
		}
		got, exact := constant.Int64Val(constant.ToInt(f.values[r.constant]))
		assert.True(t, exact, what)
		assert.Equal(t, r.most, got, "the number of %s", what)
		assert.NotZero(t, f.uses[r.constant]+folders[r.place].uses[r.constant], "no code uses %s", what)
		names, exists := folders[r.place].tests[r.test]
		assert.True(t, exists, "%s has no test %s", r.place, r.test)
		assert.True(t, names[r.constant] || names[exported(r.constant)], "the test %s does not name %s", r.test, r.constant)
	}
}

// exported returns the name that a file export_test.go gives a constant.
func exported(name string) string {
	return string(unicode.ToUpper(rune(name[0]))) + name[1:]
}

// A capFolder is a package, as far as caps need it.
type capFolder struct {
	values map[string]constant.Value
	uses   map[string]int             // of a name in the code, besides its declaration as a constant
	tests  map[string]map[string]bool // the names in each test
}

// readCapFolder reads the files of a package. It knows the values of constants that need no other package than time.
func readCapFolder(t *testing.T, folder string) *capFolder {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "%s does not exist", folder)
	f := &capFolder{values: map[string]constant.Value{}, uses: map[string]int{}, tests: map[string]map[string]bool{}}
	set := token.NewFileSet()
	var code []*ast.File
	for _, path := range files {
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		if strings.HasSuffix(path, "_test.go") {
			f.addTests(file)
		} else {
			code = append(code, file)
		}
	}
	c := types.Config{IgnoreFuncBodies: true, Importer: onlyTime{}, Error: func(error) {}}
	p, _ := c.Check(folder, set, code, nil) // the other imports are missing
	for _, name := range p.Scope().Names() {
		if c, ok := p.Scope().Lookup(name).(*types.Const); ok && c.Val().Kind() != constant.Unknown {
			f.values[name] = c.Val()
		}
	}
	for _, file := range code {
		for name, n := range namesIn(file) {
			f.uses[name] += n
		}
	}
	for name := range f.values {
		f.uses[name]--
	}
	return f
}

// addTests notes the names in the tests of a file.
func (f *capFolder) addTests(file *ast.File) {
	for _, d := range file.Decls {
		if d, ok := d.(*ast.FuncDecl); ok && d.Recv == nil && strings.HasPrefix(d.Name.Name, "Test") {
			names := map[string]bool{}
			for name := range namesIn(d.Body) {
				names[name] = true
			}
			f.tests[d.Name.Name] = names
		}
	}
}

// namesIn counts the identifiers in a node.
func namesIn(node ast.Node) map[string]int {
	names := map[string]int{}
	ast.Inspect(node, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			names[id.Name]++
		}
		return true
	})
	return names
}

// onlyTime is an importer that knows the durations of the package time, and nothing else.
type onlyTime struct{}

func (onlyTime) Import(path string) (*types.Package, error) {
	if path != "time" {
		return nil, errors.New("not needed")
	}
	p := types.NewPackage(path, path)
	d := types.NewNamed(types.NewTypeName(token.NoPos, p, "Duration", nil), types.Typ[types.Int64], nil)
	p.Scope().Insert(d.Obj())
	for name, n := range map[string]int64{"Millisecond": 1e6, "Second": 1e9, "Minute": 60e9, "Hour": 3600e9} {
		p.Scope().Insert(types.NewConst(token.NoPos, p, name, d, constant.MakeInt64(n)))
	}
	p.MarkComplete()
	return p, nil
}
