package attack

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// bombs are scripts without an end, and scripts that want all memory.
var bombs = []string{
	`while true do end`,
	`repeat until false`,
	`local function f() return f() end f()`,
	`local function f() return 1 + f() end return f()`,
	`local function f(n) if n == 0 then return 0 end return f(n - 1) + f(n - 1) end f(60)`,
	`for x in function() return 1 end do end`,
	`while true do pcall(function() while true do end end) end`,
	`while true do pcall(error, "again") end`,
	`local t = {} while true do t[#t + 1] = ("x"):rep(1e6) end`,
	`local s = "x" while true do s = s .. s end`,
	`local t = {} for i = 1, 1e9 do t[i] = {} end`,
	`return ("x"):rep(1e9)`,
	`return (("x"):rep(1e6):gsub("x", ("y"):rep(1e6)))`,
	`return ("a"):rep(5e4):find((".-"):rep(20) .. "b")`,
	`return ("a"):rep(1e5):find((("a?"):rep(50)) .. ("a"):rep(50) .. "b")`,
	`local t = {} for i = 1, 1e5 do t[i] = i end table.sort(t, function() while true do end end)`,
	`local co = coroutine.wrap(function() while true do end end) co()`,
	`local all = {} while true do local co = coroutine.create(function() coroutine.yield() end) coroutine.resume(co) all[#all + 1] = co end`,
	`local t = setmetatable({}, { __index = function(t, k) return t[k] end }) return t.x`,
	`local t = setmetatable({}, { __tostring = function() while true do end end }) return tostring(t)`,
	`return assert(loadstring(("x=1 "):rep(2e5)))`,
	`while true do new "ScriptObject" {} end`,
	`while true do schedule(1e9, print) end`,
	`return table.concat({}, ("x"):rep(1e5), 1, 1e9)`,
}

// bombsMod is a mod with a command for each of the bombs, and one that answers.
func bombsMod() string {
	var b strings.Builder
	for i, text := range bombs {
		fmt.Fprintf(&b, "function serverCmd.Bomb%d(client)\n  %s\nend\n", i, text)
	}
	return b.String() + `local lives = 0
function serverCmd.Lives(client) lives = lives + 1 end
addCommand { name = "lives", description = "counts answers", run = function() echo("1 " .. lives) end }
`
}

var modErrors = regexp.MustCompile(`(?m)^torc_mod_errors_total\{mod="bombs",event="[^"]*[Bb]omb[^"]*"\} (\d+)$`)

// ended returns how many of the scripts the server has ended, of how many different ones.
func (r *round) ended() (all, different int, err error) {
	text, err := r.exec("metrics")
	for _, m := range modErrors.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[1])
		if all += n; n > 0 {
			different++
		}
	}
	return all, different, err
}

// liveMetric is the metric of the server's live heap. The memory of its process is larger: it has the
// garbage up to the next collection too.
const liveMetric = "torc_heap_live_bytes"

// bombPause is the time between two scripts. A collection of garbage is over then, so it counts the
// memory of one script.
const bombPause = 75 * time.Millisecond

// playScripts lets clients call commands whose handlers never end or want all memory.
func playScripts(r *round) error {
	all, err := r.attackers(8, func(int) clientSpec { return clientSpec{} })
	if err != nil {
		return err
	}
	judgeMemory, live := r.watchMemory(), metric(r.server, liveMetric)
	calls, most := 0, live
	for end := time.Now().Add(r.length); calls < len(bombs) || time.Now().Before(end); calls++ {
		r.bad.do(func() { _ = all[calls%len(all)].call(fmt.Sprint("Bomb", calls%len(bombs))) })
		time.Sleep(bombPause)
		most = max(most, metric(r.server, liveMetric))
	}
	r.bad.do(func() { _ = all[0].call("Lives") })
	ended, different := 0, 0
	for wait := time.Now().Add(5 * time.Second); different < len(bombs) && time.Now().Before(wait); time.Sleep(50 * time.Millisecond) {
		if ended, different, err = r.ended(); err != nil {
			return err
		}
	}
	lives := 0
	for wait := time.Now().Add(waitMost); lives == 0 && time.Now().Before(wait); time.Sleep(50 * time.Millisecond) {
		counts, err := r.probed("lives")
		if err != nil {
			return err
		}
		lives = counts[1]
	}
	r.note("%d calls of %d scripts without an end, %d were ended, of %d different ones; live heap %+.1f MiB",
		calls, len(bombs), ended, different, (most-live)/(1<<20))
	judgeMemory(128 << 20)
	r.fail(different < len(bombs), "a script was not ended")
	r.fail(lives == 0, "the mod answers no more")
	r.fail(most-live > 64<<20, "the live heap grew by more than 64 MiB")
	r.fail(most == live, "no collection of garbage saw a script, so the row proves nothing")
	r.bad.do(func() {
		r.fail(count(all, (*client).playing) < len(all), "a fault of a script disconnects: %q", reasons(all))
	})
	return nil
}

