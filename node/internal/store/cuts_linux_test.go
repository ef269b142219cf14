//go:build amd64 || arm64

package store

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"

	"github.com/torc-engine/torc/script/store"
)

const sector = 512 // the disk writes whole sectors

// recording has the disk requests of a store and the moments when batches were acknowledged.
type recording struct {
	base   []byte // the file at the beginning
	events []event
	states []map[string]string // states[i]: after i batches; by mod and key
}

type event struct {
	request
	acked int // of op "ack": so many batches are safe
}

// record writes random batches and records their disk requests and acknowledgements.
func record(t *testing.T, seed uint64, batches int, o bbolt.Options) *recording {
	r := rand.New(rand.NewPCG(seed, 1))
	path := filepath.Join(t.TempDir(), "store.db")
	require.NoError(t, create(path))
	base, err := os.ReadFile(path)
	require.NoError(t, err)
	rec := &recording{base: base, states: []map[string]string{{}}}
	var mu sync.Mutex // the kernel keeps the order, but the race detector does not know that
	note := func(e event) {
		mu.Lock()
		defer mu.Unlock()
		rec.events = append(rec.events, e)
	}
	disk(func(q request) unix.Errno {
		note(event{request: q})
		return q.pass()
	}).on(t, func() {
		f, err := openWith(path, o)
		if err != nil {
			panic(err)
		}
		for n := range batches {
			batch, after := randomBatch(r, rec.states[n])
			rec.states = append(rec.states, after)
			if err := f.commit(batch); err != nil {
				panic(err)
			}
			note(event{request: request{op: "ack"}, acked: n + 1})
		}
		if err := f.close(); err != nil {
			panic(err)
		}
	})
	return rec
}

// pass lets a request through if it has a visible effect.
func (q request) pass() unix.Errno {
	if q.op == "sync" {
		return done
	}
	return 0
}

// randomBatch returns 1 to 20 changes, and the contents after them.
func randomBatch(r *rand.Rand, before map[string]string) ([]store.Write, map[string]string) {
	after := maps.Clone(before)
	var batch []store.Write
	for range 1 + r.IntN(20) {
		c := store.Write{Mod: []string{"base", "ctf", "m"}[r.IntN(3)], Key: fmt.Sprint("key", r.IntN(60))}
		if name := c.Mod + " " + c.Key; r.IntN(4) == 0 {
			delete(after, name)
		} else {
			size := r.IntN(40)
			if r.IntN(10) == 0 {
				size = r.IntN(9000)
			}
			c.Value = append([]byte{1, 's', 0x80 | byte(size&0x7f), byte(size >> 7)}, make([]byte, size)...)
			for i := range size {
				c.Value[4+i] = byte(r.Uint32())
			}
			after[name] = string(c.Value)
		}
		batch = append(batch, c)
	}
	return batch, after
}

// cut returns the file after a power failure before event k. Synced data is there. Of the later
// data, any subset of the sectors is there.
func (rec *recording) cut(r *rand.Rand, k int) (image []byte, acked int) {
	image = append([]byte(nil), rec.base...)
	var pending []request
	for _, e := range rec.events[:k] {
		switch e.op {
		case "ack":
			acked = e.acked
		case "sync":
			for _, q := range pending {
				image = q.apply(image, func() bool { return true })
			}
			pending = nil
		default:
			pending = append(pending, e.request)
		}
	}
	chance := []float64{0, 0.1, 0.5, 0.9, 1}[r.IntN(5)]
	for _, q := range pending {
		image = q.apply(image, func() bool { return r.Float64() < chance })
	}
	return image, acked
}

// apply applies a request to an image. lucky decides for each sector and each truncate.
func (q request) apply(image []byte, lucky func() bool) []byte {
	reach := func(size int) {
		if size > len(image) {
			image = append(image, make([]byte, size-len(image))...)
		}
	}
	if q.op == "truncate" {
		if lucky() {
			reach(int(q.size))
		}
		return image
	}
	for at := 0; at < len(q.data); at += sector {
		part := q.data[at:min(at+sector, len(q.data))]
		if lucky() {
			reach(int(q.offset) + at + len(part))
			copy(image[int(q.offset)+at:], part)
		}
	}
	return image
}

// survives reports errors in a file after a power failure. The file must open, pass the check and
// accept another batch. It must show the state after one batch, not older than the newest
// acknowledged one.
func (rec *recording) survives(image []byte, acked int, path string) error {
	if err := os.WriteFile(path, image, 0o600); err != nil {
		return err
	}
	f, err := openWith(path, bbolt.Options{NoSync: true})
	if err != nil {
		return err
	}
	have, err := contents(f)
	if err == nil {
		err = fmt.Errorf("none of the states since batch %d is there", acked)
		for n := acked; n < min(acked+2, len(rec.states)); n++ {
			if maps.Equal(have, rec.states[n]) {
				err = nil
			}
		}
	}
	if err == nil {
		err = f.commit([]store.Write{{Mod: "m", Key: "again", Value: []byte{1, 't'}}})
	}
	if closed := f.close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	report, err := Check(path)
	if err == nil && len(report.Problems) > 0 {
		err = fmt.Errorf("not sound: %s", report.Problems[0])
	}
	return err
}

// contents returns everything in a file, by mod and key.
func contents(f *file) (map[string]string, error) {
	all := map[string]string{}
	for _, mod := range []string{"base", "ctf", "m"} {
		values, err := f.load(mod)
		if err != nil {
			return nil, err
		}
		for key, value := range values {
			all[mod+" "+key] = string(value)
		}
	}
	return all, nil
}

// cutAll cuts the power at random moments and returns the failures.
func (rec *recording) cutAll(t *testing.T, seed uint64, cuts int) (failures []error) {
	r := rand.New(rand.NewPCG(seed, 2))
	path := filepath.Join(t.TempDir(), "cut.db")
	for range cuts {
		k := r.IntN(len(rec.events) + 1)
		image, acked := rec.cut(r, k)
		if err := rec.survives(image, acked, path); err != nil {
			failures = append(failures, fmt.Errorf("seed %d, cut before event %d of %d: %w", seed, k, len(rec.events), err))
		}
	}
	return failures
}

// TestPowerCuts checks that power failures lose no acknowledged batch and leave no unreadable file.
// TORC_KILLS=1000 runs the full test.
func TestPowerCuts(t *testing.T) {
	const each = 50
	for seed := range uint64(max(kills(t)/each, 2)) {
		rec := record(t, seed, 40, bbolt.Options{})
		for _, err := range rec.cutAll(t, seed, each) {
			t.Error(err)
		}
	}
}

// TestPowerCutHarnessDetectsLoss checks that the same power failures detect a store that does not
// sync.
func TestPowerCutHarnessDetectsLoss(t *testing.T) {
	rec := record(t, 1, 40, bbolt.Options{NoSync: true})
	require.NotEmpty(t, rec.cutAll(t, 1, 50))
}
