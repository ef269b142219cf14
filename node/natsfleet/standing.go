package natsfleet

import "github.com/torc-engine/torc/node/internal/fleet/bus"

// stands returns what counts after a message of a list. NATS asks for no permission for the subject
// of an answer. So a member that cannot write the lists can still let NATS put an answer in the
// place of an entry. Then the entry stands, with the revision of that answer: a server can write it
// again. Everybody can write the shared values anyway.
func (f *follower) stands(v bus.Value, e entry) bus.Value {
	if f.group.Bucket != bus.Lists {
		return v
	}
	old, had := f.standing[v.Key]
	switch {
	case !written(e) && had:
		f.bus.tally.add("what a member has let NATS put over an entry of the list " + f.group.Name + ": write the entry again")
		old.Rev = v.Rev
		return old
	case v.Data == nil:
		delete(f.standing, v.Key)
	case len(v.Data) <= maxListValue && (had || len(f.standing) < maxListKeys):
		f.standing[v.Key] = v
	}
	return v
}

// written reports whether a server has written a message, or an operator has deleted a key with the
// program nats.
func written(e entry) bool {
	if len(e.data) == 0 {
		return e.header.Get("KV-Operation") != ""
	}
	_, err := decodeContent(e.data)
	return err == nil
}
