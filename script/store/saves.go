package store

import (
	"maps"
	"slices"
)

// A Save is what has changed in a set since the last one, for the copy on the disk of this server.
type Save struct {
	Set    string
	Whole  bool     // Values are all that the set has
	Values []Value  // by key; Data nil: the key has no value
	Unsent []Change // all that the fleet has not taken
}

// TakeSaves returns what has changed in the sets that a fleet shares since the last call, or with
// all everything that they have.
func (st *Storage) TakeSaves(all bool) (list []Save) {
	x, _ := st.remote.(*shares)
	if x == nil {
		return nil
	}
	x.group()
	x.each(func(b *modStore) {
		s := b.shared
		whole := all || s.whole
		if len(s.unsaved) == 0 && !s.moved && !whole {
			return
		}
		save := Save{Set: b.name, Whole: whole, Unsent: s.unsent()}
		if whole {
			clear(s.unsaved)           // what is not known is not in a whole save
			for key := range s.known { // any order: they are sorted below
				s.unsaved[key] = true
			}
		}
		for _, key := range slices.Sorted(maps.Keys(s.unsaved)) {
			k := s.known[key]
			v := Value{Key: key, Rev: k.rev, Owner: k.owner}
			if len(k.data) > 0 { // else it is damaged
				v.Data = k.data
			}
			save.Values = append(save.Values, v)
		}
		clear(s.unsaved)
		s.moved, s.whole = false, false
		list = append(list, save)
	})
	return list
}

// Settle takes the last news of the fleet when a server ends and no tick follows. Callbacks do not
// run.
func (st *Storage) Settle() {
	x, _ := st.remote.(*shares)
	if x == nil {
		return
	}
	x.hear()
	x.each(func(b *modStore) {
		if b.shared.refused != nil {
			x.endRefusal(b)
		}
	})
}
