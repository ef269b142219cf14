package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
)

// keeper makes a folder of mods with a mod that stores a number.
func keeper(t *testing.T) string {
	return mod(t, "keeper", map[string]string{
		"mod.toml": "name = 'keeper'\nversion = '1.0.0'\n",
		"server/init.lua": `
			echo("it was " .. tostring(store:get("n")))
			addCommand{name = "keep", run = function(_, v)
				store:put("n", tonumber(v), function(ok, err) echo("kept " .. v .. " " .. tostring(ok)) end)
			end}`,
	})
}

// TestStoragePersistsAcrossRestarts kills a server and then quits it. Values reported as safe
// persist after a kill, and the latest values persist after a quit.
func TestStoragePersistsAcrossRestarts(t *testing.T) {
	t.Parallel()
	args := []string{"--mods", keeper(t), "--mod", "keeper", "--data", shortDir(t)}
	p := startWith(t, "", nil, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	p.expect("it was nil")
	p.expect("listening on ")
	p.say("keep 7")
	p.lines("kept 7 true")
	p.say(`store`, `store keeper`)
	p.lines(`keeper 36 1`, `"n" 3 7`)
	p.kill()
	p.ends(-1)

	p = start(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	p.expect("it was 7")
	p.expect("listening on ")
	p.say("keep 8", "quit")
	p.ends(ended)

	p = start(t, append([]string{"play"}, args...)...)
	p.expect("it was 8")
	p.expect("connected to ")
	p.say("keep 9", "client store", "quit")
	p.ends(ended)
	p = start(t, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	p.expect("it was 9")
}

// shortDir returns a folder whose path is short enough for a socket.
func shortDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "torc")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// toolsOn runs torc backup and torc check on a data folder.
func toolsOn(t *testing.T, dir string) {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy.db")
	var out, errs bytes.Buffer
	require.Equal(t, ended, run([]string{"backup", "--data", dir, to}, &out, &errs), errs.String())
	assert.Regexp(t, `^`+to+`: \d+ bytes\n$`, out.String())
	out.Reset()
	require.Equal(t, ended, run([]string{"check", to}, &out, &errs), errs.String())
	assert.Equal(t, "keeper: 1 keys, 4 bytes\n"+to+": no damage found\n", out.String())
	out.Reset()
	require.Equal(t, ended, run([]string{"check", "--data", dir}, &out, &errs), errs.String())
	assert.Equal(t, "keeper: 1 keys, 4 bytes\n"+filepath.Join(dir, "store.db")+": no damage found\n", out.String())
	assert.Equal(t, failed, run([]string{"backup", "--data", dir, filepath.Join(dir, "..", filepath.Base(dir), "store.db")}, &out, &errs))
	assert.Equal(t, "torc: "+filepath.Join(dir, "store.db")+" is the store itself: name another file\n", errs.String())
	names, err := os.ReadDir(filepath.Join(dir, "backups"))
	if err == nil {
		assert.Empty(t, names, "nothing is left behind")
	}
}

func TestBackupAndCheck(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	p, _, _ := serveOn(t, "--mods", keeper(t), "--mod", "keeper", "--data", dir)
	p.say("keep 7")
	p.expect("kept 7")
	toolsOn(t, dir)
	p.say("backup night.db")
	p.lines(filepath.Join(dir, "backups", "night.db"))
	p.say(`backup "../x"`)
	assert.Contains(t, p.line(), `error: backup name "../x": must be 1 to 64`)
	p.say("backup a b")
	p.lines("error: usage: backup [FILE]")
	p.say("backup")
	auto := p.line()
	assert.Regexp(t, `auto-\d{8}-\d{6}\.db$`, auto)
	require.NoError(t, os.Remove(auto))
	_, err := os.Stat(filepath.Join(dir, "backups", "night.db"))
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(dir, "backups", "night.db")))
	p.quits()
	toolsOn(t, dir)

	var out, errs bytes.Buffer
	path := filepath.Join(dir, "store.db")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, text[:len(text)/2], 0o600))
	assert.Equal(t, failed, run([]string{"check", "--data", dir}, &out, &errs))
	assert.Contains(t, errs.String(), "torc: the store "+path+" is damaged: it is truncated")
	q := start(t, "serve", "--listen", "127.0.0.1:0", "--data", dir)
	q.ends(failed)
	assert.Contains(t, q.err.String(), "is damaged: it is truncated")
	assert.Contains(t, q.err.String(), "replace it with a backup")

	errs.Reset()
	assert.Equal(t, failed, run([]string{"backup", "--data", t.TempDir(), "x"}, &out, &errs))
	assert.Contains(t, errs.String(), "has no store: name another with --data DIR")
	assert.Equal(t, misused, run([]string{"backup"}, &out, &errs))
}

func TestBackupOptions(t *testing.T) {
	o := read[*config.Check](t, "check", "file")
	assert.Equal(t, "file", o.File)
	_, all, err := config.Parse([]string{"check"}, func(name string) (string, bool) { return "/x", name == "TORC_DATA" })
	require.NoError(t, err)
	assert.Equal(t, "/x", all.(*config.Check).Data)
}
