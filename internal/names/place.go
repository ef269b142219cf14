package names

import "strings"

const (
	// placeFolder begins the place of a server beside others.
	placeFolder = "/s/"
	// maxServer is the length in bytes of the longest name of a server.
	maxServer = 32
)

// Server reports whether a text can be the name of a server, in a fleet and in a path: 1 to 32 of
// a–z, 0–9 and -.
func Server(text string) bool {
	for i := range len(text) {
		if c := text[i]; c != '-' && (c == '_' || !Small(c)) {
			return false
		}
	}
	return 0 < len(text) && len(text) <= maxServer
}

// CutPlace cuts the place /s/NAME of a server, behind an origin that has several, from the front of
// a path. The rest is "" or begins with /. Of a path without a place, the rest is all of it.
func CutPlace(path string) (place, rest string) {
	name, is := strings.CutPrefix(path, placeFolder)
	if at := strings.IndexByte(name, '/'); at >= 0 {
		name, rest = name[:at], name[at:]
	}
	if !is || !Server(name) {
		return "", path
	}
	return placeFolder + name, rest
}
