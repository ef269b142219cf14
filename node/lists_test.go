package node_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/netcore/seal"
	"github.com/torc-engine/torc/node"
)

// listAt serves a list.
func listAt(t *testing.T, answer http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return s.URL
}

// entryOf is a list with one server.
func entryOf(key byte, name string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`[{"key":"` + seal.Key{key}.String() + `","address":"192.0.2.1:5","via":":28000","name":"` + name + `","players":1,"max":8,"protocol":10,"seen":5}]`))
	}
}

// TestListed: the servers of several lists are one table, with the address that joins. A list that
// fails is named in one line, whatever it answers.
func TestListed(t *testing.T) {
	t.Parallel()
	one, two := listAt(t, entryOf(1, "one")), listAt(t, entryOf(2, "two"))
	table, err := node.Listed(t.Context(), []string{one, two + "/servers.json", one})
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(table, "#"), table)
	assert.Contains(t, table, "via:127.0.0.1:28000,192.0.2.1:5#"+seal.Key{1}.String())
	for says, answer := range map[string]http.HandlerFunc{
		"it has no servers.json (HTTP status 404)": http.NotFound,
		"it is no list of servers":                 func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>\x1b[2J")) },
		"it sends us elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://localhost.invalid/servers.json", http.StatusFound)
		},
		"it sends us on too often": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/servers.json", http.StatusFound) },
		"it has more than 8 MiB": func(w http.ResponseWriter, _ *http.Request) {
			for range 9 {
				_, _ = w.Write([]byte(strings.Repeat(" ", 1<<20)))
			}
		},
	} {
		bad := listAt(t, answer)
		table, err := node.Listed(t.Context(), []string{bad, one})
		assert.ErrorContains(t, err, says)
		assert.ErrorContains(t, err, bad)
		assert.NotContains(t, err.Error(), "\x1b")
		assert.Contains(t, table, "one")
		table, err = node.Listed(t.Context(), []string{bad})
		assert.Error(t, err)
		assert.Empty(t, table)
	}
	_, err = node.Listed(t.Context(), []string{"ftp://x"})
	assert.ErrorContains(t, err, "is no list: those are https://HOST[:PORT]")
	_, err = node.Listed(t.Context(), make([]string, 9))
	assert.EqualError(t, err, "there can be 8 lists")
}

// TestFavourites: a client keeps favourites in its data folder, which come first among the servers
// of lists.
func TestFavourites(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var mu sync.Mutex
	var printed []string
	c, err := node.NewClient(node.Config{
		Common: node.Common{Data: folder, Output: func(text string) { mu.Lock(); defer mu.Unlock(); printed = append(printed, text) }},
		Client: node.ClientConfig{Address: "127.0.0.1:9"},
	})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, c.Close()) })
	exec := func(line, says string) {
		t.Helper()
		out, err := c.Console().Exec(line)
		if err != nil {
			out = err.Error()
		}
		assert.Contains(t, out, says, line)
	}
	key := seal.Key{2}.String()
	exec("servers --list", "there is no list: use servers --list URL, or set lists")
	exec("servers all", "usage: servers")
	exec(`lists "ftp://x"`, "is no list")
	exec(`lists "`+strings.Repeat("a.example ", 9)+`"`, "there can be 8 lists")
	exec("favourite x", "a key must have 52 characters")
	exec("favourite "+key+" my server", "")
	exec("favourite "+key+" the server", "")
	exec("favourite", key+" the server")
	text, err := os.ReadFile(filepath.Join(folder, "favourites"))
	require.NoError(t, err)
	assert.Equal(t, key+" the server\n", string(text))
	exec(`lists "`+listAt(t, entryOf(1, "one"))+" "+listAt(t, entryOf(2, "two"))+`"`, "")
	exec("unfavourite "+seal.Key{1}.String(), "is no favourite")
	var many strings.Builder
	for i := range 501 {
		many.WriteString(seal.Key{byte(i), byte(i >> 8), 1}.String() + " x\n")
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "favourites"), []byte(many.String()), 0o600))
	for _, line := range []string{"favourite", "favourite " + key, "unfavourite " + seal.Key{1, 0, 1}.String(), "servers --list"} {
		exec(line, "favourites has 501 servers: must be at most 500")
	}
	left, err := os.ReadFile(filepath.Join(folder, "favourites"))
	require.NoError(t, err)
	assert.Equal(t, many.String(), string(left), "none is lost")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "favourites"), text, 0o600))

	require.NoError(t, c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(t.Context()) }()
	require.NoError(t, c.Do(func() { _, err = c.Console().Exec("servers --list") }))
	require.NoError(t, err)
	table := ""
	for limit := testenv.Limit(t); table == ""; testenv.Pause() {
		require.False(t, testenv.Expired(limit))
		mu.Lock()
		for _, p := range printed {
			if strings.Contains(p, "FINGERPRINT") {
				table = p
			}
		}
		mu.Unlock()
	}
	assert.Less(t, strings.Index(table, "two (no mission, favourite"), strings.Index(table, "one (no mission"))
	require.NoError(t, c.Do(func() { _, err = c.Console().Exec("unfavourite " + key) }))
	require.NoError(t, err)
	require.NoError(t, c.Do(func() { c.Quit("") }))
	<-ended
}
