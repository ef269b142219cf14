package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/node"
)

// recordMatch records some seconds of a server with bots, and returns the file.
func recordMatch(t *testing.T, ticks uint64) string {
	t.Helper()
	data := t.TempDir()
	s, err := node.NewServer(node.Config{
		Common: node.Common{Version: version, Name: "my server", Data: data, Vars: []node.Var{{Name: "sv.bots", Value: "4"}, {Name: "sv.timeScale", Value: "4"}}},
		Server: node.ServerConfig{Load: []string{"ctf"}, Mission: "valley"},
	})
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Start())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(t.Context()) }()
	wait := func(ticks uint64) {
		for limit, on := testenv.Limit(t), false; !on; testenv.Pause() {
			require.NoError(t, s.Do(func() { on = s.Host().TickNumber() >= ticks }))
			require.False(t, testenv.Expired(limit))
		}
	}
	exec := func(line string) {
		require.NoError(t, s.Do(func() {
			_, err := s.Console().Exec(line)
			require.NoError(t, err)
		}))
	}
	wait(20)
	exec("record a")
	wait(40)
	exec("say good luck")
	exec(`import("base").messageAll("MsgAny", "Gear\n1  light")`)
	var said uint64
	require.NoError(t, s.Do(func() { said = s.Host().TickNumber() }))
	wait(said + ticks)
	exec("record stop")
	require.NoError(t, s.Close())
	require.NoError(t, <-ended)
	return filepath.Join(data, "demos", "a.torc")
}

// TestReplayPrintsASummary runs through a demo, and through one that is cut or damaged or none.
func TestReplayPrintsASummary(t *testing.T) {
	t.Parallel()
	file := recordMatch(t, 200)
	replayed := func(args ...string) (status int, out, errs string) {
		var stdout, stderr bytes.Buffer
		status = run(append([]string{"replay", "--data", t.TempDir()}, args...), &stdout, &stderr)
		return status, stdout.String(), stderr.String()
	}
	status, out, errs := replayed("--headless", file)
	assert.Zero(t, status, errs)
	for _, want := range []string{"my server", "the server, with everybody", "valley", "ctf", "Abacus", "good luck"} {
		assert.Contains(t, out, want)
	}
	length := regexp.MustCompile(`length +([0-9]:[0-9]{2})`).FindStringSubmatch(out) // a busy machine ends the recording late
	require.NotNil(t, length, out)
	gear := regexp.MustCompile(`(?m)^([0-9]:[0-9]{2})  Gear\n {8}1  light$`).FindStringSubmatch(out)
	require.NotNil(t, gear, out)
	assert.Less(t, gear[1], length[1])
	_, later, errs := replayed("--headless", "--seek", length[1], file)
	assert.Contains(t, later, length[0], errs)
	assert.NotContains(t, later, "good luck", "the summary begins at --seek")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	cut := filepath.Join(t.TempDir(), "cut.torc")
	require.NoError(t, os.WriteFile(cut, whole[:len(whole)-10], 0o600))
	status, out, errs = replayed(cut)
	assert.Equal(t, failed, status)
	assert.Contains(t, out, "my server", "everything before plays")
	end := regexp.MustCompile(`^torc: the demo ends at ([0-9]:[0-9]{2}): the demo is cut off\n$`).FindStringSubmatch(errs)
	require.NotNil(t, end, errs)
	assert.LessOrEqual(t, end[1], length[1])
	assert.Greater(t, end[1], gear[1], "everything before plays")

	require.NoError(t, os.WriteFile(cut, []byte("not a demo"), 0o600))
	_, _, errs = replayed(cut)
	assert.Equal(t, "torc: "+cut+" is neither a journal nor a demo of torc\n", errs)
	for _, c := range [][]string{{"--speed", "17", file}, {"--seek", "1:99", file}, {"--until", "9", file}, {file + "x"}, nil} {
		status, _, errs := replayed(c...)
		assert.Equal(t, misused, status, errs)
	}
}
