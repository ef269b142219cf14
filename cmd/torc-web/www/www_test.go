package www_test

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc-web/www"
)

// beside are the files that come with the program and not from this package.
var beside = []string{"torc.wasm", "wasm_exec.js"}

// files returns the texts of the page, without the library.
func files(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	require.NoError(t, fs.WalkDir(www.FS, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(path, "three.") {
			return err
		}
		text, err := fs.ReadFile(www.FS, path)
		texts[path] = string(text)
		return err
	}))
	require.Greater(t, len(texts), 15)
	return texts
}

// TestFilesNameEachOther: a server renames the files, so each reference must be "./NAME" in quotes,
// and exist.
func TestFilesNameEachOther(t *testing.T) {
	texts := files(t)
	named := map[string]bool{"index.html": true}
	for path, text := range texts {
		for _, m := range regexp.MustCompile(`"\./([^"]+)"`).FindAllStringSubmatch(text, -1) {
			named[m[1]] = true
			if !slices.Contains(beside, m[1]) {
				_, err := fs.Stat(www.FS, m[1])
				assert.NoError(t, err, path)
			}
		}
		assert.NotRegexp(t, `from "[^.]|import "[^.]|(src|href)="[^.d]`, text, path)
	}
	for path := range texts {
		assert.True(t, named[path], "nothing loads %s", path)
	}
}

// TestStartDownloadsEveryModule: a module that start.js does not name is lost when its download is
// cut off.
func TestStartDownloadsEveryModule(t *testing.T) {
	start := files(t)["start.js"]
	all, err := fs.Glob(www.FS, "*.js")
	require.NoError(t, err)
	for _, name := range append(all, "wasm_exec.js") {
		if name != "start.js" {
			assert.Contains(t, start, `"./`+name+`"`)
		}
	}
}

// TestNothingBecomesMarkup: texts of peers must not become markup, code or a request, whatever they
// contain.
func TestNothingBecomesMarkup(t *testing.T) {
	for path, text := range files(t) {
		assert.NotRegexp(t, `innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|\.srcdoc|createContextualFragment|setAttribute\("on`, text, path)
		assert.NotRegexp(t, `https?://`, text, path)
		assert.NotRegexp(t, `<[^>]+\s(style|on[a-z]+)=`, text, path)
	}
}
