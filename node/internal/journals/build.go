package journals

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// BuildName describes how this program was built, for the header of a journal: the version of Go,
// the revision of the source, and whether that was changed.
func BuildName() string {
	name := runtime.Version()
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return name
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			name += " " + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			name += " with changes"
		}
	}
	return name
}

// OtherBuild says that a journal comes from another build of the program than this one, of a
// version; "" if it does not.
func OtherBuild(program, build, version string) string {
	own, version := BuildName(), cmp.Or(version, "-")
	if program == version && build == own {
		return ""
	}
	return fmt.Sprintf("torc %s (%s) wrote the journal, and this is torc %s (%s): another build can have differences of its own", program, build, version, own)
}
