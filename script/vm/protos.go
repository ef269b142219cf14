package vm

import (
	"hash/maphash"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/script/luac"
)

// maxCached is the maximum number of compiled files in the cache.
const maxCached = 1024

// Protos caches compiled files. Cached prototypes are never modified, so hosts on one goroutine can
// share one cache. A cached file costs as many instructions as a compiled one, so the cache changes
// no budget.
type Protos struct {
	seed  maphash.Seed
	files map[uint64]*cachedFile
}

type cachedFile struct {
	name, source string
	proto        *lua.FunctionProto
	cost         int // in instructions
}

// NewProtos returns an empty cache.
func NewProtos() *Protos { return &Protos{maphash.MakeSeed(), map[uint64]*cachedFile{}} }

// Len returns the number of cached files.
func (p *Protos) Len() int { return len(p.files) }

// Clear empties the cache, so that files are compiled again.
func (p *Protos) Clear() { clear(p.files) }

func (p *Protos) compile(name, source string, afford func(cost int) error) (*lua.FunctionProto, error) {
	key := maphash.String(p.seed, name+"\x00"+source)
	if c := p.files[key]; c != nil && c.name == name && c.source == source {
		if err := afford(c.cost); err != nil {
			return nil, &luac.SyntaxError{File: name, Line: 1, Text: err.Error()}
		}
		return c.proto, nil
	}
	c := &cachedFile{name: name, source: source}
	var err error
	c.proto, err = luac.Compile(name, source, func(cost int) error {
		c.cost = cost
		return afford(cost)
	})
	if err == nil {
		if len(p.files) >= maxCached {
			clear(p.files)
		}
		p.files[key] = c
	}
	return c.proto, err
}
