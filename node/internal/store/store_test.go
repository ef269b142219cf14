package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/script/store"
)

func number8(n byte) []byte { return []byte{1, 'i', n} }

func put(key string, value []byte) store.Write {
	return store.Write{Mod: "m", Key: key, Value: value}
}

// ended waits for n outcomes.
func ended(t testing.TB, s *Store, n int) (all []store.Outcome) {
	for limit := testenv.Limit(t); len(all) < n && !testenv.Expired(limit); {
		all = append(all, s.Done()...)
		testenv.Pause()
	}
	require.Len(t, all, n)
	return all
}

func opened(t testing.TB, path string) *Store {
	s, err := Open(path, quiet())
	require.NoError(t, err)
	return s
}

func TestStoreKeepsBatchesInOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := opened(t, path)
	for i := range byte(10) {
		assert.Equal(t, uint64(i+1), s.Commit([]store.Write{put("a", number8(i)), put(fmt.Sprint("b", i), number8(i)), put(fmt.Sprint("b", i-1), nil)}))
	}
	for i, o := range ended(t, s, 10) {
		assert.Equal(t, store.Outcome{Batch: uint64(i + 1)}, o)
	}
	require.NoError(t, s.Close())
	require.NoError(t, s.Close(), "twice is as good as once")
	s.Commit([]store.Write{put("late", number8(1))})

	s = opened(t, path)
	values, err := s.Load("m")
	require.NoError(t, err)
	assert.Equal(t, map[string][]byte{"a": number8(9), "b9": number8(9)}, values)
	values, err = s.Load("other")
	require.NoError(t, err)
	assert.Equal(t, map[string][]byte{}, values)
	require.NoError(t, s.Close())
	if runtime.GOOS != "windows" {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
}

// TestPurge removes all values of a mod, and later changes of the batch hold. The sizes are those
// of the values without their checksums.
func TestPurge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := opened(t, path)
	other := store.Write{Mod: "other", Key: "k", Value: number8(1)}
	s.Commit([]store.Write{put("a", number8(1)), put("b", number8(2)), other})
	s.Commit([]store.Write{{Mod: "m", Purge: true}, {Mod: "nobody", Purge: true}, put("c", number8(3))})
	ended(t, s, 2)
	want := []store.Usage{store.UsageOf("m", map[string][]byte{"c": number8(3)}), store.UsageOf("other", map[string][]byte{"k": number8(1)})}
	all, err := s.Usage()
	require.NoError(t, err)
	assert.Equal(t, want, all)
	s.Commit([]store.Write{put("c", nil)})
	ended(t, s, 1)
	all, err = s.Usage()
	require.NoError(t, err)
	assert.Equal(t, want[1:], all, "a mod without values is not listed")
	require.NoError(t, s.Close())
	s = opened(t, path)
	values, err := s.Load("m")
	require.NoError(t, err)
	assert.Empty(t, values)
	require.NoError(t, s.Close())
}

// TestCloseFlushes checks that batches committed before Close are durable after it.
func TestCloseFlushes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := opened(t, path)
	for i := range byte(maxQueue) {
		s.Commit([]store.Write{put("k", number8(i))})
	}
	require.NoError(t, s.Close())
	s = opened(t, path)
	values, err := s.Load("m")
	require.NoError(t, err)
	assert.Equal(t, number8(maxQueue-1), values["k"])
	require.NoError(t, s.Close())
}

