package node

import "io"

// A Journal says where a server writes all its inputs. One of the fields is set.
type Journal struct {
	Folder string    // of journals, one for each run
	Writer io.Writer // gets the journal; it must not block
}
