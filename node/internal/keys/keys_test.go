package keys

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/netcore/seal"
)

func entropy(n byte) *rand.ChaCha8 { return rand.NewChaCha8([32]byte{n}) }

func key(t *testing.T, n byte) seal.Key {
	id, err := seal.NewIdentity(entropy(n))
	require.NoError(t, err)
	return id.Public
}

func TestIdentityIsCreatedOncePrivately(t *testing.T) {
	path := filepath.Join(t.TempDir(), "identity")
	made, err := Identity(path, entropy(1))
	require.NoError(t, err)
	read, err := Identity(path, entropy(2))
	require.NoError(t, err)
	assert.Equal(t, made, read, "the second run has the identity of the first")
	if runtime.GOOS != "windows" {
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	}
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, left, 1, "no temporary file stays behind")

	require.NoError(t, os.WriteFile(path, []byte("damaged"), 0o600))
	_, err = Identity(path, entropy(3))
	assert.ErrorContains(t, err, path)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "damaged", string(text), "a file that cannot be read is not overwritten")
	_, err = Identity(filepath.Join(path, "nowhere"), entropy(3))
	assert.Error(t, err)
	if runtime.GOOS != "windows" {
		require.NoError(t, os.Symlink("nowhere", path+"2"))
		_, err = Identity(path+"2", entropy(3))
		assert.ErrorContains(t, err, "the identity cannot be read", "a link to nowhere is not there, and cannot be made")
	}
}

// TestExposedIdentity checks that a key that other users can access is refused.
func TestExposedIdentity(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes there")
	}
	path := filepath.Join(t.TempDir(), "identity")
	made, err := Identity(path, entropy(1))
	require.NoError(t, err)
	for _, mode := range []os.FileMode{0o644, 0o640, 0o660, 0o602, 0o601} {
		require.NoError(t, os.Chmod(path, mode))
		_, err = Identity(path, entropy(1))
		assert.ErrorContains(t, err, fmt.Sprintf("%s has mode %04o", path, mode))
		assert.ErrorContains(t, err, "chmod 600")
	}
	for _, mode := range []os.FileMode{0o600, 0o400} {
		require.NoError(t, os.Chmod(path, mode))
		id, err := Identity(path, entropy(1))
		require.NoError(t, err)
		assert.Equal(t, made, id)
	}
}

func TestKnown(t *testing.T) {
	k, err := Parse("# a comment\n\nexample.org:28000 " + key(t, 1).String() + "\n[::1]:5 " + key(t, 2).String())
	require.NoError(t, err)
	again, err := Parse(k.Format())
	require.NoError(t, err)
	assert.Equal(t, k, again)

	news, err := k.Check("EXAMPLE.org:28000", key(t, 1))
	assert.NoError(t, err)
	assert.False(t, news)
	news, err = k.Check("other:1", key(t, 3))
	assert.NoError(t, err)
	assert.True(t, news, "first met: believed and remembered")
	assert.Contains(t, k.Format(), "other:1 "+key(t, 3).String())

	_, err = k.Check("other:1", key(t, 4))
	var changed *Changed
	require.ErrorAs(t, err, &changed)
	for _, part := range []string{key(t, 3).Fingerprint(), key(t, 4).Fingerprint(), "--accept-key " + key(t, 4).String()} {
		assert.Contains(t, err.Error(), part)
	}
	assert.Contains(t, k.Format(), "other:1 "+key(t, 3).String(), "a refused key changes nothing")
	require.NoError(t, k.Accept("other:1", key(t, 4)))
	news, err = k.Check("other:1", key(t, 4))
	assert.NoError(t, err)
	assert.False(t, news)
	for _, bad := range []string{"", "a b", "#a", " a", "a\nb"} {
		assert.Error(t, k.Accept(bad, key(t, 1)), "%q", bad)
	}
}

func TestParseNamesTheLine(t *testing.T) {
	good := "a:1 " + key(t, 1).String() + "\n"
	for text, want := range map[string]string{
		good + "b:1\n":         "line 2: a known server is an address and a key",
		good + good:            "line 2: a:1 is listed twice",
		"\n\n# x\nb:1 abcdefg": "line 4: a key must have 52 characters",
		good + "b:1 k x\n":     "line 2",
	} {
		_, err := Parse(text)
		assert.ErrorContains(t, err, want, "%q", text)
	}
}

func TestTrust(t *testing.T) {
	path := filepath.Join(t.TempDir(), "known_servers")
	met := 0
	trust := Trust(path, func(string, seal.Key) { met++ })
	require.NoError(t, trust("a:1", key(t, 1)))
	require.NoError(t, trust("a:1", key(t, 1)))
	assert.Equal(t, 1, met)
	assert.Error(t, Trust(path, nil)("a:1", key(t, 2)), "another run refuses the changed key")
	require.NoError(t, trust("a:1", key(t, 1)))
	require.NoError(t, os.WriteFile(path, []byte("nonsense\n"), 0o600))
	assert.ErrorContains(t, trust("a:1", key(t, 1)), "line 1", "a damaged list trusts nobody")
}

func TestTrustInMemory(t *testing.T) {
	met := 0
	trust := new(Known).Trust(func(string, seal.Key) { met++ })
	require.NoError(t, trust("a:1", key(t, 1)))
	require.NoError(t, trust("a:1", key(t, 1)))
	assert.Equal(t, 1, met)
	assert.ErrorAs(t, trust("a:1", key(t, 2)), new(*Changed))
	require.NoError(t, new(Known).Trust(nil)("a:1", key(t, 1)))
}

func FuzzParse(f *testing.F) {
	f.Add("a:1 mfrggzdfmztwq2lknnwg23tpobyxe43uov3ho6dzpi2dknrxha3q\n")
	f.Fuzz(func(t *testing.T, text string) {
		k, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(k.Format())
		require.NoError(t, err)
		require.Equal(t, k, again)
	})
}

func TestPassed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "passed")
	p, err := OpenPassed(path)
	require.NoError(t, err)
	assert.Empty(t, p.Keys)
	for n := range maxPassed + 2 {
		require.NoError(t, p.Add(seal.Key{byte(n), byte(n >> 8), 1}))
	}
	for range 2 {
		p, err = OpenPassed(path)
		require.NoError(t, err)
		require.Len(t, p.Keys, maxPassed)
		assert.Equal(t, seal.Key{2, 0, 1}, p.Keys[0], "the oldest go")
	}
	require.NoError(t, os.WriteFile(path, []byte("# a comment\n"+seal.Key{1}.String()+"\n"+seal.Key{2}.String()[:9]), 0o600))
	p, err = OpenPassed(path)
	require.NoError(t, err, "neither a comment nor a line that was cut off stops a start")
	assert.Equal(t, []seal.Key{{1}}, p.Keys)
}