// TestQueueIsBounded checks that a full queue refuses further batches. Outcomes arrive in
// the order of the batches.
func TestQueueIsBounded(t *testing.T) {
	s := opened(t, filepath.Join(t.TempDir(), "store.db"))
	tx, err := s.file.db.Begin(true) // blocks all other writers
	require.NoError(t, err)
	for range maxQueue + 5 {
		s.Commit([]store.Write{put("k", number8(1))})
	}
	require.NoError(t, tx.Rollback())
	outcomes := ended(t, s, maxQueue+5)
	refused := 0
	for i, o := range outcomes {
		assert.Equal(t, uint64(i+1), o.Batch)
		if o.Err != nil {
			assert.ErrorIs(t, o.Err, errBehind)
			refused++
		}
	}
	assert.InDelta(t, 4.5, float64(refused), 0.5, "one may have been taken out of the queue")
	require.NoError(t, s.Close())
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	s := opened(t, path("used"))
	_, err := Open(path("used"), quiet())
	assert.EqualError(t, err, "the store "+path("used")+" is in use by another process: end that process, or name another folder with --data DIR")
	require.NoError(t, s.Close())

	require.NoError(t, os.WriteFile(path("text"), []byte(strings.Repeat("no store\n", 1000)), 0o600))
	_, err = Open(path("text"), quiet())
	assert.ErrorContains(t, err, path("text")+" is not a store, or is damaged (invalid database)")
	require.NoError(t, os.WriteFile(path("empty"), nil, 0o600))
	_, err = Open(path("empty"), quiet())
	assert.EqualError(t, err, path("empty")+" is empty: replace it with a backup")

	db, err := bbolt.Open(path("other"), 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	_, err = Open(path("other"), quiet())
	assert.EqualError(t, err, path("other")+" is not a store of torc")

	require.NoError(t, create(path("newer")))
	db, err = bbolt.Open(path("newer"), 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(about).Put(version, []byte("3")) }))
	require.NoError(t, db.Close())
	_, err = Open(path("newer"), quiet())
	assert.EqualError(t, err, path("newer")+` has store version "3": this torc reads version 2`)

	_, err = Open(filepath.Join(dir, "nowhere", "store.db"), quiet())
	assert.ErrorContains(t, err, "cannot be made")
	require.NoError(t, os.WriteFile(path("late.new"), []byte("half of a file"), 0o600))
	require.NoError(t, opened(t, path("late")).Close(), "what a start that was cut short has left is replaced")
}

func TestFailureLogIsRateLimited(t *testing.T) {
	var log bytes.Buffer
	s, err := Open(filepath.Join(t.TempDir(), "store.db"), slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	require.NoError(t, s.Close())
	now := time.Now()
	s.now = func() time.Time { return now }
	for range 5 {
		s.tell(task{err: errors.New("no")})
		now = now.Add(time.Second)
	}
	now = now.Add(logEvery)
	s.tell(task{changes: make([]store.Write, 3), err: errors.New("no")})
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	require.Len(t, lines, 2)
	assert.Contains(t, lines[1], "a batch of 3 changes is not stored: no (4 more since the last line)")
}

// filled makes a file with a deep tree of two mods.
func filled(t testing.TB, path string) {
	s := opened(t, path)
	for n := range 8 {
		var batch []store.Write
		for i := range 100 {
			value := append([]byte{1, 's', 100}, make([]byte, 100)...)
			batch = append(batch, store.Write{Mod: []string{"a", "b"}[n%2], Key: fmt.Sprint("key", n, ".", i), Value: value})
		}
		s.Commit(batch)
		ended(t, s, 1)
	}
	require.NoError(t, s.Close())
}

func TestCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	filled(t, path)
	report, err := Check(path)
	require.NoError(t, err)
	assert.Empty(t, report.Problems)
	require.Len(t, report.Mods, 2)
	assert.Equal(t, "a", report.Mods[0].Mod)
	assert.Equal(t, 400, report.Mods[0].Keys)

	s := opened(t, path)
	s.Commit([]store.Write{put("bad", []byte{1, 'x'}), put("good", number8(1)), put("new", []byte{7})})
	ended(t, s, 1)
	require.NoError(t, s.Close())
	report, err = Check(path)
	require.NoError(t, err)
	assert.Equal(t, []string{`m "bad": the stored value is damaged`, `m "new": the stored value has format 7, this torc reads up to 1: a newer torc wrote it`}, report.Problems)
	_, err = Check(path + ".not")
	assert.ErrorContains(t, err, "there is no store")
}

// TestCheckOfTheStructure: a file whose values are all intact can have lost a page, which bbolt
// would never use again. The check finds that, too. The offsets are those of bbolt's format 2.
func TestCheckOfTheStructure(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	filled(t, path)
	image, err := os.ReadFile(path)
	require.NoError(t, err)
	page := int(binary.NativeEndian.Uint32(image[24:]))
	meta := image[:page]
	if other := image[page : 2*page]; binary.NativeEndian.Uint64(other[64:]) > binary.NativeEndian.Uint64(meta[64:]) { // the later one counts
		meta = other
	}
	free := image[int(binary.NativeEndian.Uint64(meta[48:]))*page:]
	require.EqualValues(t, 0x10, binary.NativeEndian.Uint16(free[8:]), "it is the list of free pages")
	n := binary.NativeEndian.Uint16(free[10:])
	require.Positive(t, n)
	binary.NativeEndian.PutUint16(free[10:], n-1)
	require.NoError(t, os.WriteFile(path, image, 0o600))
	report, err := Check(path)
	require.NoError(t, err)
	require.Len(t, report.Problems, 1)
	assert.Contains(t, report.Problems[0], "unreachable unfreed")
}

