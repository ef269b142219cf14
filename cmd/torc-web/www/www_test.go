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
				found, err := fs.Glob(www.FS, m[1]+"*") // the library is compressed
				assert.NoError(t, err)
				assert.Len(t, found, 1, path)
			}
		}
		assert.NotRegexp(t, `from "[^.]|import "[^.]|(src|href)="[^.d]`, text, path)
	}
	for path := range texts {
		assert.True(t, named[path], "nothing loads %s", path)
	}
}

// imported adds a module and those that it imports at its start.
func imported(texts map[string]string, name string, all map[string]bool) {
	if all[name] {
		return
	}
	all[name] = true
	for _, m := range regexp.MustCompile(`(?m)^import .*"\./([^"]+)";$`).FindAllStringSubmatch(texts[name], -1) {
		imported(texts, m[1], all)
	}
}

// TestModulesAreDownloadedFirst: a module is lost when its download is cut off while it is
// imported. So start.js names every module of the page, and voice.js those that are loaded later. A
// language is loaded before the others.
func TestModulesAreDownloadedFirst(t *testing.T) {
	texts, page, later := files(t), map[string]bool{}, map[string]bool{}
	imported(texts, "main.js", page)
	assert.True(t, page["wasm_exec.js"] && page["three.js"])
	for name := range page {
		assert.Contains(t, texts["start.js"], `"./`+name+`"`)
	}
	for list, first := range map[string][]string{"ears": {"talkers.js", "worklet.js"}, "mouth": {"capture.js", "worklet.js"}} {
		all := map[string]bool{}
		for _, name := range first {
			imported(texts, name, all)
		}
		line := regexp.MustCompile(`\b` + list + ` = \[([^]]+)\]`).FindStringSubmatch(texts["voice.js"])
		require.NotNil(t, line)
		for name := range all {
			later[name] = true
			assert.True(t, page[name] || strings.Contains(line[1], `"./`+name+`"`), "%s lacks %s", list, name)
		}
	}
	for _, found := range regexp.MustCompile(`cache\(\["\./(\w+\.js)"\]\)`).FindAllStringSubmatch(texts["main.js"], -1) {
		all := map[string]bool{}
		imported(texts, found[1], all)
		for name := range all {
			assert.True(t, page[name] || name == found[1], "%s needs %s, too", found[1], name)
		}
		later[found[1]] = true
	}
	for _, tag := range languages {
		assert.Contains(t, texts["language.js"], tag+`: "./text.`+tag+`.js"`)
		later["text."+tag+".js"] = true
	}
	names, err := fs.Glob(www.FS, "*.js")
	require.NoError(t, err)
	for _, name := range names {
		assert.True(t, page[name] || later[name] || name == "start.js", "nothing loads %s", name)
		if !page[name] && name != "start.js" {
			assert.NotContains(t, texts["start.js"], `"./`+name+`"`, "it is loaded when it is needed")
		}
	}
}

// TestOnlyTheKeyOpensTheMicrophone: one file asks the browser for the microphone, one class opens
// that file's device, and only the key of the player reaches it.
func TestOnlyTheKeyOpensTheMicrophone(t *testing.T) {
	for _, row := range []struct {
		call, only string
		times      int
	}{
		{`\.getUserMedia\(`, "capture.js", 1}, {`device\.open\(`, "microphone.js", 1}, {`microphone\.press\(`, "voice.js", 1}, {`\bvoice\.talk\(`, "main.js", 1},
		{`page\.talk\(`, "input.js", 2}, // a key or a button, and the release of all
	} {
		count := 0
		for path, text := range files(t) {
			if n := len(regexp.MustCompile(row.call).FindAllString(text, -1)); n > 0 {
				assert.Equal(t, row.only, path, row.call)
				count += n
			}
		}
		assert.Equal(t, row.times, count, row.call)
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
