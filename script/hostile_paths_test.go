package script_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/internal/testenv"
	"github.com/torc-engine/torc/mods"
	"github.com/torc-engine/torc/script/manifest"
	"github.com/torc-engine/torc/script/vm"
)

// leak is the content of a script that must never run.
const leak = "leaked = true\nreturn 'LEAK'\n"

// pathTricks returns known ways out of a folder to a file called secret outside of it: every
// beginning with every end.
func pathTricks(outside string) []string {
	windows := strings.ReplaceAll(outside, "/", `\`)
	begin := []string{
		"../", "..//", "../../", "../../../", "../../../../../../../../", "./../", ".././", "server/../../", "server/../../../", "./server/.././../",
		`..\`, `..\..\`, `server\..\..\`, `./..\`, `..\/`, "....//", "..././", ".../", "..;/", "..%00/", "..%2f", "..%2F..%2f", "%2e%2e/", "%2e%2e%2f",
		"..%5c", "%2e%2e%5c", "..%252f", "%252e%252e%252f", "..%c0%af", "%c0%ae%c0%ae/", "..%u2215", "\xc0\xae\xc0\xae/", "..\xc0\xaf", "\xe0\x80\xae\xe0\x80\xae/",
		"‥/", "．．/", "．．／", "..∕", "..⁄", "..／", "․․/", "..\u2044", "\u202e../", "\ufeff../", "..\u200b/", "..\x00/", "\x00../", "..\n/", "..\t/", " ../", "../ ", ".. /", "..../",
		"~/", "~root/", "$HOME/", "${HOME}/", "%USERPROFILE%/", "|", "`", "$(", "file:", "file://", "file:///", "http://localhost/", "data:,", "//", "///", "//localhost/",
		`\\localhost\c$\`, `\\?\C:\`, `\\.\C:\`, "//?/C:/", "C:", "C:/", `C:\`, "c:../", "Z:/", "server:", "link/", "linked/", "LINK/", "link/../", "linked/../", "out/../", "*/", "?/", "[.][.]/", "{..}/", "./", "/",
		"/proc/self/root/", "/proc/self/cwd/", "/dev/fd/3/", outside + "/", "/" + outside + "/", "." + outside + "/", ".." + outside, windows + `\`, "file://" + outside + "/",
	}
	var all []string
	for _, b := range begin {
		for _, end := range []string{"secret", "secret.lua", "secret.lua\x00.lua", "secret.lua::$DATA", "secret.lua. ", "SECRET.LUA"} {
			all = append(all, b+end)
		}
	}
	all = testenv.Every(5, all) // there are 6 ends, so each beginning and each end still occurs
	for _, device := range []string{"CON", "NUL", "AUX", "PRN", "COM1", "LPT1", "CONIN$", "CLOCK$", "/dev/stdin", "/dev/zero", "/dev/tty", "/etc/passwd", "/proc/self/environ"} {
		all = append(all, device, device+".lua", strings.ToLower(device)+".lua", "server/"+device+".lua", device+":.lua", device+" .lua")
	}
	return append(all, "", ".", "..", "...", "/", `\`, ".lua", "/.lua", "..lua", "../.lua", strings.Repeat("../", 5000)+"secret.lua", strings.Repeat("a/", 5000)+"x.lua",
		strings.Repeat("x", 70_000)+".lua", "link.lua", "absolute.lua", "chain.lua", "linked.lua", "server/.", "mod.toml", "server/init.lua/../../link.lua")
}

// modFolderWithSecret makes a folder of mods with a mod on disk, and a secret file beside it that links point
// to.
func modFolderWithSecret(t testing.TB) (outside string, folder fs.FS) {
	outside = t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(outside, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	const manifest = "name = %q\nversion = \"1.0.0\"\n"
	write("secret", leak)
	write("secret.lua", leak)
	write("missions/secret.lua", leak)
	write("mods/secret.lua", leak)
	write("mods/other/mod.toml", fmt.Sprintf(manifest, "other"))
	write("mods/other/secret.lua", leak)
	write("mods/other/missions/secret.lua", leak)
	write("mods/inmate/mod.toml", fmt.Sprintf(manifest, "inmate"))
	write("mods/inmate/server/init.lua", "leaked = false")
	write("mods/inmate/missions/own.lua", "return")
	write("outside/mod.toml", fmt.Sprintf(manifest, "out"))
	write("outside/server/init.lua", leak)
	for name, target := range map[string]string{
		"mods/out": "../outside", "mods/inmate/link": "../..", "mods/inmate/linked": outside, "mods/inmate/link.lua": "../../secret.lua",
		"mods/inmate/absolute.lua": filepath.Join(outside, "secret.lua"), "mods/inmate/chain.lua": "link.lua", "mods/inmate/missions/link.lua": "../../../secret.lua",
		"mods/inmate/linked.lua": "link/secret.lua", "mods/inmate/missions/linked": "../../../missions",
		"mods/inmate/neighbour": "../other", "mods/inmate/neighbour.lua": "../other/secret.lua", "mods/inmate/missions/neighbour": "../../other/missions",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(outside, name)))
	}
	root, err := os.OpenRoot(filepath.Join(outside, "mods"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return outside, root.FS()
}

// try makes a protected call of a Lua function with one text and returns the result.
func (h *half) try(t testing.TB, m *vm.Mod, function, text string) string {
	t.Helper()
	fn, err := m.Compile("mods/inmate/try.lua", "local text = ... local ok, e = pcall("+function+", text) return tostring(ok) .. ' ' .. tostring(e)", false)
	require.NoError(t, err)
	h.scripts.Hooks().BeginTick()
	out, err := h.scripts.Runtime.Enter(m, fn, lua.LString(text))
	require.NoError(t, err)
	return out[0].String()
}

func TestPathsStayInsideMods(t *testing.T) {
	outside, folder := modFolderWithSecret(t)
	tricks := pathTricks(outside)
	require.GreaterOrEqual(t, len(tricks), testenv.Length(200, 500))
	h := newHalf(t, 1, true, folder).load("inmate")
	m := h.scripts.Runtime.Mod("inmate")
	tricks = append(tricks, "neighbour/secret.lua", "neighbour.lua", "neighbour.secret", "neighbour", "neighbour/secret", "missions/neighbour/secret.lua")
	assert.Contains(t, h.try(t, m, "exec", "neighbour/secret.lua"), "mods/inmate/neighbour/secret.lua: neighbour is a symbolic link: a mod reads only files of its own folder")
	tried := 0
	for _, function := range []string{"exec", "require", "loadMission"} {
		for _, trick := range tricks {
			got := h.try(t, m, function, trick)
			tried++
			if !strings.HasPrefix(got, "false ") { // the mod's own files may run
				assert.Contains(t, []string{"server/init.lua"}, trick, "%s(%q)", function, trick)
			}
			assert.NotContains(t, got, "LEAK", "%s(%q)", function, trick)
			assert.NotContains(t, got, "internal error", "%s(%q)", function, trick)
			assert.Less(t, len(got), 3000, "%s(%q)", function, trick)
		}
	}
	for range 3 {
		h.host.Tick(0)
	}
	assert.Equal(t, lua.LFalse, m.Global("leaked"))
	assert.Nil(t, h.scripts.Runtime.Mod("out"))
	t.Logf("%d tricks, %d tries", len(tricks), tried)
}

func TestModNamesAreNotPaths(t *testing.T) {
	outside, folder := modFolderWithSecret(t)
	tricks := pathTricks(outside)
	installed, _ := manifest.Discover(mods.FS(), folder)
	require.Nil(t, installed["out"], "a folder of mods that is a link to somewhere else")
	for _, trick := range tricks {
		_, err := manifest.Order(installed, trick)
		require.Error(t, err, trick)
		for _, text := range []string{
			fmt.Sprintf("name = %q\nversion = \"1.0.0\"\n", trick),
			fmt.Sprintf("name = \"x\"\nversion = \"1.0.0\"\ndepends = [%q]\n", trick),
			fmt.Sprintf("name = \"x\"\nversion = \"1.0.0\"\nconflicts = [%q]\n", trick),
			fmt.Sprintf("name = \"x\"\nversion = %q\n", trick),
		} {
			_, err := manifest.Read("x", fstest.MapFS{"mod.toml": {Data: []byte(text)}})
			require.Error(t, err, text)
		}
	}
}

// TestChangingSymlinksStayInside checks that a link that changes while a script runs files never
// leads outside: the host opens the file that it checked.
func TestChangingSymlinksStayInside(t *testing.T) {
	outside, folder := modFolderWithSecret(t)
	h := newHalf(t, 1, true, folder).load("inmate")
	m := h.scripts.Runtime.Mod("inmate")
	inmate := filepath.Join(outside, "mods", "inmate")
	require.NoError(t, os.WriteFile(filepath.Join(inmate, "honest.lua"), []byte("return 'honest'"), 0o644))
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		swap := filepath.Join(inmate, "swap.lua")
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Remove(swap + ".new")
			_ = os.Symlink([]string{"honest.lua", "../../secret.lua"}[i%2], swap+".new")
			_ = os.Rename(swap+".new", swap)
		}
	}()
	for range 300 {
		assert.NotContains(t, h.try(t, m, "exec", "swap.lua"), "LEAK")
	}
	close(stop)
	<-stopped
	assert.Equal(t, lua.LFalse, m.Global("leaked"))
}

// asked is a folder that opens any file and records the names that it opens.
type asked struct {
	fs.FS
	names *[]string
}

func (a asked) Open(name string) (fs.File, error) {
	*a.names = append(*a.names, name)
	return a.FS.Open(name)
}

// TestInvalidPathsAreNotOpened checks that paths outside of a mod are not opened, also in folders
// that are no os.Root.
func TestInvalidPathsAreNotOpened(t *testing.T) {
	var names []string
	folder := asked{files(map[string]string{"inmate/server/init.lua": ""}), &names}
	h := newHalf(t, 1, true, folder).load("inmate")
	m := h.scripts.Runtime.Mod("inmate")
	for _, function := range []string{"exec", "require", "loadMission"} {
		for _, trick := range pathTricks("/tmp/outside") {
			h.try(t, m, function, trick)
		}
	}
	require.NotEmpty(t, names)
	for _, name := range names {
		require.True(t, fs.ValidPath(name), name)
		require.NotContains(t, name, `\`)
		require.NotContains(t, name, ":")
		require.False(t, strings.ContainsFunc(name, func(r rune) bool { return r < ' ' }), "%q", name)
	}
}
