package config

import (
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/internal/flags"
)

func noEnv(string) (string, bool) { return "", false }

func env(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// parse reads a command line whose options are of a type.
func parse[T Options](args []string, env func(string) (string, bool)) (o T, err error) {
	_, all, err := Parse(args, env)
	o, _ = all.(T)
	return o, err
}

func TestServe(t *testing.T) {
	o, err := parse[*Serve]([]string{"serve", "--listen", "127.0.0.1:0", "--mod", "hello", "--mod=a,b", "--max-clients", "7",
		"--eval", "x = 1", "--exec", "f.lua", "--eval", "y = 2", "--strict", "--seed", "5", "--log-level", "debug"}, noEnv)
	require.NoError(t, err)
	set := flags.New("torc serve")
	new(Serve).declare(set)
	assert.Len(t, o.Settings, len(set.Names()))
	o.Settings = nil
	seed := uint64(5)
	assert.Equal(t, &Serve{Listen: "127.0.0.1:0", Server: Server{Mods: []string{"hello", "a", "b"}, MaxClients: 7, Strict: true, Node: Node{
		Name: "torc", Scripts: []Script{{Code: "x = 1"}, {File: "f.lua"}, {Code: "y = 2"}},
		Terminal: Terminal{Console: "auto", LogLevel: slog.LevelDebug}, Log: Log{LogFormat: "text", LogMaxSize: 100, LogMaxAge: 30}, Seed: &seed,
	}}}, o)
}

func TestJoinTakesFlagsOnBothSidesOfTheAddress(t *testing.T) {
	for _, args := range []string{
		"join h:1#abc --name A --arg x --arg y,z --timeout 2s",
		"join --name A --arg x --arg y,z --timeout 2s h:1#abc",
		"join --name A --arg x h:1#abc --arg y,z --timeout 2s",
		"join --name A --arg x --arg y,z --timeout 2s -- h:1#abc",
	} {
		o, err := parse[*Join](strings.Fields(args), noEnv)
		require.NoError(t, err, args)
		assert.Equal(t, "h:1#abc", o.Address)
		assert.Equal(t, "A", o.Name)
		assert.Equal(t, []string{"x", "y,z"}, o.Args)
		assert.Equal(t, 2*time.Second, o.Timeout)
	}
}

// TestLanguageOfAPlayer: the language is the one of the flag, else of the environment as it is.
func TestLanguageOfAPlayer(t *testing.T) {
	of := func(args ...string) string {
		o, err := parse[*Join](append([]string{"join", "h:1"}, args...), noEnv)
		require.NoError(t, err)
		return o.Language
	}
	t.Setenv("LC_ALL", "")
	t.Setenv("LC_MESSAGES", "")
	t.Setenv("LANG", "")
	assert.Empty(t, of())
	t.Setenv("LANG", "de_DE.UTF-8")
	assert.Equal(t, "de_DE.UTF-8", of())
	t.Setenv("LC_MESSAGES", "fr_FR")
	assert.Equal(t, "fr_FR", of())
	t.Setenv("LC_ALL", "C")
	assert.Equal(t, "C", of())
	assert.Equal(t, "pt-BR", of("--language", "pt-BR"))
	_, err := parse[*Join]([]string{"join", "h:1", "--language", "klingon"}, noEnv)
	assert.ErrorContains(t, err, "must be the tag of a language, such as de, pt-BR or zh-Hant-TW")
	o, err := parse[*Play]([]string{"play", "--language", "es-419"}, noEnv)
	require.NoError(t, err)
	assert.Equal(t, "es-419", o.Language)
}

func TestWrongUsageIsOneSentence(t *testing.T) {
	file := func(text string) string { return write(t, "torc.toml", text) }
	large := write(t, "large.toml", strings.Repeat("[\n", 2<<20))
	deep := write(t, "deep.toml", "\n"+strings.Repeat("a.", 15<<10)+"b = 1")
	for _, c := range []struct {
		args []string
		says string
	}{
		{nil, "torc needs a subcommand: play, serve, join, replay, swarm, find, query, fleet, rendezvous, relay, mod, config, dissect, console, backup, check, completion, version"},
		{[]string{"dance"}, `no subcommand "dance"`},
		{[]string{"bench", "play"}, "torc bench is a subcommand of torclab, the program for developers of torc: torclab bench"},
		{[]string{"attack"}, "torc attack is a subcommand of torclab"},
		{[]string{"picture", "--out", "f"}, "torc picture is a subcommand of torclab"},
		{[]string{"console", "a", "b"}, `torc console: unexpected argument "b"`},
		{[]string{"console", "--mod", "ctf"}, "torc console has no flag --mod"},
		{[]string{"backup"}, "torc backup needs the file to write: torc backup FILE"},
		{[]string{"backup", "a", "b"}, `torc backup: unexpected argument "b"`},
		{[]string{"check", "--listen", ":1"}, "torc check has no flag --listen"},
		{[]string{"serve", "--nope-nope"}, "torc serve has no flag --nope-nope (torc help serve lists them)"},
		{[]string{"serve", "--lisen", ":1"}, "torc serve has no flag --lisen, did you mean --listen? (torc help serve lists them)"},
		{[]string{"config"}, "torc config needs a command: torc config check or torc config show"},
		{[]string{"config", "list"}, "torc config needs a command"},
		{[]string{"config", "show", "bench"}, `torc config show "bench": must be serve or play`},
		{[]string{"config", "show", "play", "x"}, `torc config show: unexpected argument "x"`},
		{[]string{"config", "check", "--max-clients", "0"}, "whole number from 1 to 10000"},
		{[]string{"serve", "--timeout", "1s"}, "torc serve has no flag --timeout"},
		{[]string{"play", "--listen", ":1"}, "torc play has no flag --listen"},
		{[]string{"join", "--mission", "x", "h:1"}, "torc join has no flag --mission"},
		{[]string{"serve", "--listen"}, "--listen needs a value"},
		{[]string{"serve", "--listen", "here"}, "must be HOST:PORT"},
		{[]string{"serve", "x"}, `unexpected argument "x"`},
		{[]string{"version", "x"}, `unexpected argument "x"`},
		{[]string{"version", "--x"}, "torc version has no flag --x"},
		{[]string{"join"}, "needs the server's address"},
		{[]string{"join", "#key"}, "must be HOST[:PORT][#KEY]"},
		{[]string{"join", "h:1", "i:2"}, `unexpected argument "i:2"`},
		{[]string{"join", "h:1", "--timeout", "soon"}, `--timeout "soon": must be a duration, for example 15s or 10m`},
		{[]string{"join", "h:1", "--bot", "clever"}, "must be idle, wander or a .lua file"},
		{[]string{"play", "--bot", "idle"}, "torc play has no flag --bot"},
		{[]string{"join", "h:1", "--timeout", "-1s"}, "--timeout -1s: must be more than 0"},
		{[]string{"swarm", "--count", "2"}, "torc swarm needs the server's address"},
		{[]string{"swarm", ":28000", "--count", "2"}, "must be HOST[:PORT][#KEY]"},
		{[]string{"swarm", "h:1"}, "--count N"},
		{[]string{"swarm", "h:1", "--count", "0"}, "whole number from 1 to 10000"},
		{[]string{"swarm", "h:1", "--count", "2", "--for", "-1s"}, "--for -1s: must be 0 or more"},
		{[]string{"swarm", "h:1", "--mod", "x"}, "torc swarm has no flag --mod"},
		{[]string{"join", "h:1", "--count", "2"}, "torc join has no flag --count"},
		{[]string{"play", "--bots", "-1"}, "whole number from 0 to 1000"},
		{[]string{"serve", "--max-clients", "0"}, "whole number from 1 to 10000"},
		{[]string{"relay"}, "torc relay needs the server's address"},
		{[]string{"relay", "a:1", "--rate", "12"}, `--rate "12": must be 0, or 1k to 1000M bits per second`},
		{[]string{"relay", "a:1", "--delay", "2m"}, "a duration from 0s to 1m"},
		{[]string{"relay", "a:1", "--loss", "101"}, "a percentage from 0 to 100"},
		{[]string{"serve", "--strict=maybe"}, `--strict "maybe": must be true or false`},
		{[]string{"serve", "--seed", "-1"}, "whole number from 0"},
		{[]string{"serve", "--console", "gui"}, "one of auto, tty, line, off"},
		{[]string{"serve", "--log-level", "loud"}, "one of debug, info, warn, error"},
		{[]string{"serve", "--log-format", "xml"}, "one of text, json"},
		{[]string{"serve", "--password", "@/does/not/exist"}, "cannot be read"},
		{[]string{"serve", "--config", "/does/not/exist"}, "--config cannot be read"},
		{[]string{"serve", "--config", large}, "large.toml: the file is larger than 32 KiB"},
		{[]string{"serve", "--config", deep}, "deep.toml: line 2: arrays, tables and dotted keys can be 16 deep at most"},
		{[]string{"serve", "--config", file("listen = ")}, "torc.toml:1: "},
		{[]string{"serve", "--config", file("lisen = ':1'")}, `torc.toml:1: "lisen" is not a setting, did you mean listen? (keys`},
		{[]string{"serve", "--config", file("zzzzzz = 1")}, `torc.toml:1: "zzzzzz" is not a setting (keys`},
		{[]string{"serve", "--config", file("\nmax_clients = 4")}, `torc.toml:2: "max_clients" is not a setting, did you mean max-clients? (`},
		{[]string{"serve", "--config", file("# x\n[var]\nnet.rate = 1")}, `torc.toml:2: "var" is not a setting, did you mean vars? (`},
		{[]string{"serve", "--config", file("json = true")}, `"json" is not a setting`},
		{[]string{"serve", "--config", file("config = 'x'")}, `"config" is not a setting`},
		{[]string{"serve", "--config", file("max-clients = -4")}, `torc.toml:1: max-clients = "-4": must be a whole number`},
		{[]string{"serve", "--config", file("name = {a = 1}")}, "torc.toml:1: name must be text"},
		{[]string{"serve", "--config", file("[vars]\nx = [1, 2]")}, "torc.toml:2: [vars] x must be text"},
	} {
		_, _, err := Parse(c.args, noEnv)
		var usage *flags.UsageError
		require.ErrorAs(t, err, &usage, "%v", c.args)
		assert.Contains(t, usage.Text, c.says, "%v", c.args)
		assert.NotContains(t, usage.Text, "\n", "%v", c.args)
	}
	_, _, err := Parse([]string{"serve"}, env("TORC_STRICT", "often"))
	assert.EqualError(t, err, `TORC_STRICT = "often": must be true or false`)
	_, _, err = Parse([]string{"serve"}, env("TORC_MAX_CLIENTS", "many"))
	assert.EqualError(t, err, `TORC_MAX_CLIENTS = "many": must be a whole number from 1 to 10000`)
}

func TestHelpIsNotAnError(t *testing.T) {
	for line, about := range map[string]string{
		"help": "", "--help": "", "-h": "", "help serve": "serve", "help mod": "mod", "serve --help": "serve", "join -h": "join",
		"join h:1 --name Ann --help": "join", "mod help": "mod", "mod --help": "mod", "mod new --help": "mod", "help version": "version",
	} {
		name, _, err := Parse(strings.Fields(line), noEnv)
		assert.ErrorIs(t, err, flag.ErrHelp, line)
		assert.Equal(t, about, name, line)
	}
	_, _, err := Parse([]string{"help", "dance"}, noEnv)
	assert.ErrorContains(t, err, `no subcommand "dance"`)
}

// TestHelpOfFlags checks that the help of each flag has its argument and a description.
func TestHelpOfFlags(t *testing.T) {
	serve := slices.IndexFunc(Commands, func(c Command) bool { return c.Name == "serve" })
	assert.Contains(t, Commands[serve].Flags().Lines(), "--console auto|tty|line|off        a prompt (tty), plain lines (line), no console (off), or tty on a terminal and line elsewhere (auto)")
	for _, s := range Commands {
		for _, line := range s.Flags().Lines() {
			assert.Regexp(t, `^--\S+( \S+)? +\w+[ :,].* `, line, s.Name)
		}
	}
}

// TestPrecedence checks the precedence of settings: command line, environment, file, default.
func TestPrecedence(t *testing.T) {
	path := write(t, "torc.toml", "name = 'file'\nmod = ['a', 'b']\nmax-clients = 3\neval = 'x = 1'\ntimeout = '3s'\nstrict = true\n")
	for _, c := range []struct {
		args []string
		env  func(string) (string, bool)
		name string
		mods []string
		max  int
	}{
		{nil, noEnv, "torc", nil, 128},
		{[]string{"--config", path}, noEnv, "file", []string{"a", "b"}, 3},
		{nil, env("TORC_CONFIG", path), "file", []string{"a", "b"}, 3},
		{[]string{"--config", path}, env("TORC_NAME", "env", "TORC_MOD", "c,d", "TORC_CONFIG", "/no"), "env", []string{"c", "d"}, 3},
		{[]string{"--config", path, "--name", "flag", "--mod", "e"}, env("TORC_NAME", "env", "TORC_MAX_CLIENTS", "9"), "flag", []string{"e"}, 9},
		{[]string{"--config", path, "--name", ""}, noEnv, "", []string{"a", "b"}, 3},
	} {
		o, err := parse[*Serve](append([]string{"serve"}, c.args...), c.env)
		require.NoError(t, err)
		assert.Equal(t, c.name, o.Name, "%v", c.args)
		assert.Equal(t, c.mods, o.Mods, "%v", c.args)
		assert.Equal(t, c.max, o.MaxClients, "%v", c.args)
	}
}

func TestVars(t *testing.T) {
	path := write(t, "torc.toml", "[vars]\nnet.rate = 20.5\n'sv.name' = \"a b\"\nnet.check = true\n[vars.hello]\nlimit = 3\n")
	o, err := parse[*Join]([]string{"join", "h:1", "--config", path}, noEnv)
	require.NoError(t, err)
	assert.Equal(t, []Var{{"hello.limit", "3", 6}, {"net.check", "true", 4}, {"net.rate", "20.5", 2}, {"sv.name", "a b", 3}}, o.Vars)
	assert.Equal(t, path, o.VarsFrom)
}

func TestPasswordFromFile(t *testing.T) {
	path := write(t, "word", "\ufeffopen sesame \r\n")
	for _, c := range []struct {
		args []string
		env  func(string) (string, bool)
		want string
	}{
		{[]string{"--password", "plain"}, noEnv, "plain"},
		{[]string{"--password", "@" + path}, noEnv, "open sesame "},
		{nil, env("TORC_PASSWORD", "@"+path), "open sesame "},
		{[]string{"--config", write(t, "torc.toml", "password = '@"+path+"'")}, noEnv, "open sesame "},
	} {
		o, err := parse[*Serve](append([]string{"serve"}, c.args...), c.env)
		require.NoError(t, err)
		assert.Equal(t, c.want, o.Password)
	}
}

func TestBots(t *testing.T) {
	o, err := parse[*Join]([]string{"join", "h:1", "--eval", "x = 1", "--bot", "me.lua", "--exec", "then.txt"}, noEnv)
	require.NoError(t, err)
	assert.Equal(t, "me.lua", o.Bot)
	assert.Equal(t, []Script{{Code: "x = 1"}, {File: "me.lua"}, {File: "then.txt"}}, o.Scripts, "in the order given")
	o, err = parse[*Join]([]string{"join", "h:1", "--bot", "wander"}, noEnv)
	require.NoError(t, err)
	assert.Equal(t, "wander", o.Bot)
	assert.Empty(t, o.Scripts)
}

// TestAddressWithoutPort: the client adds the usual port.
func TestAddressWithoutPort(t *testing.T) {
	for _, address := range []string{"here", "192.0.2.1", "::1", "here#key"} {
		o, err := parse[*Join]([]string{"join", address}, noEnv)
		require.NoError(t, err)
		assert.Equal(t, address, o.Address)
	}
}

func TestSwarm(t *testing.T) {
	o, err := parse[*Swarm](strings.Fields("swarm h:1#key --count 128 --bot wander --for 10m --password x"), noEnv)
	require.NoError(t, err)
	assert.Equal(t, "h:1#key", o.Address)
	assert.Equal(t, 128, o.Count)
	assert.Equal(t, "wander", o.Bot)
	assert.Equal(t, 10*time.Minute, o.For)
	assert.Equal(t, "x", o.Password)
	assert.Equal(t, 15*time.Second, o.Timeout)
}

// TestBotsOfServers checks that zero bots differs from an unset number of bots.
func TestBotsOfServers(t *testing.T) {
	for _, subcommand := range []string{"serve", "play"} {
		all, err := parse[Options]([]string{subcommand}, noEnv)
		require.NoError(t, err)
		assert.Nil(t, ServerOf(all).Bots)
		for _, n := range []int{0, 8} {
			all, err = parse[Options]([]string{subcommand}, env("TORC_BOTS", fmt.Sprint(n)))
			require.NoError(t, err)
			require.NotNil(t, ServerOf(all).Bots)
			assert.Equal(t, n, *ServerOf(all).Bots)
		}
	}
}
