package attack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// probeMod counts the arguments that reach a handler.
const probeMod = `local calls, longest, most = 0, 0, 0
function serverCmd.Show(client, ...)
  local sum = 0
  for i = 1, select("#", ...) - 1 do -- the last one is no tag
    local n = #tostring((select(i, ...)))
    longest, sum = math.max(longest, n), sum + n
  end
  calls, most = calls + 1, math.max(most, sum)
end

local all, objects = 0, 0
function serverCmd.Refer(client, ...)
  for i = 1, select("#", ...) do
    all = all + 1
    if select(i, ...) ~= nil then objects = objects + 1 end
  end
end

addCommand { name = "shown", description = "counts texts", run = function() echo(calls .. " " .. longest .. " " .. most) end }
addCommand { name = "referred", description = "counts objects", run = function() echo(all .. " " .. objects) end }
`

// probed returns the counts that a command of a mod of the suite prints.
func (r *round) probed(command string) (counts []int, err error) {
	text, err := r.exec("%s", command)
	for word := range strings.FieldsSeq(text) {
		n, wrong := strconv.Atoi(word)
		if wrong != nil {
			return nil, fmt.Errorf("%s: %s", command, text)
		}
		counts = append(counts, n)
	}
	if err == nil && len(counts) < 2 {
		err = fmt.Errorf("%s: %s", command, text)
	}
	return counts, err
}

// siteWith returns a function that starts a server with a mod.
func siteWith(name string) func(ctx context.Context) (*site, error) {
	return func(ctx context.Context) (*site, error) { return startChild(ctx, "127.0.0.1:0", name) }
}

// writeMods writes the mods of the suite, and what they must not reach, into the folder of a server.
func writeMods(dir string) error {
	err := writeSecrets(dir)
	for name, text := range map[string]string{"gate": gateMod, "probe": probeMod, "bombs": bombsMod(), "inmate": inmateMod(dir)} {
		err = errors.Join(err, writeFiles(dir, modFiles(name, text)))
	}
	return err
}

func writeText(path, text string) error {
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600))
}

// luaText returns a text as a string of Lua.
func luaText(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(text) {
		fmt.Fprintf(&b, `\%03d`, text[i])
	}
	return b.String() + `"`
}
