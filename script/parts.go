package script

import (
	"io/fs"

	lua "github.com/yuin/gopher-lua"

	"github.com/torc-engine/torc/engine"
	"github.com/torc-engine/torc/engine/sim"
	"github.com/torc-engine/torc/script/bind"
	"github.com/torc-engine/torc/script/messages"
	"github.com/torc-engine/torc/script/pictures"
	"github.com/torc-engine/torc/script/reference"
	"github.com/torc-engine/torc/script/sockets"
	"github.com/torc-engine/torc/script/store"
	"github.com/torc-engine/torc/script/texts"
	"github.com/torc-engine/torc/script/trial"
	"github.com/torc-engine/torc/script/vm"
)

// Parts are the parts of Lua that a page in a browser does without: it is never a server, has no
// sockets and runs no tests. Its program does not call NewParts, so it does not contain the code
// behind them.
type Parts struct {
	plural   func(language string) func(n float64) string
	texts    func(dir fs.FS, o texts.Options) (*texts.Tables, []texts.Problem)
	pictures func(dir fs.FS, saw func(file string, content []byte)) (*pictures.Set, []pictures.Problem)
	tests    func() vm.Lib               // the rows for tests, which help shows
	libs     func() []vm.Lib             // chapters of the API
	game     func(*sim.Classes) []vm.Lib // chapters of a game's classes
	store    []bind.Row                  // the metatable of the global store
	sockets  func(sockets.Config) socketSet
	messages func(messages.Config) messageSet
	share    func(*store.Storage, store.Fleet)                     // lets a fleet keep values
	arrival  func(x *instance) func(*engine.Connection) lua.LValue // client.arrival
}

// A socketSet has the requests and connections of mods.
type socketSet interface {
	Begin()
	Flush()
	Retire(m *vm.Mod)
	Recheck()
}

// noSockets are those of a page.
type noSockets struct{}

func (noSockets) Begin()         {}
func (noSockets) Flush()         {}
func (noSockets) Retire(*vm.Mod) {}
func (noSockets) Recheck()       {}

// A messageSet has the messages and questions of mods for other servers.
type messageSet interface {
	Begin()
	Flush()
	Retire(m *vm.Mod)
}

// noMessages are those of a page.
type noMessages struct{}

func (noMessages) Begin()         {}
func (noMessages) Flush()         {}
func (noMessages) Retire(*vm.Mod) {}

// NewParts returns all parts. plural returns the function that names the plural form of a number in
// a language; nil: mods have texts without plural forms.
func NewParts(plural func(language string) func(n float64) string) *Parts {
	return &Parts{plural: plural, texts: texts.Read, pictures: pictures.Read, tests: trial.API, libs: moreLibs, game: bind.GameRows, store: store.Meta, sockets: newSockets, messages: newMessages, share: (*store.Storage).Share, arrival: arrivals}
}

// Keep has the sides with these parts share the tables of equal files of texts, and a side the rows
// of the side before if both have the same classes. All of these sides must be on one goroutine. It
// returns p.
func (p *Parts) Keep() *Parts {
	p.texts = texts.NewCache().Read
	var last *sim.Classes
	var rows []vm.Lib
	p.game = func(classes *sim.Classes) []vm.Lib {
		if classes != last {
			last, rows = classes, bind.GameRows(classes)
		}
		return rows
	}
	return p
}

func newSockets(cfg sockets.Config) socketSet { return sockets.New(cfg) }

func newMessages(cfg messages.Config) messageSet { return messages.New(cfg) }

// moreLibs returns the chapters of the API that a page lacks.
func moreLibs() []vm.Lib {
	return []vm.Lib{store.Lib(), reference.Callbacks(), sockets.Lib(), fleetLib(), messages.Lib()}
}

func arrivals(x *instance) func(*engine.Connection) lua.LValue { return x.arrivalOf }