// TestCheckOfDamagedFiles damages a file in any place. The check reports an error, a problem or
// nothing. It never panics, faults or loops forever.
func TestCheckOfDamagedFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	filled(t, path)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(1, 1))
	found := 0
	for range 5 * kills(t) {
		image := bytes.Clone(whole)
		switch r.IntN(4) {
		case 0:
			image = image[:r.IntN(len(image))]
		case 1:
			image[r.IntN(len(image))] ^= 1 << r.IntN(8)
		case 2: // the head of a page
			image[r.IntN(len(image)/4096)*4096+r.IntN(64)] = byte(r.Uint32())
		default: // a page in the place of another
			from, to := r.IntN(len(image)/4096), r.IntN(len(image)/4096)
			copy(image[to*4096:(to+1)*4096], image[from*4096:(from+1)*4096])
		}
		require.NoError(t, os.WriteFile(path, image, 0o600))
		report, err := Check(path)
		if err != nil || len(report.Problems) > 0 {
			found++
		}
		if f, err := openWith(path, bbolt.Options{NoSync: true}); err == nil {
			_, _ = f.load("a")
			_ = f.commit([]store.Write{{Mod: "a", Key: "key0.0", Value: number8(1)}})
			_ = f.close()
		}
	}
	assert.Greater(t, found, 0)
}

// TestPageCycles checks files whose pages form a cycle or share children. bbolt would loop forever
// on them.
func TestPageCycles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	filled(t, path)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	m, err := newestMeta(bytes.NewReader(whole))
	require.NoError(t, err)
	branches := 0
	for at := 2 * m.size; at < m.high*m.size; at += m.size {
		page := whole[at : at+m.size]
		if order.Uint16(page[8:]) != branchPage || order.Uint64(page) != at/m.size {
			continue
		}
		branches++
		for _, to := range []uint64{order.Uint64(page), order.Uint64(page[pageHeader+8:]), m.root, m.high, 1 << 60, 0} {
			image := bytes.Clone(whole)
			order.PutUint64(image[at+pageHeader+element+8:], to)
			require.NoError(t, os.WriteFile(path, image, 0o600))
			if err := inspect(path); err == nil { // the page was free
				continue
			}
			_, err = Check(path)
			assert.ErrorContains(t, err, "is damaged: page ")
			_, err = Open(path, quiet())
			assert.ErrorContains(t, err, "is damaged: page ")
			branches += 100
		}
	}
	assert.Greater(t, branches, 100)
	require.NoError(t, os.WriteFile(path, whole, 0o600))
	assert.NoError(t, inspect(path))
}

func TestFullDiskErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		full bool
	}{
		{&os.PathError{Op: "write", Err: syscall.ENOSPC}, true},
		{fmt.Errorf("x: %w", &os.PathError{Op: "write", Err: diskQuota}), true},
		{&os.PathError{Op: "sync", Err: syscall.ENOSPC}, false},
		{&os.PathError{Op: "write", Err: syscall.EIO}, false},
		{syscall.ENOSPC, false},
	} {
		assert.Equal(t, c.full, full(c.err), "%v", c.err)
	}
}

