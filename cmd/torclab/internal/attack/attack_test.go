package attack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/node"
)

func init() { crowdMost = 5 * time.Minute } // the machine can be busy

// TestForeignAddresses checks that only servers at loopback addresses are attacked.
func TestForeignAddresses(t *testing.T) {
	for _, text := range []string{
		"", "10.0.0.1:28000", "192.168.1.1:1", "0.0.0.0:28000", "[::]:28000", "[2001:db8::1]:28000", "[fe80::1]:1", "example.com:28000",
		"127.0.0.1", "127.0.0.1:0", "127.0.0.1.example.com:1", "localhost.example.com:1", "[::ffff:10.0.0.1]:1", "127.0.0.1:28000#x",
	} {
		for _, inside := range []bool{false, true} {
			_, _, err := parseAddress(text, inside)
			var usage *flags.UsageError
			assert.ErrorAs(t, err, &usage, text)
		}
		if text != "" {
			assert.Error(t, Run(t.Context(), new(bytes.Buffer), Options{Server: text}), text)
		}
	}
	for _, text := range []string{"127.0.0.1:28000", "127.9.8.7:1", "[::1]:28000", "[::ffff:127.0.0.1]:1", "localhost:28000"} {
		_, _, err := parseAddress(text, false)
		assert.NoError(t, err, text)
	}
}

// TestRowsNameTheirProofs checks that each row is played, and that the tests exist that it names.
func TestRowsNameTheirProofs(t *testing.T) {
	proof := regexp.MustCompile(`^([a-z/]+)\.((?:Test|Fuzz)\w+)$`)
	for _, r := range Rows {
		assert.NotEmpty(t, r.Require, r.ID)
		assert.NotNil(t, r.play, r.ID)
		assert.True(t, !r.long || len(r.Proofs) > 0, "row %s is not in the short form, and no test holds it", r.ID)
		for _, p := range r.Proofs {
			m := proof.FindStringSubmatch(p)
			require.NotNil(t, m, p)
			assert.True(t, hasTest(t, m[1], m[2]), "row %s: there is no test %s", r.ID, p)
		}
	}
}

// hasTest reports whether a folder of the repository has a test.
func hasTest(t *testing.T, folder, name string) bool {
	files, err := filepath.Glob(filepath.Join("../../../..", folder, "*_test.go"))
	require.NoError(t, err)
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		if bytes.Contains(text, []byte("\nfunc "+name+"(")) {
			return true
		}
	}
	return false
}

// TestTable checks the two forms of the output.
func TestTable(t *testing.T) {
	r := Result{"A1", "a long requirement that does not fit into one line of the table", "3 things; and more", failed}
	var out bytes.Buffer
	require.NoError(t, show(&out, r, false))
	assert.Equal(t, "A1        FAIL     a long requirement that does not fit into one line    3 things; and more\n"+
		"                   of the table\n", out.String())
	out.Reset()
	require.NoError(t, show(&out, r, true))
	var back Result
	require.NoError(t, json.Unmarshal(out.Bytes(), &back))
	assert.Equal(t, r, back)
	assert.ErrorContains(t, Run(t.Context(), &out, Options{Rows: []string{"A31"}}), `no row "A31": the rows are 3, 6, 6-ipv6, 9, 16, `)
	out.Reset()
	require.NoError(t, Run(t.Context(), &out, Options{Rows: []string{"3"}, Short: true}), "a row that only tests hold in the short form")
	assert.Equal(t, 1, strings.Count(out.String(), " test "))
	out.Reset()
	require.NoError(t, Run(t.Context(), &out, Options{Server: "127.0.0.1:1", Rows: []string{"A24"}}))
	assert.Contains(t, out.String(), "not run", "a row that needs the suite's own server")
}

// local is a server in the process of the test.
type local struct {
	*node.Server
	logs, out buffer
	ended     chan error
}

// startLocal starts a server like that of the suite.
func startLocal(t *testing.T) *site {
	s, dir := &local{ended: make(chan error, 1)}, t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, modsFolder), 0o700))
	var err error
	s.Server, err = node.NewServer(node.Config{
		Common: node.Common{Name: "attacked", Password: password, Strict: true, Vars: []node.Var{{Name: "net.limitLoopback", Value: "true"}, {Name: "ctf.warmup", Value: "0"}}, Mods: []fs.FS{os.DirFS(filepath.Join(dir, modsFolder))}, Log: node.NewLogger(&s.logs, nil, "text"), Output: func(text string) { fmt.Fprintln(&s.out, text) }},
		Server: node.ServerConfig{Listen: "127.0.0.1:0", Load: []string{"ctf"}, MaxClients: 1000},
	})
	require.NoError(t, err)
	require.NoError(t, s.Start())
	go func() { s.ended <- s.Run(context.Background()) }()
	key := s.Key()
	at := &site{to: netip.MustParseAddrPort(s.Addr().String()), key: &key, password: password, server: s, dir: dir}
	t.Cleanup(func() { assert.NoError(t, at.close()) })
	return at
}

