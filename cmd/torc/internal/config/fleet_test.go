package config

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFleet reads the flags of a fleet from the command line and from the file. Mistakes get one
// sentence, which has no password.
func TestFleet(t *testing.T) {
	creds := filepath.Join(t.TempDir(), "creds")
	require.NoError(t, os.WriteFile(creds, nil, 0o600))
	open := filepath.Join(t.TempDir(), "open")
	require.NoError(t, os.WriteFile(open, nil, 0o600))
	require.NoError(t, os.Chmod(open, 0o644))
	urls := []string{"tls://a:4222", "tls://b:4222"}
	table := write(t, "torc.toml", "fleet = ['tls://a:4222', 'tls://b:4222']\nfleet-creds = '"+filepath.ToSlash(creds)+"'\nas = 'arena-1'\nadvertise = 'game.example.org:28000'\n")
	for _, args := range [][]string{
		{"--fleet", "tls://a:4222,tls://b:4222", "--fleet-creds", creds, "--as", "arena-1", "--advertise", "game.example.org:28000"},
		{"--fleet", "tls://a:4222", "--fleet", "tls://b:4222", "--fleet-creds", creds, "--as", "arena-1", "--advertise", "game.example.org:28000"},
		{"--config", table},
	} {
		o, err := parse[*Serve](append([]string{"serve"}, args...), noEnv)
		require.NoError(t, err)
		assert.Equal(t, urls, o.Fleet.URLs)
		assert.Equal(t, filepath.ToSlash(creds), filepath.ToSlash(o.Fleet.Creds))
		assert.Equal(t, [3]string{"", "arena-1", "game.example.org:28000"}, [3]string{o.Fleet.Prefix, o.As, o.Advertise})
	}
	for _, c := range []struct {
		why  string
		args []string
	}{
		{"nats://10.0.0.1:4222 encrypts nothing: use tls://, or --fleet-plain", []string{"--fleet", "nats://ann:swordfish@10.0.0.1:4222"}},
		{"", []string{"--fleet", "nats://10.0.0.1:4222", "--fleet-plain"}},
		{"", []string{"--fleet", "nats://127.0.0.1:4222"}},
		{"must begin with nats:// or tls://", []string{"--fleet", "http://ann:swordfish@10.0.0.1"}},
		{"is not a prefix", []string{"--fleet", "nats://localhost:1", "--fleet-prefix", "A b"}},
		{"--as and --advertise need --fleet URL", []string{"--as", "arena-1"}},
		{"--fleet-creds and --fleet-plain need --fleet URL", []string{"--fleet-creds", creds}},
		{"can be read by other users: run chmod 600", []string{"--fleet", "nats://localhost:1", "--fleet-creds", open}},
		{"no such file", []string{"--fleet", "nats://localhost:1", "--fleet-creds", creds + "x"}},
	} {
		if runtime.GOOS == "windows" && c.args[len(c.args)-1] == open {
			continue
		}
		_, err := parse[*Serve](append([]string{"serve"}, c.args...), noEnv)
		if c.why == "" {
			assert.NoError(t, err, c.args)
			continue
		}
		require.ErrorContains(t, err, c.why, c.args)
		assert.NotContains(t, err.Error(), "swordfish")
		assert.NotContains(t, err.Error(), "\n")
	}
	o, err := parse[*Serve]([]string{"serve", "--fleet", "nats://127.0.0.1:4222"}, noEnv)
	require.NoError(t, err)
	assert.Regexp(t, `^[a-z0-9-]{1,32}$`, o.As, "the host name")
	_, err = parse[*FleetLook]([]string{"fleet"}, noEnv)
	require.EqualError(t, err, "torc fleet needs NATS servers: torc fleet --fleet URL")
	look, err := parse[*FleetLook]([]string{"fleet", "targets", "--fleet", "nats://127.0.0.1:4222"}, noEnv)
	require.NoError(t, err)
	assert.Equal(t, []string{"targets"}, look.Args())
	look, err = parse[*FleetLook]([]string{"fleet", "restore", "a.db", "b.db", "--fleet", "nats://127.0.0.1:4222"}, noEnv)
	require.NoError(t, err)
	assert.Equal(t, []string{"a.db", "b.db"}, look.Restore)
	_, err = parse[*FleetLook]([]string{"fleet", "restore", "--fleet", "nats://127.0.0.1:4222"}, noEnv)
	require.EqualError(t, err, "torc fleet restore needs the files of servers: torc fleet restore FILE… --fleet URL")
}
