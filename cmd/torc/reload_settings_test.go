package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/node"
)

// liveServer is a server with the commands reload and save.
type liveServer struct {
	t    *testing.T
	live *live
	log  bytes.Buffer
	path string
}

func newLiveServer(t *testing.T, text string, args ...string) *liveServer {
	return newLiveServerIn(t, "", text, args...)
}

// newLiveServerIn makes one with a data folder; "" is in memory.
func newLiveServerIn(t *testing.T, folder, text string, args ...string) *liveServer {
	s := &liveServer{t: t, path: file(t, "torc.toml", text)}
	args = append([]string{"serve", "--config", s.path}, args...)
	_, all, err := config.Parse(args, os.LookupEnv)
	require.NoError(t, err)
	o := config.ServerOf(all)
	cfg, err := ofProcess().serverConfig(o)
	require.NoError(t, err)
	s.live = &live{sys: &system{args: args, lookup: os.LookupEnv}, read: o, log: slog.New(slog.NewTextHandler(&s.log, nil)), level: new(slog.LevelVar)}
	cfg.Server.Trial = nil // a mod is enabled at once
	cfg.Data, cfg.Commands = folder, s.live.commands()
	server, err := node.NewServer(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	require.NoError(t, explain(&o.Folder, server.Start()))
	s.live.runs(server)
	return s
}

func (s *liveServer) says(line string) string {
	out, err := s.live.server.Console().Exec(line)
	if err != nil {
		return "error: " + err.Error()
	}
	return out
}

func (s *liveServer) file() string {
	text, err := os.ReadFile(s.path)
	require.NoError(s.t, err)
	return string(text)
}

func (s *liveServer) rewrite(text string) {
	require.NoError(s.t, os.WriteFile(s.path, []byte(text), 0o600))
}

// TestReload checks that a reload applies changed settings, keeps what the console set, and changes
// nothing when the file is wrong.
func TestReload(t *testing.T) {
	t.Parallel()
	s := newLiveServer(t, "name = 'One'\nmax-clients = 5\n[vars]\nnet.rate = 20\nnet.size = 300\n")
	s.says("sv.maxClients 6")
	s.rewrite("name = 'Two'\nmax-clients = 5\nlog-level = 'debug'\nlisten = ':1'\npassword = 'x'\n[vars]\nnet.profile = 'modem'\nnet.moves = 4\nnet.rate = 21")
	assert.Empty(t, s.says("reload"))
	for variable, want := range map[string]string{
		"sv.name": `"Two"`, "sv.maxClients": "6", "net.rate": "21", "net.size": "200", "net.moves": "4", "sv.password": "(secret)",
	} {
		assert.Equal(t, want, s.says(variable), variable)
	}
	assert.Equal(t, slog.LevelDebug, s.live.level.Level())
	assert.Contains(t, s.log.String(), "changed settings take effect when the server starts again: listen\"")

	s.rewrite("name = 'Three'\nmax-clients = 0\n")
	assert.Equal(t, `error: nothing is reloaded: `+s.path+`:2: max-clients = "0": must be a whole number from 1 to 10000`, s.says("reload"))
	assert.Equal(t, `"Two"`, s.says("sv.name"))

	for wrong, why := range map[string]string{
		"net.rat = 1":       `there is no variable "net.rat", did you mean net.rate?`,
		"net.size = 'many'": `net.size must be a whole number from 100 to 1400, got "many"`,
		"sv.accepting = 2":  `sv.accepting must be true or false, got "2"`,
	} {
		s.rewrite("name = 'Four'\n[vars]\nnet.profile = 'lan'\nhello.x = 1\n" + wrong + "\n")
		assert.Equal(t, "error: nothing is reloaded: "+why, s.says("reload"))
		for variable, want := range map[string]string{
			"sv.name": `"Two"`, "sv.maxClients": "6", "net.profile": `"custom"`, "net.rate": "21", "net.size": "200", "net.moves": "4",
		} {
			assert.Equal(t, want, s.says(variable), "%s after %s", variable, wrong)
		}
		assert.Equal(t, "x", s.live.server.Host().Admission.Password)
		assert.Equal(t, slog.LevelDebug, s.live.level.Level())
	}
	assert.NotContains(t, s.log.String(), "hello.x")

	s.rewrite("name = 'Five'\n")
	assert.Empty(t, s.says("reload"))
	assert.Equal(t, `"Five"`, s.says("sv.name"))
	assert.Empty(t, s.live.server.Host().Admission.Password)
	assert.Equal(t, `"auto"`, s.says("net.rate"), "a variable that is removed has its default")
}

// TestReloadCallsMods checks that a reload calls a mod about its changed setting, but not if
// another setting is wrong.
func TestReloadCallsMods(t *testing.T) {
	t.Parallel()
	mods := mod(t, "laps", map[string]string{
		"mod.toml":        "name = 'laps'\nversion = '1.0.0'\n",
		"server/init.lua": `calls = 0 setting "laps.number" { default = 3, changed = function() calls = calls + 1 end } export("calls", function() return calls end)`,
	})
	s := newLiveServer(t, "", "--mods", mods, "--mod", "laps")
	for _, step := range []struct{ vars, says, number, calls string }{
		{"laps.number = 5\nsv.accepting = 2", `error: nothing is reloaded: sv.accepting must be true or false, got "2"`, "3", "0"},
		{"laps.number = 'many'\nsv.accepting = false", `error: nothing is reloaded: laps.number must be a number, got "many"`, "3", "0"},
		{"laps.number = 5\nsv.accepting = false", "", "5", "1"},
		{"", "", "3", "2"},
	} {
		s.rewrite("[vars]\n" + step.vars + "\n")
		assert.Equal(t, step.says, s.says("reload"))
		assert.Equal(t, step.number, s.says("laps.number"), step.vars)
		assert.Equal(t, step.calls, s.says(`import("laps").calls()`), step.vars)
		assert.Equal(t, strconv.FormatBool(step.number == "3"), s.says("sv.accepting"))
	}
	assert.Equal(t, "no variable has changed", s.says("save"))
}

// TestReloadReadsLists checks that a reload reads the lists of players and rights, and names their
// wrong lines. If a setting is wrong, it does not.
func TestReloadReadsLists(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := newLiveServerIn(t, folder, "")
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	for _, name := range []string{"bans", "mutes", "allowed"} {
		write(name, "# by hand\n198.51.100.7\n")
	}
	write("rights", "allow\tmod\tkick\n\nallow mod ban\n")
	s.rewrite("max-clients = 0\n")
	assert.Contains(t, s.says("reload"), "error: nothing is reloaded: ")
	assert.Empty(t, s.says("bans"))
	s.rewrite("name = 'Two'\n")
	assert.Equal(t, "error: "+filepath.Join(folder, "rights")+":3: a right is role KEY ROLE [NAME], allow ROLE COMMAND, exposed KEY http or grant MOD PERMISSION, separated by tabs: the line has no effect", s.says("reload"))
	assert.Equal(t, `"Two"`, s.says("sv.name"), "all else is reloaded")
	for _, name := range []string{"bans", "mutes", "allowed"} {
		assert.Equal(t, "198.51.100.7 forever", s.says(name))
	}
	assert.Equal(t, "mod may kick", s.says("role"))
	assert.Empty(t, s.says("role.allow mod ban"))
	text, err := os.ReadFile(filepath.Join(folder, "rights"))
	require.NoError(t, err)
	assert.Equal(t, "allow\tmod\tkick\n\nallow mod ban\nallow\tmod\tban\n", string(text))
	write("rights", "allow\tmod\tkick\n")
	write("bans", "")
	assert.Empty(t, s.says("reload"))
	assert.Empty(t, s.says("bans"))
	assert.Equal(t, "mod may kick", s.says("role"))
}

// TestReloadProfile checks that a changed net.profile leaves the variables of the file that it
// sets.
func TestReloadProfile(t *testing.T) {
	t.Parallel()
	s := newLiveServer(t, "[vars]\nnet.rate = 20\n")
	for _, profile := range []string{"net.profile = 'modem'\n", "net.profile = 'lan'\n", ""} {
		s.rewrite("[vars]\n" + profile + "net.rate = 20\n")
		assert.Empty(t, s.says("reload"))
		assert.Equal(t, "20", s.says("net.rate"), profile)
		assert.Equal(t, "no variable has changed", s.says("save"))
	}
}

// TestReloadForAMod checks that a variable of a mod that is not loaded waits for the mod.
func TestReloadForAMod(t *testing.T) {
	t.Parallel()
	s := newLiveServer(t, "[vars]\n")
	s.rewrite("[vars]\nhello.greeting = 'Hi'\n")
	assert.Empty(t, s.says("reload"))
	assert.Contains(t, s.log.String(), "[vars] hello.greeting has no effect yet: there is no variable")
	assert.Contains(t, s.says("mod enable hello"), "is on")
	assert.Equal(t, `"Hi"`, s.says("hello.greeting"))

	s = newLiveServer(t, "[vars]\nhello.greeting = 'Hi'\n")
	s.rewrite("")
	assert.Empty(t, s.says("reload"))
	assert.Contains(t, s.says("mod enable hello"), "is on")
	assert.NotEqual(t, `"Hi"`, s.says("hello.greeting"))
}

// TestReloadPassword checks that a reload reads the file of a password again, and takes its text
// even if it begins with @. A reload that fails keeps the file of a password for save.
func TestReloadPassword(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"password = '@%s'\n", "[vars]\nsv.password = '@%s'\n"} {
		secret := file(t, "secret", "swordfish\n")
		s := newLiveServer(t, fmt.Sprintf(form, secret))
		for _, text := range []string{"shark", "@whale"} {
			require.NoError(t, os.WriteFile(secret, []byte(text+"\n"), 0o600))
			assert.Empty(t, s.says("reload"))
			assert.Equal(t, text, s.live.server.Host().Admission.Password)
			assert.Equal(t, "no variable has changed", s.says("save"))
		}
		require.NoError(t, os.WriteFile(secret, bytes.Repeat([]byte("x"), 256), 0o600))
		assert.Equal(t, "error: nothing is reloaded: sv.password must have at most 255 bytes", s.says("reload"))
		assert.Equal(t, "@whale", s.live.server.Host().Admission.Password)
		require.NoError(t, os.Remove(secret))
		assert.Contains(t, s.says("reload"), "cannot be read")
	}
	other := file(t, "other", "whale\n")
	s := newLiveServer(t, "password = 'x'\n")
	s.says("sv.password @" + other)
	s.rewrite("password = 'y'\n[vars]\nnet.rate = 'many'\n")
	assert.Contains(t, s.says("reload"), "error: nothing is reloaded: net.rate must be")
	assert.Equal(t, "whale", s.live.server.Host().Admission.Password)
	assert.Equal(t, "@"+other, s.live.server.Settings.PasswordFile())
}

