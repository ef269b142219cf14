package consoletest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/torc-engine/torc/internal/testenv"
)

// A LineRunner runs the lines of a transcript. console.Console implements it.
type LineRunner interface {
	Feed(line string) (out string, more bool, err error)
	End() error
}

// Run plays every file that matches the pattern ("testdata/*.txt") into a new
// console and fails if the output differs. The function open makes the console.
// The transcript includes the lines that the console passes to out, and the
// results of Feed.
func Run(t *testing.T, pattern string, open func(t *testing.T, out func(line string)) LineRunner) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcript matches %s (%v)", pattern, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var printed []string
			c := open(t, func(line string) { printed = append(printed, line) })
			compare(t, file, string(want), Play(string(want), c, func() []string {
				lines := printed
				printed = nil
				return lines
			}))
		})
	}
}

func compare(t *testing.T, file, want, got string) {
	t.Helper()
	if got == want {
		return
	}
	if testenv.Update() {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	wants, gots := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(wants), len(gots)) {
		if at(wants, i) != at(gots, i) {
			t.Fatalf("%s:%d\n want %s\n  got %s\nthe whole session:\n%s", file, i+1, at(wants, i), at(gots, i), got)
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(end of file)"
}

// Play types the lines of a transcript into c and returns the resulting
// transcript. It keeps the typed lines, the comments, and the blank lines before
// them, and replaces the output. The function printed returns the lines printed
// since its last call. It can be nil.
func Play(script string, c LineRunner, printed func() []string) string {
	var b strings.Builder
	blank := 0
	flush := func(out string, err error) {
		var lines []string
		if printed != nil {
			lines = printed()
		}
		if out != "" {
			lines = append(lines, strings.Split(out, "\n")...)
		}
		if err != nil {
			lines = append(lines, strings.Split("error: "+err.Error(), "\n")...)
		}
		for _, line := range lines {
			b.WriteString(escapeLine(line) + "\n")
		}
	}
	flush("", nil)
	for line := range strings.SplitSeq(script, "\n") {
		typed, isTyped := strings.CutPrefix(line, ">")
		switch {
		case line == "":
			blank++
		case isTyped || strings.HasPrefix(line, "#"):
			b.WriteString(strings.Repeat("\n", blank) + line + "\n")
			blank = 0
			if isTyped {
				out, _, err := c.Feed(strings.TrimPrefix(typed, " "))
				flush(out, err)
			}
		default: // expected output; the actual output replaces it
			blank = 0
		}
	}
	if err := c.End(); err != nil {
		flush("", fmt.Errorf("at the end: %w", err))
	}
	return b.String()
}

// escapeLine puts a backslash before a line of output that would look like another kind.
func escapeLine(line string) string {
	if line == "" || strings.ContainsRune(`>#\`, rune(line[0])) {
		return `\` + line
	}
	return line
}