func TestBackupWhileItRuns(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, filepath.Join(dir, "store.db"))
	stop, stored, stopped := make(chan struct{}), make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(stopped)
		for n := 1; ; n++ {
			s.Commit(nth(n))
			for len(s.Done()) == 0 {
				testenv.Pause()
			}
			select {
			case <-stop:
				return
			case stored <- struct{}{}:
			default: // nobody has waited since the last batch
			}
		}
	}()
	for range 10 {
		<-stored // each backup is of other batches
		path, err := s.Backup(dir, "copy.db")
		require.NoError(t, err)
		assert.Equal(t, filepath.Join(dir, "backups", "copy.db"), path)
		report, err := Check(path)
		require.NoError(t, err)
		require.Empty(t, report.Problems)
		f, err := open(path)
		require.NoError(t, err)
		values, err := f.load("m")
		require.NoError(t, err)
		require.NoError(t, f.close())
		want, have := map[string]string{}, map[string]string{}
		after(want, 0, number(values))
		for key, value := range values {
			have[key] = string(value)
		}
		require.Equal(t, want, have, "it is the state after one batch")
	}
	close(stop)
	<-stopped
	require.NoError(t, s.Close())
	names, err := os.ReadDir(filepath.Join(dir, "backups"))
	require.NoError(t, err)
	assert.Len(t, names, 1, "nothing is left of what they were made of")
}

func TestBackupsStayInTheirFolder(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, filepath.Join(dir, "store.db"))
	for _, name := range []string{"", ".", "..", "../x", "a/b", "/tmp/x", `a\b`, `..\x`, `C:\x`, "C:x", "x:y", "a\x00b", ".x", "x.", "x ", "con/x",
		"a\nb", "é", strings.Repeat("x", 65), "~", "-x", "//host/x", "x/..", "./x"} {
		_, err := s.Backup(dir, name)
		assert.ErrorContains(t, err, "must be 1 to 64 letters", "%q", name)
	}
	if runtime.GOOS != "windows" {
		outside := filepath.Join(t.TempDir(), "outside")
		require.NoError(t, os.MkdirAll(outside, 0o700))
		require.NoError(t, os.Symlink(outside, filepath.Join(dir, "backups")))
		_, err := s.Backup(dir, "x")
		assert.Error(t, err, "a link that leads out is not followed")
		names, err := os.ReadDir(outside)
		require.NoError(t, err)
		assert.Empty(t, names)
	}
	require.NoError(t, s.Close())
}

func TestCopyAndMove(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "store.db"), filepath.Join(dir, "copy.db")
	filled(t, from)
	require.NoError(t, Copy(from, to))
	report, err := Check(to)
	require.NoError(t, err)
	assert.Empty(t, report.Problems)
	assert.Len(t, report.Mods, 2)
	require.NoError(t, Move(to, filepath.Join(dir, "moved.db")))
	_, err = os.Stat(to)
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = Check(filepath.Join(dir, "moved.db"))
	require.NoError(t, err)
	assert.ErrorContains(t, Copy(from, filepath.Join(dir, "no", "copy.db")), "the backup failed")
	assert.ErrorContains(t, Copy(to, from), "there is no store")
}

func BenchmarkCommit(b *testing.B) {
	for _, size := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("puts=%d", size), func(b *testing.B) {
			s := opened(b, filepath.Join(b.TempDir(), "store.db"))
			batch := make([]store.Write, size)
			for i := range batch {
				batch[i] = put(fmt.Sprint("key", i), append([]byte{1, 's', 100}, make([]byte, 100)...))
			}
			for b.Loop() {
				s.Commit(batch)
				for len(s.Done()) == 0 {
					runtime.Gosched() // a pause would be measured
				}
			}
			require.NoError(b, s.Close())
		})
	}
}

// TestStoreOfAnotherVolume: scores on a volume that is not mounted are not replaced by an empty
// store.
func TestStoreOfAnotherVolume(t *testing.T) {
	folder := t.TempDir()
	volume, path := filepath.Join(folder, "volume"), filepath.Join(folder, "store.db")
	require.NoError(t, os.Mkdir(volume, 0o700))
	scores := filepath.Join(volume, "scores.db")
	if err := os.Symlink(scores, path); err != nil {
		t.Skip(err) // Windows, without the right to make links
	}
	s := opened(t, scores)
	s.Commit([]store.Write{put("kills", number8(7))})
	require.NoError(t, s.Close())

	require.NoError(t, os.Rename(volume, volume+".away"))
	_, err := Open(path, quiet())
	assert.ErrorContains(t, err, "the store cannot be opened: "+path+" is a link to "+scores+", and there is nothing")

	require.NoError(t, os.Rename(volume+".away", volume))
	s = opened(t, path)
	values, err := s.Load("m")
	require.NoError(t, err)
	assert.Equal(t, map[string][]byte{"kills": number8(7)}, values)
	require.NoError(t, s.Close())
}
