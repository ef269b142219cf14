//go:build amd64 || arm64

package store

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestBackupsSurvivePowerCuts: a copy is synced when it is whole, and before it has its name. The
// name is synced, too, before anybody hears that there is a backup.
func TestBackupsSurvivePowerCuts(t *testing.T) {
	dir := t.TempDir()
	from := filepath.Join(dir, "store.db")
	filled(t, from)
	for _, c := range []struct {
		to   string
		copy func(to string) error
	}{
		{filepath.Join(dir, Folder, "copy.db"), func(string) error {
			s, err := Open(from, nil)
			if err != nil {
				return err
			}
			_, err = s.Backup(dir, "copy.db")
			return errors.Join(err, s.Close())
		}},
		{filepath.Join(dir, "other.db"), func(to string) error { return Copy(from, to) }},
		{filepath.Join(dir, "moved.db"), func(to string) error { return Move(filepath.Join(dir, "other.db"), to) }},
	} {
		type synced struct {
			path  string
			size  int64 // 0 of a folder
			named bool  // the copy has its name
		}
		var syncs []synced
		var failed error
		disk(func(q request) unix.Errno {
			if q.op != "sync" {
				return 0
			}
			path, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", q.fd))
			now := synced{path: path}
			if info, err := os.Stat(path); err == nil && !info.IsDir() {
				now.size = info.Size()
			}
			_, err := os.Stat(c.to)
			now.named = err == nil
			syncs = append(syncs, now)
			return done
		}).on(t, func() { failed = c.copy(c.to) })
		require.NoError(t, failed)
		info, err := os.Stat(c.to)
		require.NoError(t, err)
		folder, name := filepath.Split(c.to)
		require.GreaterOrEqual(t, len(syncs), 2, c.to)
		assert.Equal(t, []synced{
			{filepath.Join(folder, "."+name+".new"), info.Size(), false}, {filepath.Clean(folder), 0, true},
		}, syncs[len(syncs)-2:])
	}
}
