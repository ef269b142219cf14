package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/internal/testenv"
)

// sshKey makes a key with ssh-keygen, and returns its path and its line.
func sshKey(t *testing.T, name string) (path, line string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	out, err := testenv.Output(t, exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", path))
	require.NoError(t, err, string(out))
	text, err := os.ReadFile(path + ".pub")
	require.NoError(t, err)
	return path, strings.TrimSpace(string(text))
}

// TestSSH uses the console of a server with the ssh of OpenSSH: a prompt in a terminal, and single
// lines.
func TestSSH(t *testing.T) {
	t.Parallel()
	client, err := exec.LookPath("ssh")
	if err != nil {
		t.Skip("ssh is not installed")
	}
	ann, annLine := sshKey(t, "ann")
	mo, moLine := sshKey(t, "mo")
	eve, _ := sshKey(t, "eve")
	dir := shortDir(t)
	keys := file(t, "keys", `role="admin" `+annLine+"\n"+`role="moderator" `+moLine+"\n")
	server := start(t, "serve", "--listen", "127.0.0.1:0", "--data", dir, "--ssh", "127.0.0.1:0", "--ssh-keys", keys)
	words := strings.Fields(server.expect("ssh console at "))
	host, port, err := net.SplitHostPort(words[3])
	require.NoError(t, err)
	server.expect("listening on ")
	server.say(`role.allow moderator say`)

	known := filepath.Join(t.TempDir(), "known")
	ssh := func(key string, args ...string) *exec.Cmd {
		return exec.Command(client, append([]string{"-F", "none", "-p", port, "-i", key, "-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none",
			"-o", "StrictHostKeyChecking=accept-new", "-o", "UserKnownHostsFile=" + known, "-o", "BatchMode=yes", "-o", "LogLevel=ERROR"}, args...)...)
	}
	p := sitAt(t, 80, ssh(ann, "-tt", "any@"+host))
	p.usesPrompt(server)
	p.types("\x1b[A\x1b[A")
	p.sees("torc> status ^C", "torc> 1 + 1")
	p.types("\x03")
	p.sees("torc> 1 + 1^C", "torc>")
	p.types("\x03")
	p.sees("(press again to quit)", "torc>")
	p.types("\x03")
	p.ends(ended)
	assert.Equal(t, p.found, p.mode(), "the terminal is as it was")

	for _, c := range []struct {
		key, line, out string
		status         int
	}{
		{ann, "1 + 1", "2\n", 0},
		{ann, "nothing.x", "error: console:1: undefined global 'nothing'\n", 1},
		{ann, "backup night.db", filepath.Join(dir, "backups", "night.db") + "\n", 0},
		{ann, `backup "../x"`, "error: backup name \"../x\": must be 1 to 64 letters, digits and _ . -, for example store-1.db; the file goes to backups in the data folder\n", 1},
		{mo, "say good evening", "", 0},
		{mo, "status", "error: you cannot run \"status\": help lists your commands\n", 1},
		{eve, "status", "any@" + host + ": Permission denied (publickey).\r\n", 255},
	} {
		cmd := ssh(c.key, "any@"+host, c.line)
		out, _ := cmd.CombinedOutput()
		assert.Equal(t, c.out, string(out), c.line)
		assert.Equal(t, c.status, cmd.ProcessState.ExitCode(), c.line)
	}
	cmd := ssh(ann, "any@"+host)
	cmd.Stdin = strings.NewReader("function f()\nreturn 7\nend\nf()\n")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err)
	assert.Equal(t, "7\n", string(out))

	server.quits()
	audit, err := os.ReadFile(filepath.Join(dir, "audit.log"))
	require.NoError(t, err)
	assert.Regexp(t, `"by":"ssh ann \(SHA256:\S+, admin\)","did":"connected from 127\.0\.0\.1:\d+"`, string(audit))
	assert.Regexp(t, `"by":"ssh mo \(SHA256:\S+, moderator\)","did":"status","error":"you cannot run`, string(audit))
	info, err := os.Stat(filepath.Join(dir, "ssh_host_key"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	text, err := os.ReadFile(known)
	require.NoError(t, err)
	print, err := testenv.Output(t, exec.Command("ssh-keygen", "-l", "-f", known))
	require.NoError(t, err)
	assert.Contains(t, string(print), words[5], "the fingerprint is that of the key: %s", text)
}
