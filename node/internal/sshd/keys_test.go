package sshd

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

// newKey returns a key, and its line without options.
func newKey(t *testing.T) (ssh.Signer, string) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	signer, err := ssh.NewSignerFromSigner(private)
	require.NoError(t, err)
	return signer, lineOf(t, signer.PublicKey())
}

func lineOf(t *testing.T, public any) string {
	key, ok := public.(ssh.PublicKey)
	if !ok {
		var err error
		key, err = ssh.NewPublicKey(public)
		require.NoError(t, err)
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}

// keyFile writes a file of keys.
func keyFile(t *testing.T, lines ...string) string {
	path := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	return path
}

func TestKeys(t *testing.T) {
	ann, annLine := newKey(t)
	_, bobLine := newKey(t)
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	path := keyFile(t, "# people", "", `role="admin" `+annLine+" Ann  A\x1b", "  role=moderator "+bobLine, `role="x" `+lineOf(t, &curve.PublicKey)+"\r")
	keys, err := readKeys(path)
	require.NoError(t, err)
	require.Len(t, keys, 3)
	k, known := find(keys, ann.PublicKey())
	require.True(t, known)
	assert.Equal(t, "admin", k.role)
	assert.Equal(t, `Ann A\x1b`, k.name)
	assert.Equal(t, "moderator", keys[1].role)
	assert.Equal(t, "-", keys[1].name)
	stranger, _ := newKey(t)
	_, known = find(keys, stranger.PublicKey())
	assert.False(t, known)

	none, err := readKeys(filepath.Join(t.TempDir(), "none"))
	assert.NoError(t, err)
	assert.Empty(t, none)
	require.NoError(t, os.Chmod(path, 0o620))
	_, err = readKeys(path)
	assert.ErrorContains(t, err, "other users can add keys")
}

// TestWrongKeys checks that a wrong line is an error with its number, also if another line is
// right.
func TestWrongKeys(t *testing.T) {
	_, line := newKey(t)
	weak, err := rsa.GenerateKey(rand.Reader, 1024)
	require.NoError(t, err)
	signer, _ := newKey(t)
	certificate := &ssh.Certificate{Key: signer.PublicKey(), CertType: ssh.UserCert, ValidBefore: ssh.CertTimeInfinity}
	require.NoError(t, certificate.SignCert(rand.Reader, signer))
	for wrong, want := range map[string]string{
		line:                                              "the role is missing",
		`role="" ` + line:                                 "the role is missing",
		`role="Admin" ` + line:                            "a role name must be",
		`role="a",role="admin" ` + line:                   "option \"role=",
		`role="admin",from="10.0.0.1" ` + line:            `option "from=`,
		`role="admin",cert-authority ` + line:             `option "cert-authority`,
		`command="x" ` + line:                             "option \"command=",
		`role="admin" ssh-ed25519 AAAA`:                   "must be role=",
		`role="admin"`:                                    "must be role=",
		`role="admin" ` + lineOf(t, certificate):          "a certificate is not a key",
		`role="admin" ` + lineOf(t, &weak.PublicKey):      "2048 bits or more",
		"role=\"a\" " + line + "\nrole=\"admin\" " + line: "has a line already",
		strings.Repeat("#\n", 5) + "words":                ":7: must be role=",
	} {
		_, good := newKey(t)
		keys, err := readKeys(keyFile(t, `role="admin" `+good, wrong))
		require.Error(t, err, wrong)
		assert.Contains(t, err.Error(), want, wrong)
		assert.Empty(t, keys)
	}
	var lines []string
	for range maxKeys + 1 {
		_, line := newKey(t)
		lines = append(lines, "role=a "+line)
	}
	_, err = readKeys(keyFile(t, lines...))
	assert.ErrorContains(t, err, "a file can have 256 keys")
}

func TestHostKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ssh_host_key")
	made, err := hostKey(path)
	require.NoError(t, err)
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
	read, err := hostKey(path)
	require.NoError(t, err)
	assert.Equal(t, made.PublicKey(), read.PublicKey())

	require.NoError(t, os.Chmod(path, 0o640))
	_, err = hostKey(path)
	assert.ErrorContains(t, err, "run chmod 600")
	require.NoError(t, os.Chmod(path, 0o600))
	require.NoError(t, os.WriteFile(path, []byte("torn"), 0o600))
	_, err = hostKey(path)
	assert.ErrorContains(t, err, "remove it to get a new one")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "torn", string(text), "it is not overwritten")
}
