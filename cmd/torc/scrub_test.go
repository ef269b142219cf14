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

func TestJournalScrub(t *testing.T) {
	file, to := journalOf(t, bugFolder(t, rareBug)), filepath.Join(t.TempDir(), "clean.torcj")
	o, err := config.Parse([]string{"journal", "scrub", file, to}, os.LookupEnv)
	require.NoError(t, err)
	var out bytes.Buffer
	require.NoError(t, scrubJournal(o, &out))
	assert.Contains(t, out.String(), "the game is the recorded one")
	info, err := os.Stat(to)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	text, err := replays(t, "", to, "--check")
	require.NoError(t, err, text)
	assert.Regexp(t, `mark 1, tick \d+: fault in shop: `, text)
	assert.ErrorContains(t, scrubJournal(o, &out), "file exists")

	bad := filepath.Join(t.TempDir(), "bad")
	require.NoError(t, os.WriteFile(bad, []byte("hello"), 0o600))
	o.File, o.Out = bad, bad+".out"
	assert.ErrorContains(t, scrubJournal(o, &out), "this is no journal of torc")
	assert.NoFileExists(t, o.Out)
	_, err = config.Parse([]string{"journal", "scrub", file}, os.LookupEnv)
	assert.ErrorContains(t, err, "usage: torc journal scrub FILE OUT")
}
