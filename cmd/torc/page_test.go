package main

import (
	"cmp"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/netcore"
	"github.com/torc-engine/torc/netcore/netsim"
)

// block is a part of a page: input to type or output to expect.
type block struct{ lang, text string }

// pageOf reads a page of docs and changes into an empty folder.
func pageOf(t *testing.T, name string) []block {
	blocks := blocksOf(t, name)
	t.Chdir(t.TempDir())
	return blocks
}

// blocksOf reads a page of docs in order: its blocks, and the lines in its text to try.
func blocksOf(t *testing.T, name string) (blocks []block) {
	page, err := os.ReadFile("../../docs/" + name)
	require.NoError(t, err)
	return blocksIn(string(page))
}

// sectionOf is blocksOf for the section of a page with a heading.
func sectionOf(t *testing.T, name, heading string) []block {
	t.Helper()
	page, err := os.ReadFile("../../docs/" + name)
	require.NoError(t, err)
	_, text, found := strings.Cut(string(page), "\n## "+heading+"\n")
	require.True(t, found, heading)
	text, _, _ = strings.Cut(text, "\n## ")
	return blocksIn(text)
}

// blocksIn returns the blocks of a text.
func blocksIn(text string) (blocks []block) {
	for _, b := range regexp.MustCompile("(?s)\n```(\\w*)\n(.*?)```\n|`(\\w+\\.\\w+ = \\w+)`").FindAllStringSubmatch(text, -1) {
		if b[3] != "" {
			b[2] = "server> " + b[3] + "\n"
		}
		blocks = append(blocks, block{b[1], b[2]})
	}
	return blocks
}

// shell runs a block of shell commands that do not need torc, and reports whether it is such a
// block. The next block starts in the folder where this one ends.
func (b block) shell(t *testing.T) bool {
	t.Helper()
	dir, typed := b.shellIn(t, "")
	if typed {
		t.Chdir(dir)
	}
	return typed
}

// shellIn is shell in a folder. It returns the folder of the next block.
func (b block) shellIn(t *testing.T, dir string) (next string, typed bool) {
	t.Helper()
	if b.lang != "sh" || strings.Contains(b.text, "torc") {
		return dir, false
	}
	cmd := exec.Command("sh", "-ec", b.text+"pwd")
	cmd.Dir = dir
	out, err := testenv.Output(t, cmd)
	require.NoError(t, err, string(out))
	return strings.TrimSpace(string(out)), true
}

// file writes or extends a file if the block begins with a file name, and reports whether it does.
func (b block) file(t *testing.T) bool {
	t.Helper()
	return b.fileIn(t, "")
}

// fileIn is file in a folder.
func (b block) fileIn(t *testing.T, dir string) bool {
	t.Helper()
	if b.lang != "lua" && b.lang != "toml" {
		return false
	}
	head, _, _ := strings.Cut(b.text, "\n")
	f, err := os.OpenFile(filepath.Join(dir, strings.TrimLeft(head, "-# ")), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	defer f.Close()
	_, err = f.WriteString(b.text)
	require.NoError(t, err)
	return true
}

// reading is a page that a test types into a server and its client.
type reading struct {
	*table
	client *half
}

// serve starts the server of a command line.
func (r *reading) serve(t *testing.T, words ...string) {
	t.Helper()
	o := config.ServerOf(read[config.Options](t, words...))
	folder := fstest.MapFS{}
	for _, of := range []fs.FS{mods.FS(), os.DirFS(o.ModsDir)} {
		require.NoError(t, fs.WalkDir(of, ".", func(name string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				folder[name] = new(fstest.MapFile)
				folder[name].Data, err = fs.ReadFile(of, name)
			}
			return err
		}))
	}
	r.table = &table{newHalf(t, 1, true, folder), netsim.New(1), 0}
	r.net.Attach(netcore.SimAddr(1), r.host)
	require.Empty(t, r.scripts.LoadMods(o.Mods...))
	r.host.SetMods(r.scripts.ModInfos())
	if o.Mission != "" {
		require.NoError(t, r.scripts.LoadMission(o.Mission))
	}
}

// joins starts the client of a command line.
func (r *reading) joins(t *testing.T, words ...string) {
	t.Helper()
	o := read[*config.Join](t, words...)
	r.client = r.join(o.Name, 2)
	r.run(time.Second)
}

