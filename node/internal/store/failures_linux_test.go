//go:build amd64 || arm64

package store

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"

	"github.com/torc-engine/torc/script/store"
)

// failing makes a store with one failing disk request and returns the results of its batches. A
// failing write has written half of its data.
func failing(t *testing.T, path string, which int, with unix.Errno) (hit request, errs []error, want map[string]string) {
	require.NoError(t, create(path))
	n := 0
	want = map[string]string{}
	disk(func(q request) unix.Errno {
		if n++; n != which+1 {
			return q.pass()
		}
		hit = q
		if q.op == "write" {
			_, _ = unix.Pwrite(q.fd, q.data[:len(q.data)/2], q.offset)
		}
		return with
	}).on(t, func() {
		r := rand.New(rand.NewPCG(7, 7))
		f, err := open(path)
		if err != nil {
			panic(err)
		}
		for range 12 {
			batch, after := randomBatch(r, want)
			err := f.commit(batch)
			if errs = append(errs, err); err == nil {
				want = after
			}
		}
		_ = f.close()
	})
	return hit, errs, want
}

// TestEveryRequestToTheDiskFailsOnce fails each write, sync and truncate once, with each error. A
// full disk fails one batch. After any other error the store accepts nothing until the next start.
// Acknowledged data is there then, and the file passes the check.
func TestEveryRequestToTheDiskFailsOnce(t *testing.T) {
	for _, errno := range []unix.Errno{unix.ENOSPC, unix.EIO} {
		for which := 0; ; which++ {
			path := filepath.Join(t.TempDir(), "store.db")
			hit, errs, want := failing(t, path, which, errno)
			if hit.op == "" {
				assert.Greater(t, which, 40, "so many requests there are")
				break
			}
			name := fmt.Sprintf("%v of request %d, %s at %d", errno, which, hit.op, hit.offset)
			at := 0
			for errs[at] == nil {
				at++
			}
			meta := hit.op == "write" && hit.offset < 2*4096
			if errno == unix.ENOSPC && hit.op == "write" && !meta {
				require.ErrorContains(t, errs[at], "the disk is full: ", name)
				for _, err := range errs[at+1:] {
					require.NoError(t, err, name)
				}
			} else {
				for _, err := range errs[at:] {
					require.ErrorContains(t, err, "the disk failed, and the store takes no more writes until the server restarts: ", name)
					require.ErrorContains(t, err, errno.Error(), name)
				}
			}
			f, err := open(path)
			require.NoError(t, err, name)
			have, err := contents(f)
			require.NoError(t, err, name)
			require.NoError(t, f.close())
			if hit.op == "sync" || meta { // the failed batch may be there
				_, with := replay(at + 1)
				if !maps.Equal(have, want) {
					require.Equal(t, with, have, name)
				}
			} else {
				require.Equal(t, want, have, name)
			}
			report, err := Check(path)
			require.NoError(t, err, name)
			require.Empty(t, report.Problems, name)
		}
	}
}

// replay returns the first n batches of failing, and the contents after them.
func replay(n int) (batches [][]store.Write, after map[string]string) {
	r := rand.New(rand.NewPCG(7, 7))
	after = map[string]string{}
	for range n {
		var batch []store.Write
		batch, after = randomBatch(r, after)
		batches = append(batches, batch)
	}
	return batches, after
}

// TestFullDiskIsRetried checks that a store accepts later batches after the disk was full for a
// while.
func TestFullDiskIsRetried(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	require.NoError(t, create(path))
	var room atomic.Bool
	disk(func(q request) unix.Errno {
		if q.op == "write" && !room.Load() {
			return unix.ENOSPC
		}
		return q.pass()
	}).on(t, func() {
		f, err := openWith(path, bbolt.Options{})
		if err != nil {
			panic(err)
		}
		defer f.close()
		for range 3 {
			assert.ErrorContains(t, f.commit([]store.Write{put("k", number8(1))}), "the disk is full")
		}
		room.Store(true)
		assert.NoError(t, f.commit([]store.Write{put("k", number8(2))}))
	})
}