// secret is a script that no mod may run.
const secret = "return 'SECRET'\n"

// writeSecrets writes scripts outside of the mod inmate, and links to them inside of it.
func writeSecrets(dir string) error {
	inmate := filepath.Join(dir, "mods", "inmate")
	for _, name := range []string{"secret.lua", "missions/secret.lua", "mods/secret.lua", "mods/other/secret.lua"} {
		if err := writeText(filepath.Join(dir, filepath.FromSlash(name)), secret); err != nil {
			return err
		}
	}
	if err := writeText(filepath.Join(inmate, "own.lua"), "return 'own'\n"); err != nil {
		return err
	}
	for name, target := range map[string]string{
		"link.lua": "../../secret.lua", "absolute.lua": filepath.Join(dir, "secret.lua"), "chain.lua": "link.lua", "linked": "../..", "neighbour": "../other",
	} {
		if err := os.Symlink(target, filepath.Join(inmate, name)); err != nil {
			return err
		}
	}
	return nil
}

// escapes are paths that lead out of the folder of a mod.
func escapes(dir string) (all []string) {
	for _, begin := range []string{
		"../", "../../", "../../../../../../../../", "./../", "server/../../", "server/../../../", `..\`, `..\..\`, `server\..\..\`, "....//", "..%2f", "%2e%2e/",
		"\xc0\xae\xc0\xae/", "．．/", "..\u2044", "..\x00/", "\x00../", "..\n/", " ../", "~/", "$HOME/", "file://", "///", `\\localhost\c$\`, "C:", `C:\`, "linked/", "linked/mods/",
		"neighbour/", "link/../", "/proc/self/cwd/", "/proc/self/root/" + dir + "/", dir + "/", "/" + dir + "/", "./", "/",
	} {
		for _, end := range []string{"secret", "secret.lua", "secret.lua\x00.lua", "SECRET.LUA"} {
			all = append(all, begin+end)
		}
	}
	return append(all, "", ".", "..", "/", ".lua", "..lua", "link.lua", "absolute.lua", "chain.lua", "link", "/etc/passwd", "/dev/zero", "/dev/stdin", "CON.lua", "mod.toml",
		strings.Repeat("../", 500)+"secret.lua", strings.Repeat("x", 5000)+".lua")
}

// inmateMod is a mod with a command that tries all ways out of its folder. The last try is a file of
// its own.
func inmateMod(dir string) string {
	var b strings.Builder
	b.WriteString("local paths = {\n")
	for _, path := range escapes(dir) {
		b.WriteString("  " + luaText(path) + ",\n")
	}
	return b.String() + `}
local tries, ran, refused, next = 0, 0, 0, 1
addCommand { name = "escape", description = "tries ways out", run = function()
  for _ = 1, 40 do
    local path = paths[next]
    if path == nil then break end
    next = next + 1
    for _, open in ipairs { exec, require, loadMission } do
      tries = tries + 1
      if pcall(open, path) then ran = ran + 1 end
    end
  end
  if dofile ~= nil or loadfile ~= nil or os.getenv("PATH") ~= nil then ran = ran + 1 end
  for library, names in pairs {
    io = { "open", "popen", "lines", "input", "output", "read", "tmpfile" },
    os = { "execute", "remove", "rename", "tmpname", "exit", "setlocale" },
    package = { "loadlib", "loaders" }, debug = { "getregistry", "setmetatable", "sethook", "setupvalue" },
  } do
    for _, name in ipairs(names) do
      if rawget(_G[library], name) ~= nil then ran = ran + 1 end
    end
  end
  local own = pcall(exec, "own.lua") and 1 or 0
  echo(tries .. " " .. ran .. " " .. own .. " " .. (paths[next] and 1 or 0))
end }
`
}

// playPaths lets a mod open files outside of its folder.
func playPaths(r *round) error {
	for {
		got, err := r.probed("escape")
		if err != nil {
			return err
		}
		if len(got) == 4 && got[3] > 0 {
			continue
		}
		r.note("a mod tried %d ways out of its folder, by exec, require and loadMission: %d ran", got[0], got[1])
		r.fail(got[1] > 0, "a mod runs a file outside of its folder, or has a function that opens files")
		r.fail(len(got) < 4 || got[2] == 0, "the mod cannot run a file of its own, so the row proves nothing")
		return nil
	}
}
