package store

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/script/store"
)

// storerEnv names the file that the process of TestKills writes.
const storerEnv = "TORC_TEST_STORER"

func TestMain(m *testing.M) {
	testenv.EndWithParent()
	if path := os.Getenv(storerEnv); path != "" {
		storeForEver(path)
	}
	testenv.InMemory()
	os.Exit(m.Run())
}

// kills returns the number of kills and power failures, set by TORC_KILLS.
func kills(t *testing.T) int {
	text := os.Getenv("TORC_KILLS")
	if text == "" {
		return testenv.Length(20, 200)
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// nth returns the n-th batch of the killed process: its number under "n", and some values computed
// from it.
func nth(n int) []store.Write {
	value := func(n int) []byte { return binary.AppendVarint([]byte{1, 'i'}, int64(n)) }
	batch := []store.Write{{Mod: "m", Key: "n", Value: value(n)}}
	r := rand.New(rand.NewPCG(uint64(n), 3))
	for range r.IntN(30) {
		c := store.Write{Mod: "m", Key: fmt.Sprint("k", r.IntN(100))}
		if r.IntN(3) > 0 {
			c.Value = value(n)
		}
		batch = append(batch, c)
	}
	return batch
}

// after applies the batches after before, up to n.
func after(have map[string]string, before, n int) {
	for i := before + 1; i <= n; i++ {
		for _, c := range nth(i) {
			if c.Value == nil {
				delete(have, c.Key)
			} else {
				have[c.Key] = string(c.Value)
			}
		}
	}
}

// number returns the number of the last batch in a file.
func number(values map[string][]byte) int {
	if values["n"] == nil {
		return 0
	}
	n, _ := binary.Varint(values["n"][2:])
	return int(n)
}

// storeForEver writes one batch after the other and prints each acknowledgement. Two batches are in
// flight.
func storeForEver(path string) {
	s, err := Open(path, quiet())
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	values, err := s.Load("m")
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	n := number(values)
	first := n
	for {
		for n-first < 2 {
			n++
			s.Commit(nth(n))
		}
		for _, o := range s.Done() {
			if o.Err != nil {
				fmt.Println("error:", o.Err)
				os.Exit(1)
			}
			first++
			fmt.Println(first)
		}
		time.Sleep(50 * time.Microsecond)
	}
}

// TestKills kills a storing process at random moments, always with the same file. Each time, all
// acknowledged batches are there, and each other batch is there completely or not at all.
// TORC_KILLS=1000 runs the full test.
func TestKills(t *testing.T) {
	exe, err := os.Executable()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "store.db")
	r := rand.New(rand.NewPCG(1, 1))
	want, shown := map[string]string{}, 0
	for kill := range kills(t) {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), storerEnv+"="+path)
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, testenv.Start(t, cmd))
		lines := bufio.NewReader(out)
		acked, line := shown, ""
		if r.IntN(8) > 0 { // else while it opens the file
			line, err = lines.ReadString('\n')
			require.NoError(t, err)
		}
		time.Sleep(time.Duration(r.IntN(10_000)) * time.Microsecond)
		require.NoError(t, cmd.Process.Kill())
		for {
			if line != "" {
				acked, err = strconv.Atoi(line[:len(line)-1])
				require.NoError(t, err, "%q", line)
			}
			if line, err = lines.ReadString('\n'); err != nil {
				require.ErrorIs(t, err, io.EOF)
				break
			}
		}
		assert.Error(t, cmd.Wait())
		f, err := open(path)
		require.NoError(t, err, "kill %d", kill)
		values, err := f.load("m")
		require.NoError(t, err)
		require.NoError(t, f.close())
		n := number(values)
		require.GreaterOrEqual(t, n, acked, "kill %d", kill)
		require.LessOrEqual(t, n, acked+2, "kill %d", kill)
		after(want, shown, n)
		shown = n
		have := map[string]string{}
		for key, value := range values {
			have[key] = string(value)
		}
		require.Equal(t, want, have, "kill %d", kill)
		report, err := Check(path)
		require.NoError(t, err)
		require.Empty(t, report.Problems)
	}
	t.Logf("%d batches, %d kills", shown, kills(t))
}