// TestSaveCommand checks that save writes changed variables and no others, and never a password.
func TestSaveCommand(t *testing.T) {
	t.Parallel()
	secret := file(t, "secret", "swordfish\n")
	s := newLiveServer(t, "# mine\nname = 'One' # name\npassword = '@"+secret+"' # secret\n[vars]\nnet.rate = 20 # rate\nnet.size = 300\n", "--max-clients", "5")
	assert.Empty(t, s.says(`mod.date = "2030-01-31 20:15:00"`))
	assert.Equal(t, "no variable has changed", s.says("save"), "the date goes on by itself")
	assert.Equal(t, "no variable has changed", s.says("save"))
	for _, line := range []string{"net.rate 30", "sv.name Two", "sv.accepting false", "sv.maxClients 7", "sv.password shark"} {
		assert.Empty(t, s.says(line))
	}
	assert.Equal(t, "net.rate = 30\nsv.accepting = false\nsv.maxClients = 7\n"+
		"sv.maxClients has no effect at the next start: --max-clients overrides it\n"+
		"sv.name = \"Two\"\nsv.password is saved in "+secret, s.says("save"))
	assert.Equal(t, "# mine\nname = \"Two\" # name\npassword = '@"+secret+"' # secret\nmax-clients = 7\n[vars]\nnet.rate = 30 # rate\nnet.size = 300\nsv.accepting = false\n", s.file())
	text, err := os.ReadFile(secret)
	require.NoError(t, err)
	assert.Equal(t, "shark\n", string(text))
	assert.Equal(t, "no variable has changed", s.says("save"))
	assert.Empty(t, s.says("reload"), "the saved file is read again")
	assert.Equal(t, "shark", s.live.server.Host().Admission.Password)
	assert.Equal(t, "false", s.says("sv.accepting"))

	other := file(t, "other", "whale\n")
	assert.Empty(t, s.says("sv.password @"+other))
	assert.Equal(t, `sv.password = "@`+other+`"`, s.says("save"))
	assert.Contains(t, s.file(), `password = "@`+other+`" # secret`)

	s = newLiveServer(t, "")
	s.says("sv.password shark")
	assert.Equal(t, "sv.password is not saved, because the configuration would show it: write it to a file and set sv.password @FILE", s.says("save"))
	assert.NotContains(t, s.file(), "shark")
	assert.Contains(t, s.says("sv.password @/does/not/exist"), "error: sv.password cannot be read: ")
	assert.Contains(t, newLiveServer(t, "password = 'x'").says("reset sv.password"), "error: sv.password must be")
}
