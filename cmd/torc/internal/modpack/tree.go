package modpack

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of an archive, and of the files in it.
const (
	MaxFiles = 4096     // files and folders
	MaxBytes = 64 << 20 // of all files together; of the archive, too
	maxDepth = 16       // folders in folders
)

// hidden reports whether a file or one of its folders begins with a point. Such files are for
// editors and version control: archives leave them out.
func hidden(name string) bool {
	return strings.HasPrefix(name, ".") || strings.Contains(name, "/.")
}

// checkName returns an error if a name could leave the mod's folder, or if a file system cannot
// have it.
func checkName(name string) error {
	switch {
	case !fs.ValidPath(name) || strings.Contains(name, `\`):
		return fmt.Errorf("%q is not a path inside the mod", name)
	case strings.Count(name, "/") >= maxDepth:
		return fmt.Errorf("%q is in more than %d folders", name, maxDepth)
	case len(name) > 255 || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) || strings.ContainsAny(name, `:*?"<>|`):
		return fmt.Errorf("%q is not a name that every system can store", name)
	}
	for part := range strings.SplitSeq(name, "/") {
		base, _, _ := strings.Cut(strings.ToLower(part), ".")
		if strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") || slices.Contains(devices, base) {
			return fmt.Errorf("%q is not a name that every system can store", name)
		}
	}
	return nil
}

// devices are the names that Windows keeps for devices, in any folder and with any ending.
var devices = strings.Fields("con prn aux nul com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9")

// tally counts what an archive holds, up to the limits.
type tally struct {
	entries int
	bytes   int64
	names   map[string]bool // in lower case: some systems do not tell a.lua from A.lua
}

// add counts an entry and returns an error if it is one too many.
func (t *tally) add(name string, size int64) error {
	if t.entries++; t.entries > MaxFiles {
		return fmt.Errorf("there are more than %d files", MaxFiles)
	}
	if size < 0 || size > MaxBytes-t.bytes {
		return fmt.Errorf("the files are larger than %d MiB", MaxBytes>>20)
	}
	t.bytes += size
	if t.names == nil {
		t.names = map[string]bool{}
	}
	lower := strings.ToLower(name)
	if t.names[lower] {
		return fmt.Errorf("%q is there twice", name)
	}
	t.names[lower] = true
	return nil
}
