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
	lent  *Protos // is searched too; nil: none
	all   *Shared // likewise, and gets what this cache compiles; nil: none
}

type cachedFile struct {
	name, source string
	proto        *lua.FunctionProto
	cost         int // in instructions
}

// NewProtos returns an empty cache.
func NewProtos() *Protos { return &Protos{seed: maphash.MakeSeed(), files: map[uint64]*cachedFile{}} }

// Len returns the number of cached files.
func (p *Protos) Len() int { return len(p.files) }

// Clear empties the cache, so that files are compiled again.
func (p *Protos) Clear() { clear(p.files) }

// Lend makes p use the compiled files of another cache until end is called. p keeps the files that
// it needed. A cache has no lock, so nothing else may use the other one from now on. It can be nil.
func (p *Protos) Lend(other *Protos) (end func()) {
	p.lent = other
	return func() { p.lent = nil }
}

// find returns a cached file, or nil.
func (p *Protos) find(key uint64, name, source string) *cachedFile {
	if c := p.files[key]; c != nil && c.name == name && c.source == source {
		return c
	}
	return nil
}

// key returns the place of a file in the cache.
func (p *Protos) key(name, source string) uint64 { return maphash.String(p.seed, name+"\x00"+source) }

// keep caches a file.
func (p *Protos) keep(key uint64, c *cachedFile) {
	if len(p.files) >= maxCached {
		clear(p.files)
	}
	p.files[key] = c
}

func (p *Protos) compile(name, source string, afford func(cost int) error) (*lua.FunctionProto, error) {
	key := p.key(name, source)
	c := p.find(key, name, source)
	if c == nil {
		if c = p.elsewhere(name, source); c != nil {
			p.keep(key, c)
		}
	}
	if c != nil {
		if err := afford(c.cost); err != nil {
			return nil, &luac.SyntaxError{File: name, Line: 1, Text: err.Error()}
		}
		return c.proto, nil
	}
	c = &cachedFile{name: name, source: source}
	var err error
	c.proto, err = luac.Compile(name, source, func(cost int) error {
		c.cost = cost
		return afford(cost)
	})
	if err == nil {
		p.keep(key, c)
		p.all.keep(c)
	}
	return c.proto, err
}

// elsewhere returns a file of another cache, or nil.
func (p *Protos) elsewhere(name, source string) *cachedFile {
	if p.lent != nil {
		if c := p.lent.find(p.lent.key(name, source), name, source); c != nil {
			return c
		}
	}
	return p.all.find(name, source)
}
