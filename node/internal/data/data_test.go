package data

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFolderIsPrivateAndLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b")
	first, err := Open(path, true)
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
	}
	_, err = Open(path, true)
	assert.ErrorContains(t, err, "another torc server uses the data folder "+path)

	client, err := Open(path, false)
	require.NoError(t, err, "a client locks nothing")
	require.NoError(t, client.Close())

	require.NoError(t, first.Close())
	second, err := Open(path, true)
	require.NoError(t, err)
	require.NoError(t, second.Close())
}

// TestOneClientHasTheIdentity: of the clients on one folder, one has the lock of the identity, also
// while a server uses the folder.
func TestOneClientHasTheIdentity(t *testing.T) {
	path := t.TempDir()
	open := func(server bool) *Folder {
		f, err := Open(path, server)
		require.NoError(t, err)
		return f
	}
	server, first, second := open(true), open(false), open(false)
	mine, err := first.LockIdentity()
	require.NoError(t, err)
	assert.True(t, mine)
	mine, err = second.LockIdentity()
	require.NoError(t, err)
	assert.False(t, mine)
	require.NoError(t, first.Close())
	mine, err = second.LockIdentity()
	require.NoError(t, err)
	assert.True(t, mine, "the first one has ended")
	require.NoError(t, errors.Join(second.Close(), server.Close()))
}

// TestExposedFolder checks that an existing folder keeps its permissions, and that a folder
// writable by others is distinguished from a readable one.
func TestExposedFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		return
	}
	path := t.TempDir()
	for mode, exposed := range map[os.FileMode]bool{0o700: false, 0o755: false, 0o770: true, 0o702: true, 0o777 | os.ModeSticky: true} {
		require.NoError(t, os.Chmod(path, mode))
		f, err := Open(path, false)
		require.NoError(t, err)
		assert.Equal(t, exposed, f.Exposed(), mode)
	}
}

func TestFolderErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	_, err := Open(path, false)
	assert.ErrorContains(t, err, "the data folder cannot be made")
}

// lines reads a file and refuses lines that say no.
func lines(path string) (all []string, err error) {
	err = Lines(path, func(line string) error {
		if line == "no" {
			return errors.New("not that")
		}
		all = append(all, line)
		return nil
	})
	return all, err
}

func TestLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "list")
	all, err := lines(path)
	require.NoError(t, err, "a file that is missing has none")
	assert.Empty(t, all)
	for text, want := range map[string][]string{
		"": nil, "\n": nil, "a\nb\n": {"a", "b"}, "a\r\n\r\nb\tc": {"a", "b\tc"}, "\x00\xff\n": {"\x00\xff"},
		"\ufeffa\n\ufeffb": {"a", "\ufeffb"},
	} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		all, err := lines(path)
		require.NoError(t, err)
		assert.Equal(t, want, all, "%q", text)
	}
	require.NoError(t, os.WriteFile(path, []byte("a\n\nno\n"), 0o600))
	_, err = lines(path)
	assert.EqualError(t, err, path+":3: not that")
	require.NoError(t, os.Truncate(path, maxFile+1))
	_, err = lines(path)
	assert.EqualError(t, err, path+" is larger than 16 MiB")
	_, err = lines(filepath.Dir(path))
	assert.EqualError(t, err, filepath.Dir(path)+" is not a file")
}

// TestSave checks that a saved file is replaced atomically, is accessible only to its owner, and
// leaves no temporary files.
func TestSave(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "list"), filepath.Join(dir, "other")
	require.NoError(t, os.WriteFile(other, []byte("theirs"), 0o600))
	if runtime.GOOS != "windows" {
		require.NoError(t, os.Symlink(other, path))
	}
	for _, text := range []string{"one\n", "", "two\n"} {
		require.NoError(t, Save(path, text))
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, text, string(got))
	}
	info, err := os.Lstat(path)
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		assert.Equal(t, os.FileMode(0o600), info.Mode(), "what was a link is a file")
	}
	text, err := os.ReadFile(other)
	require.NoError(t, err)
	assert.Equal(t, "theirs", string(text))

	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "folder", "x"), nil, 0o600))
	assert.Error(t, Save(filepath.Join(dir, "folder"), "text"))
	assert.Error(t, Save(filepath.Join(dir, "gone", "list"), "text"))
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, names, 3)
}

// TestLinks: what is kept on another volume is read there. A volume that is not mounted is an
// error, and never the begin of a new file.
func TestLinks(t *testing.T) {
	folder := t.TempDir()
	link, target := filepath.Join(folder, "bans"), filepath.Join(folder, "volume")
	if err := os.Symlink(target, link); err != nil {
		t.Skip(err) // Windows, without the right to make links
	}
	missing := link + " is a link to " + target + ", and there is nothing: is its volume mounted? To begin anew, remove the link"
	_, err := Read(link)
	assert.EqualError(t, err, missing)
	assert.NotErrorIs(t, err, os.ErrNotExist)
	assert.EqualError(t, Lines(link, func(string) error { return nil }), missing)
	require.NoError(t, os.WriteFile(target, []byte("kept"), 0o600))
	text, err := Read(link)
	require.NoError(t, err)
	assert.Equal(t, "kept", string(text))
	there, err := Exists(filepath.Join(folder, "nothing"))
	require.NoError(t, err)
	assert.False(t, there)
}
