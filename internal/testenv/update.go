package testenv

import "flag"

var update = flag.Bool("update", false, "write what the tests compare with anew: transcripts, vectors, pages, golden screens")

// Update reports whether a test writes anew what it compares with: its flag -update is set.
func Update() bool { return *update }