// plays types the lines after the prompts of a block, half a second apart, and expects the output
// below them. It reports whether the block has prompts.
func (r *reading) plays(t *testing.T, b block) bool {
	t.Helper()
	sides := map[string]*half{}
	if r.table != nil {
		sides["server> "], sides["client> "] = r.half, r.client
	}
	got := ""
	for _, line := range strings.SplitAfter(b.text, "\n") {
		h := sides[line[:min(len(line), len("server> "))]]
		if h == nil {
			continue
		}
		out, err := h.console.Exec(strings.TrimSuffix(line[len("server> "):], "\n"))
		if err != nil {
			out = "error: " + err.Error()
		}
		r.run(500 * time.Millisecond)
		got += line
		for _, text := range append([]string{out}, r.printed()...) {
			if text != "" {
				got += text + "\n"
			}
		}
	}
	if got != "" {
		require.Equal(t, b.text, got)
		require.Empty(t, r.log)
	}
	return got != ""
}

// printed returns the output of both sides.
func (r *reading) printed() (lines []string) {
	lines = r.lines()
	if r.client != nil {
		lines = append(lines, r.client.lines()...)
	}
	return lines
}

// TestPageGame types all of docs/game.md. Its files make a mod that loads, and each line has the
// output on the page.
func TestPageGame(t *testing.T) {
	blocks := pageOf(t, "game.md")
	for _, folder := range []string{"shared", "server", "missions"} {
		require.NoError(t, os.MkdirAll(filepath.Join("mods/yard", folder), 0o700))
	}
	for _, b := range blocks {
		b.file(t)
	}
	var r reading
	r.serve(t, "serve", "--mods", "mods", "--mod", "yard", "--mission", "yard")
	r.joins(t, "join", "torc.test:28000", "--name", "Ann")
	for _, b := range blocks {
		if b.lang == "" {
			require.True(t, r.plays(t, b), "nobody runs this:\n%s", b.text)
		}
	}
}

// TestPageLinksResolve checks that the targets of all links exist, including their sections.
func TestPageLinksResolve(t *testing.T) {
	t.Parallel()
	docs, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	known := map[string][]string{} // the sections of a page
	for _, page := range append(docs, "../../README.md", "../../ARCHITECTURE.md", "../../CONTRIBUTING.md", "../../CHANGELOG.md", "../../SECURITY.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, link := range regexp.MustCompile(`\]\(([^):]*)\)`).FindAllStringSubmatch(string(text), -1) {
			name, section, _ := strings.Cut(link[1], "#")
			to := filepath.Join(filepath.Dir(page), cmp.Or(name, filepath.Base(page)))
			require.True(t, exists(to), "%s refers to %s", page, link[1])
			if section != "" {
				if known[to] == nil {
					there, err := os.ReadFile(to)
					require.NoError(t, err)
					known[to] = sections(string(there))
				}
				require.Contains(t, known[to], section, "%s refers to %s", page, link[1])
			}
		}
	}
}

// TestPageCommandLinesParse parses every command line of the pages.
func TestPageCommandLinesParse(t *testing.T) {
	docs, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	n := 0
	for _, page := range append(docs, "../../README.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		blocks := strings.Join(regexp.MustCompile("(?s)\n```.*?\n```\n").FindAllString(string(text), -1), "")
		lines := regexp.MustCompile(`(?m)^(?:go run \./cmd/)?torc .+$`).FindAllString(blocks, -1)
		for _, line := range append(lines, regexp.MustCompile("`torc [^`…]+`").FindAllString(string(text), -1)...) {
			_, typed, _ := strings.Cut(strings.Trim(line, "`"), "torc ")
			typed, _, _ = strings.Cut(typed, "   ") // the explanation follows the command
			if regexp.MustCompile(`\b[A-Z]{2,}\b`).MatchString(typed) {
				continue // the reader must fill in something
			}
			words := wordsOf(typed)
			require.NoError(t, parses(words), "%s says: torc %s", page, typed)
			n++
		}
	}
	require.Greater(t, n, 12)
}

// parses returns the error in the words of a command line, if there is one. A subcommand can be
// named without its host.
func parses(words []string) error {
	if i := slices.Index(words, "--config"); i >= 0 { // the page shows this file
		words = slices.Delete(words, i, i+2)
	}
	none := func(string) (string, bool) { return "", false }
	_, _, err := config.Parse(words, none)
	if err != nil && err != flag.ErrHelp && len(words) <= 2 && !strings.Contains(strings.Join(words, " "), "-") {
		_, _, err = config.Parse(append(words, "host:1"), none)
	}
	if err == flag.ErrHelp {
		return nil
	}
	return err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// sections returns the link anchors of a page's headings.
func sections(page string) (names []string) {
	for _, head := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		name := regexp.MustCompile(`[^\w -]`).ReplaceAllString(strings.ToLower(head[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}
