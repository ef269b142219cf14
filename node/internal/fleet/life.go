package fleet

import "github.com/torc-engine/torc/node/internal/fleet/bus"

// bucketLife is which bucket of the fleet counts. The zero value has seen none.
type bucketLife struct {
	epoch  bus.Epoch
	newest bus.Revision // the highest that this server has seen in that epoch
}

// counts reports whether a bucket with an epoch and a newest revision has all that this server has
// seen. One of a higher epoch does: the fleet was restored.
func (l *bucketLife) counts(e bus.Epoch, last bus.Revision) bool {
	if e == l.epoch {
		return last >= l.newest
	}
	return e.Follows(l.epoch)
}

// holds reports whether a bucket that counted when its first values came still does.
func (l *bucketLife) holds(e bus.Epoch) bool { return e == l.epoch || e.Follows(l.epoch) }

// begins takes over a bucket that counts.
func (l *bucketLife) begins(e bus.Epoch, last bus.Revision) {
	if e != l.epoch {
		l.epoch, l.newest = e, 0
	}
	l.saw(e, last)
}

// saw notes a revision of an epoch.
func (l *bucketLife) saw(e bus.Epoch, r bus.Revision) {
	if e == l.epoch {
		l.newest = max(l.newest, r)
	}
}
