package modpack

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const manifestText = "name = \"polite\"\nversion = \"1.0.0\"\npermissions = [\"console.kick\"]\n"

// polite is a small mod. Its files have times, modes and hidden neighbours that an archive leaves
// out.
func polite(at time.Time) fstest.MapFS {
	file := func(text string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(text), ModTime: at, Mode: 0o640}
	}
	return fstest.MapFS{
		"mod.toml": file(manifestText), "server/init.lua": file("function onChat() end\n"), "shared/a.lua": file(""),
		".git/config": file("secret"), ".luals/torc.lua": file("stubs"), "server/.swp": file("x"),
	}
}

// archiveOf packs entries as they are, to make archives that Pack would not.
func archiveOf(t *testing.T, entries ...tar.Header) []byte {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	require.NoError(t, err)
	w := tar.NewWriter(z)
	for _, h := range entries {
		text := h.Linkname
		if h.Typeflag == 0 {
			h.Typeflag, h.Linkname = tar.TypeReg, ""
			h.Size = max(h.Size, int64(len(text)))
		}
		require.NoError(t, w.WriteHeader(&h))
		if h.Size > 1<<20 {
			require.NoError(t, z.Close()) // the header alone must be refused
			return b.Bytes()
		}
		if h.Typeflag == tar.TypeReg {
			_, err := io.CopyN(w, io.MultiReader(strings.NewReader(text), zeros{}), h.Size)
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	require.NoError(t, z.Close())
	return b.Bytes()
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// manifestOf is the entry of a manifest.
func manifestOf(name string) tar.Header {
	return tar.Header{Name: name + "/mod.toml", Linkname: strings.ReplaceAll(manifestText, "polite", name)}
}

func writeArchive(t *testing.T, b []byte) string {
	file := filepath.Join(t.TempDir(), "mod.tar.gz")
	require.NoError(t, os.WriteFile(file, b, 0o600))
	return file
}

func install(t *testing.T, folder, source string, replace bool) error {
	from, err := ParseSource(source)
	require.NoError(t, err)
	in := Installer{Folder: folder, Replace: replace, Client: http.DefaultClient}
	_, err = in.Install(t.Context(), from)
	return err
}

// names lists a folder of mods with all files.
func names(t *testing.T, folder string) (list []string) {
	require.NoError(t, filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
		if !e.IsDir() {
			path, _ = filepath.Rel(folder, path)
			list = append(list, filepath.ToSlash(path))
		}
		return err
	}))
	return list
}

// TestEqualFilesGiveEqualArchives checks that an archive holds the visible files, and no times and
// owners.
func TestEqualFilesGiveEqualArchives(t *testing.T) {
	var first, second bytes.Buffer
	a, err := Pack(&first, polite(time.Unix(1, 0)), "polite")
	require.NoError(t, err)
	b, err := Pack(&second, polite(time.Unix(9e8, 0)), "polite")
	require.NoError(t, err)
	assert.Equal(t, a, b)
	assert.Equal(t, first.Bytes(), second.Bytes())
	assert.Equal(t, 3, a.Files)

	folder := t.TempDir()
	require.NoError(t, install(t, folder, writeArchive(t, first.Bytes())+"#sha256="+strings.ToUpper(a.SHA256), false))
	assert.Equal(t, []string{"mods.lock", "polite/mod.toml", "polite/server/init.lua", "polite/shared/a.lua"}, names(t, folder))
}

// TestModsOfTorcAreNotReplacedUnasked: an archive that calls itself base would run in place of base
// from the next start on. The operator must want that.
func TestModsOfTorcAreNotReplacedUnasked(t *testing.T) {
	var b bytes.Buffer
	_, err := Pack(&b, polite(time.Time{}), "polite")
	require.NoError(t, err)
	from, err := ParseSource(writeArchive(t, b.Bytes()))
	require.NoError(t, err)
	in := Installer{Folder: t.TempDir(), Replace: true, Stock: []string{"base", "polite"}}
	_, err = in.Install(t.Context(), from)
	assert.ErrorContains(t, err, "polite is a mod of torc, and this one would run in its place; --replace-stock installs it")
	assert.Empty(t, names(t, in.Folder))
	in.ReplaceStock = true
	_, err = in.Install(t.Context(), from)
	require.NoError(t, err)
	assert.Contains(t, names(t, in.Folder), "polite/mod.toml")
}

// TestInstalledModsAreListed follows a mod from its installation to its loss.
func TestInstalledModsAreListed(t *testing.T) {
	folder := t.TempDir()
	var b bytes.Buffer
	_, err := Pack(&b, polite(time.Time{}), "polite")
	require.NoError(t, err)
	file := writeArchive(t, b.Bytes())
	state := func() string {
		list, err := List(folder)
		require.NoError(t, err)
		require.Len(t, list, 1)
		return list[0].State
	}
	require.NoError(t, install(t, folder, file, false))
	assert.Equal(t, "installed", state())
	assert.ErrorContains(t, install(t, folder, file, false), "polite exists already; --replace replaces it")

	init := filepath.Join(folder, "polite", "server", "init.lua")
	require.NoError(t, os.WriteFile(init, []byte("changed"), 0o600))
	assert.Equal(t, "changed", state())
	in := Installer{Folder: folder}
	_, err = in.Restore(t.Context())
	assert.ErrorContains(t, err, "polite was changed; --replace replaces it")
	in.Replace = true
	done, err := in.Restore(t.Context())
	require.NoError(t, err)
	assert.Len(t, done, 1)
	assert.Equal(t, "installed", state())

	require.NoError(t, os.WriteFile(filepath.Join(folder, "polite", "mod.toml"), []byte("name = 5"), 0o600))
	assert.Equal(t, "broken", state())
	require.NoError(t, os.RemoveAll(filepath.Join(folder, "polite")))
	assert.Equal(t, "missing", state())
	done, err = in.Restore(t.Context())
	require.NoError(t, err)
	assert.Len(t, done, 1)
	done, err = in.Restore(t.Context())
	require.NoError(t, err)
	assert.Empty(t, done)

	require.NoError(t, os.Remove(filepath.Join(folder, LockFile)))
	assert.Equal(t, "own", state())
}

// TestLockedSumsHold checks that the lock file's sum decides, whatever is at the source now.
func TestLockedSumsHold(t *testing.T) {
	folder, file := t.TempDir(), writeArchive(t, archiveOf(t, manifestOf("polite")))
	require.NoError(t, install(t, folder, file, false))
	require.NoError(t, os.RemoveAll(filepath.Join(folder, "polite")))
	require.NoError(t, os.WriteFile(file, archiveOf(t, manifestOf("polite"), tar.Header{Name: "polite/server/evil.lua"}), 0o600))
	in := Installer{Folder: folder}
	_, err := in.Restore(t.Context())
	assert.ErrorContains(t, err, "it is another archive")
	assert.Equal(t, []string{"mods.lock"}, names(t, folder))
}

// TestHostileArchives checks what an archive can try. Nothing of it reaches the folder of mods, and
// nothing is left behind.
func TestHostileArchives(t *testing.T) {
	many := []tar.Header{manifestOf("polite")}
	for i := range MaxFiles {
		many = append(many, tar.Header{Name: fmt.Sprintf("polite/.git/%d", i)}) // counted, and left out
	}
	for why, entries := range map[string][]tar.Header{
		"is not a path inside the mod":             {manifestOf("polite"), {Name: "polite/../../evil.lua"}},
		`"/etc/evil.lua" is not a path`:            {manifestOf("polite"), {Name: "polite//etc/evil.lua"}},
		`"/x.lua" is not a path inside the mod`:    {{Name: "/x.lua"}, manifestOf("polite")},
		`"server\\evil.lua" is not a path`:         {manifestOf("polite"), {Name: `polite/server\evil.lua`}},
		"two folders":                              {manifestOf("polite"), {Name: "other/init.lua"}},
		"server is a link or a device":             {manifestOf("polite"), {Name: "polite/server", Typeflag: tar.TypeSymlink, Linkname: "/etc"}},
		"shared/x is a link or a device":           {manifestOf("polite"), {Name: "polite/shared/x", Typeflag: tar.TypeLink, Linkname: "polite/mod.toml"}},
		"server/pipe is a link or a device":        {manifestOf("polite"), {Name: "polite/server/pipe", Typeflag: tar.TypeFifo}},
		"more than 4096 files":                     many,
		"larger than 64 MiB":                       {manifestOf("polite"), {Name: "polite/a"}, {Name: "polite/b", Size: MaxBytes}},
		`"SERVER/Init.lua" is there twice`:         {manifestOf("polite"), {Name: "polite/server/init.lua"}, {Name: "polite/SERVER/Init.lua"}},
		`"server/con.lua" is not a name`:           {manifestOf("polite"), {Name: "polite/server/con.lua"}},
		`"server/a:b.lua" is not a name`:           {manifestOf("polite"), {Name: "polite/server/a:b.lua"}},
		`folder "rude"`:                            {{Name: "rude/mod.toml", Linkname: manifestText}},
		"mods/polite/mod.toml: ":                   {{Name: "polite/server/init.lua"}},
		"it is empty":                              {},
		"mods/polite/mod.toml: the file is larger": {{Name: "polite/mod.toml", Linkname: manifestText, Size: 100 << 10}},
		`is in more than 16 folders`:               {manifestOf("polite"), {Name: "polite/" + strings.Repeat("a/", 16) + "b"}},
		`"" is not a path inside the mod`:          {{Name: "polite"}},
		`unknown "mod.everything"`:                 {{Name: "polite/mod.toml", Linkname: manifestText[:strings.Index(manifestText, "perm")] + `permissions = ["mod.everything"]`}},
	} {
		folder := t.TempDir()
		assert.ErrorContains(t, install(t, folder, writeArchive(t, archiveOf(t, entries...)), false), why)
		assert.Empty(t, names(t, folder), why)
		left, err := os.ReadDir(folder)
		require.NoError(t, err)
		assert.Empty(t, left, why)
	}
	for _, b := range [][]byte{nil, []byte("PK\x03\x04"), archiveOf(t, manifestOf("polite"))[:40]} {
		folder := t.TempDir()
		assert.Error(t, install(t, folder, writeArchive(t, b), false))
		assert.Empty(t, names(t, folder))
	}
}

// TestPackRefusesLinks checks that an author learns of a link when the mod is packed.
func TestPackRefusesLinks(t *testing.T) {
	dir := polite(time.Time{})
	dir["server/link.lua"] = &fstest.MapFile{Mode: os.ModeSymlink, Data: []byte("init.lua")}
	_, err := Pack(io.Discard, dir, "polite")
	assert.ErrorContains(t, err, "server/link.lua is not a regular file")
}

// TestSources checks which sources are accepted.
func TestSources(t *testing.T) {
	sum := strings.Repeat("ab", 32)
	for text, why := range map[string]string{
		"http://a.example/m.tar.gz#sha256=" + sum: "only https and files are possible",
		"https://a.example/m.tar.gz":              "an address needs the SHA-256",
		"m.tar.gz#sha256=12":                      "64 hexadecimal digits",
	} {
		_, err := ParseSource(text)
		assert.ErrorContains(t, err, why)
	}
	for text, want := range map[string]Source{
		"m.tar.gz": {Place: "m.tar.gz"},
		"m.tar.gz#sha256=" + strings.ToUpper(sum):  {Place: "m.tar.gz", SHA256: sum},
		"https://a.example/m.tar.gz#sha256=" + sum: {Place: "https://a.example/m.tar.gz", SHA256: sum},
	} {
		s, err := ParseSource(text)
		require.NoError(t, err)
		assert.Equal(t, want, s)
	}
}

// TestFetch gets an archive from a server on loopback: as it should be, changed, missing, too long,
// and by way of redirects.
func TestFetch(t *testing.T) {
	b := archiveOf(t, manifestOf("polite"))
	var mebibyte bytes.Buffer // of an answer that grows when it is read
	z := gzip.NewWriter(&mebibyte)
	_, err := io.CopyN(z, zeros{}, 1<<20)
	require.NoError(t, errors.Join(err, z.Close()))
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/m":
			_, _ = w.Write(b)
		case "/endless":
			w.Header().Set("Content-Encoding", "gzip")
			for range MaxBytes>>20 + 1 {
				_, _ = w.Write(mebibyte.Bytes())
			}
		case "/moved":
			http.Redirect(w, r, "/m", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/plain":
			http.Redirect(w, r, plain.URL, http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	sum, err := Source{Place: writeArchive(t, b)}.fetch(t.Context(), nil, io.Discard)
	require.NoError(t, err)
	get := func(path, sum string) error {
		in := Installer{Folder: t.TempDir(), Client: server.Client()}
		_, err := in.Install(t.Context(), Source{Place: server.URL + path, SHA256: sum})
		return err
	}
	assert.NoError(t, get("/m", sum))
	assert.NoError(t, get("/moved", sum))
	assert.ErrorContains(t, get("/m", strings.Repeat("0", 64)), "it is another archive")
	assert.ErrorContains(t, get("/endless", sum), "larger than 64 MiB")
	assert.ErrorContains(t, get("/missing", sum), "404")
	assert.ErrorContains(t, get("/loop", sum), "too many")
	assert.ErrorContains(t, get("/plain", sum), "not https")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	in := Installer{Folder: t.TempDir(), Client: server.Client()}
	_, err = in.Install(canceled, Source{Place: server.URL + "/m", SHA256: sum})
	assert.ErrorIs(t, err, context.Canceled)
}

// TestDamagedLocks checks that a lock file is not trusted either.
func TestDamagedLocks(t *testing.T) {
	for _, text := range []string{"x", "[\"../a\"]\nsha256 = \"\"", "[polite]\nversion = \"1\"\nsha256 = \"12\"\nfiles = \"\"", strings.Repeat("#", 1<<16)} {
		folder := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(folder, LockFile), []byte(text), 0o600))
		_, err := List(folder)
		assert.ErrorContains(t, err, LockFile)
	}
}