func (s *local) exec(line string) (out string, err error) {
	wrong := s.Do(func() { out, err = s.Console().Exec(line) })
	if err != nil {
		out = "error: " + err.Error()
	}
	return out, wrong
}

func (s *local) log() string    { return s.logs.String() }
func (s *local) output() string { return s.out.String() }
func (s *local) memory() int    { return 0 }
func (s *local) close() error   { return errors.Join(s.Close(), <-s.ended) }

// row returns a row of the table.
func row(t *testing.T, id string) *Row {
	rows, err := pick([]string{id})
	require.NoError(t, err)
	return rows[0]
}

// TestRows plays cheap rows against a server in this process. It does not require that they pass,
// because a busy machine can be too slow for the honest clients.
func TestRows(t *testing.T) {
	t.Parallel()
	at := startLocal(t)
	var err error
	at.crowd, err = newCrowd(at)
	require.NoError(t, err)
	for id, want := range map[string]string{
		"6":   `^\d+ half-open sessions from 16 addresses; [1-9]\d* honest joins, .*; [1-9]\d* packets from 64 addresses in .*; honest: 0 lost, .*, [1-9]\d* of [1-9]\d* lines answered`,
		"A24": `^[1-9]\d* packets from 64 addresses in .*; \d+ bytes/s of log; honest: 0 lost, `,
		"A26": `^[1-9]\d* requests whose answers find a closed port; honest: 0 lost, `,
	} {
		r := playRow(row(t, id), at, shortLength/2)
		assert.Equal(t, id, r.Row)
		r.Measured = regexp.MustCompile(`^(honest joins were refused: "no end after 10 s"; |packets per tick < 0.75; |lines without an answer; |an honest join took more than \w+; )+`).ReplaceAllString(r.Measured, "")
		assert.Regexp(t, want, r.Measured)
	}
}

// TestRowsCanFail checks that a row fails if an honest client is lost, and if a handler is
// suspended.
func TestRowsCanFail(t *testing.T) {
	t.Parallel()
	at := startLocal(t)
	var err error
	at.crowd, err = newCrowd(at)
	require.NoError(t, err)
	r := playRow(&Row{ID: "x", play: func(r *round) error {
		r.crowd.do(func() { _ = r.crowd.all[3].host.Dialer.Disconnect("") })
		r.crowd.until(crowdMost, func() bool { return r.crowd.all[3].over != "" })
		fmt.Fprintln(&r.server.(*local).logs, `msg="base: onTick is suspended for 10s"`)
		return errors.New("the attack failed")
	}}, at, shortLength/2)
	assert.Equal(t, failed, r.Result)
	assert.Contains(t, r.Measured, "the attack failed; honest clients were lost")
	assert.Contains(t, r.Measured, "a handler was suspended")
	assert.Contains(t, r.Measured, "honest: 1 lost")
}

// TestServerThatDoesNotStart checks that a row fails, and the suite goes on, if the server of the
// row does not start.
func TestServerThatDoesNotStart(t *testing.T) {
	s := &suite{ctx: t.Context()}
	got, err := s.one(&Row{ID: "x", site: func(context.Context, string) (*site, error) { return nil, errors.New("no memory") }})
	require.NoError(t, err)
	assert.Equal(t, Result{"x", "", "the server of the row does not start: no memory", failed}, got)
}

// TestEachAddressIsAStranger checks that the limits by address apply to the attackers: a ninth
// client of one loopback address is refused, and another address is not.
func TestEachAddressIsAStranger(t *testing.T) {
	t.Parallel()
	at := startLocal(t)
	bad := newCrew(at.to, at.key)
	defer bad.close()
	join := func(n byte) (why func() string) {
		c, err := bad.add(clientSpec{name: "Ann", password: password, from: netip.AddrFrom4([4]byte{127, 3, 3, n})})
		require.NoError(t, err)
		return func() (why string) {
			require.True(t, bad.until(time.Minute, func() bool { return c.playing() || c.over != "" }))
			bad.do(func() { why = c.over })
			return why
		}
	}
	var first []func() string
	for range 8 {
		first = append(first, join(1))
	}
	for _, why := range first {
		require.Empty(t, why())
	}
	assert.Equal(t, "too many connections from this address (8): the operator can raise sv.addressLimit", join(1)())
	assert.Empty(t, join(2)())
}
