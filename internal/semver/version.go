package semver

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxVersion is the length in bytes of the longest version.
const maxVersion = 256

var errVersion = errors.New("a version must be three numbers like 1.0.0 (see semver.org)")

// A Version is a version of semver.org. The zero value is 0.0.0.
type Version struct {
	Major, Minor, Patch uint64
	Pre                 string // of a pre-release: beta.1 in 1.0.0-beta.1+linux; "" for a release
	Build               string // linux in 1.0.0-beta.1+linux; it does not count
}

// Parse reads a version: three numbers, and what follows them.
func Parse(text string) (v Version, err error) {
	if len(text) > maxVersion {
		return v, errVersion
	}
	rest, build, built := strings.Cut(text, "+")
	core, pre, early := strings.Cut(rest, "-")
	parts := strings.Split(core, ".")
	if built && !identifiers(build, false) || early && !identifiers(pre, true) || len(parts) != 3 {
		return v, errVersion
	}
	v.Pre, v.Build = pre, build
	for i, to := range []*uint64{&v.Major, &v.Minor, &v.Patch} {
		if leadingZero(parts[i]) {
			return v, errVersion
		}
		if *to, err = number(parts[i]); err != nil {
			return v, err
		}
	}
	return v, nil
}

// number reads a number that has digits only.
func number(text string) (uint64, error) {
	if !digits(text) {
		return 0, errVersion
	}
	return strconv.ParseUint(text, 10, 64)
}

func digits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

func leadingZero(text string) bool { return len(text) > 1 && text[0] == '0' }

// identifiers reports whether a text is a list of identifiers with dots between them. A number of a
// pre-release has no 0 in front.
func identifiers(text string, pre bool) bool {
	for part := range strings.SplitSeq(text, ".") {
		if part == "" || strings.TrimLeft(part, letters) != "" || pre && digits(part) && leadingZero(part) {
			return false
		}
	}
	return true
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"

// String returns the version as Parse reads it.
func (v Version) String() string {
	text := fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch)
	if v.Pre != "" {
		text += "-" + v.Pre
	}
	if v.Build != "" {
		text += "+" + v.Build
	}
	return text
}

// Compare returns -1 if v is older than other, 1 if it is newer, else 0.
func (v Version) Compare(other Version) int {
	return cmp.Or(cmp.Compare(v.Major, other.Major), cmp.Compare(v.Minor, other.Minor), cmp.Compare(v.Patch, other.Patch), comparePre(v.Pre, other.Pre))
}

// comparePre compares two pre-releases. A release is newer than its pre-releases, and of two lists
// with the same beginning the longer one is newer.
func comparePre(a, b string) int {
	if a == b || a == "" || b == "" {
		return cmp.Compare(len(b), len(a))
	}
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		if c := compareIdentifiers(x[i], y[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(x), len(y))
}

// compareIdentifiers compares numbers by value and other texts by their bytes. A number is older
// than a text.
func compareIdentifiers(a, b string) int {
	switch x, y := digits(a), digits(b); {
	case x && y:
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) // they have no 0 in front
	case x:
		return -1
	case y:
		return 1
	}
	return strings.Compare(a, b)
}
