package store

import (
	"errors"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/vm"
)

// maxAttempts is how often an update or a claim is tried, if another server is faster each time.
const maxAttempts = 8

// An attempt is an update or a claim that is tried again after a conflict, in a later tick.
type attempt struct {
	b    *modStore
	key  string
	fn   *lua.LFunction // of an update; nil: a claim
	done storeCallback
	made int    // attempts so far
	due  uint64 // tick of the next one
}

// later tries a change again, if it was not tried too often. Two servers that collide wait for a
// different number of ticks: their names and the key decide, so that a replay waits as long.
func (x *shares) later(b *modStore, c *sharedChange) bool {
	a := *c.again
	if a.made >= maxAttempts {
		return false
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(x.fleet.Name() + "\x00" + a.key + "\x00" + strconv.Itoa(a.made)))
	a.due = x.tick + 1 + uint64(h.Sum32()>>8)%(1<<a.made)
	x.retries = append(x.retries, a)
	return true
}

// retry makes the attempts that are due, while this tick has time left.
func (x *shares) retry() {
	for i := 0; i < len(x.retries) && !x.runtime.Busy(); {
		a := x.retries[i]
		if a.due > x.tick {
			i++
			continue
		}
		x.retries = slices.Delete(x.retries, i, i+1)
		switch {
		case a.done.mod.Binding.(Holder).Disabled():
		case a.fn == nil:
			x.claim(a)
		default:
			x.update(a)
		}
	}
}

// errUpdate is the error of an update whose function failed at a later attempt.
var errUpdate = errors.New("the function of the update has failed")

// update computes and puts the new value of a key again.
func (x *shares) update(a attempt) {
	if holder := x.claimant(x.holder(a.b, a.key)); holder != "" {
		x.answer(a.done, errClaimed(holder))
		return
	}
	value, err := x.computed(a)
	if err == nil {
		err = x.checkChange(a.b, a.key, value)
	}
	if err != nil {
		x.answer(a.done, err)
		return
	}
	x.put(a.b, a.key, value, a.done, &a)
}

// computed returns the new value of an update.
func (x *shares) computed(a attempt) ([]byte, error) {
	old, err := decodeIn(a.done.mod, a.b.values[a.key])
	if err != nil {
		return nil, err
	}
	out, ok := x.runtime.Dispatch(a.done.mod, event, a.fn, old)
	switch {
	case !ok:
		return nil, errUpdate
	case len(out) == 0 || out[0] == lua.LNil:
		return nil, nil
	}
	return Encode(out[0])
}

// put changes a value, unless another server has claimed the key.
func (x *shares) put(b *modStore, key string, value []byte, done storeCallback, again *attempt) {
	holder := x.holder(b, key)
	if by := x.claimant(holder); by != "" {
		x.answer(done, errClaimed(by))
		return
	}
	if holder != x.fleet.Name() || !b.shared.held[key] && b.shared.pending[key] == nil {
		holder = "" // it is gone, or another run of this server
	}
	if again != nil {
		again.made++
	}
	x.add(b, &sharedChange{Change: Change{Key: key, Data: Claimed(holder, value)}, value: value, done: done, again: again})
}

// holder returns the holder of a key, as the mod sees it; "" for nobody.
func (x *shares) holder(b *modStore, key string) string {
	if w := b.shared.pending[key]; w != nil {
		return w.holder
	}
	return b.shared.known[key].holder
}

// claimant returns a holder that excludes this server; "" if it does not.
func (x *shares) claimant(holder string) string {
	if holder == "" || holder == x.fleet.Name() || x.fleet.Gone(holder) {
		return ""
	}
	return holder
}

// errClaimed is the error of a put to a key that another server has claimed.
func errClaimed(by string) error { return errors.New("claimed by " + by) }

// claim claims a key for this server.
func (x *shares) claim(a attempt) {
	s, holder := a.b.shared, x.holder(a.b, a.key)
	switch {
	case x.claimant(holder) != "":
		x.answerClaim(a.b, a.key, a.done, false)
		return
	case s.held[a.key] && s.pending[a.key] == nil:
		x.answerClaim(a.b, a.key, a.done, true)
		return
	}
	a.made++
	value := a.b.values[a.key]
	x.add(a.b, &sharedChange{
		Change: Change{Key: a.key, Data: Claimed(x.fleet.Name(), value)}, kind: claimChange, value: value, done: a.done, again: &a,
	})
}

// answerClaim queues done(ok, holder) of a claim.
func (x *shares) answerClaim(b *modStore, key string, done storeCallback, ok bool) {
	holder := b.shared.known[key].holder
	if ok {
		holder = x.fleet.Name()
	}
	if holder == "" || !ok && holder == x.fleet.Name() {
		x.give(done, lua.LBool(ok))
		return
	}
	x.give(done, lua.LBool(ok), lua.LString(holder))
}

// release ends the claim of this server to a key. An attempt to claim it ends too, also one that is
// on its way.
func (x *shares) release(b *modStore, key string) {
	if b.shared.pending[key] != nil { // a claim of another run ends for each of thousands of keys at once
		for _, c := range slices.Concat(b.shared.unfinished(), x.next) {
			if c.of == b && c.Key == key && c.kind == claimChange {
				c.again = nil
			}
		}
	}
	x.retries = slices.DeleteFunc(x.retries, func(a attempt) bool {
		cancelled := a.b == b && a.key == key && a.fn == nil
		if cancelled {
			x.answerClaim(b, key, a.done, false)
		}
		return cancelled
	})
	if x.holder(b, key) != x.fleet.Name() {
		return
	}
	delete(b.shared.held, key)
	value := b.values[key]
	x.add(b, &sharedChange{Change: Change{Key: key, Data: value}, kind: releaseChange, value: value})
}

// releaseAll ends all claims of a set.
func (x *shares) releaseAll(b *modStore) {
	for _, key := range slices.Sorted(maps.Keys(b.shared.held)) {
		x.release(b, key)
	}
}

// callbacks runs onShared of the mods for what other servers have changed, while this tick has time
// left.
func (x *shares) callbacks() {
	x.each(func(b *modStore) {
		if len(b.shared.news) == 0 {
			return
		}
		m := x.runtime.Mod(ownerOf(b.name))
		if m == nil {
			return
		}
		fn, ok := m.Global(sharedEvent).(*lua.LFunction)
		if !ok || b.name == m.Name {
			b.shared.forgetNews()
			return
		}
		for len(b.shared.news) > 0 && !x.runtime.Busy() {
			key := b.shared.nextNews()
			if v, err := decodeIn(m, b.values[key]); err == nil {
				x.runtime.Dispatch(m, sharedEvent, fn, lua.LString(key), v)
			}
		}
	})
}

// sharedEvent is the global function of a mod that learns what other servers have changed.
const sharedEvent = "onShared"

// decodeIn decodes a stored value for a mod; nil is Lua's nil.
func decodeIn(m *vm.Mod, value []byte) (lua.LValue, error) {
	if value == nil {
		return lua.LNil, nil
	}
	return Decode(bind.Of(m), value)
}
