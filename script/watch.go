package script

import (
	"io/fs"

	"github.com/torc-engine/torc/console"
)

// watchVar returns the variable mod.watch.
func (r *reloads) watchVar() console.Var {
	return console.Var{
		Name: "mod.watch", Help: "reloads mods when their files change",
		Value: console.Hook(console.Bool(&r.watching), func() error {
			r.watched = watchedFiles{}
			return nil
		}),
	}
}

// checkFiles checks the next few files, and reloads a mod whose files have changed.
func (r *reloads) checkFiles() {
	if !r.watching {
		return
	}
	if changed := r.watched.Check(r.scripts.Runtime.Now(), watchSource{r.scripts}); changed != "" {
		r.reload(changed, false, r.scripts.screen.printOutcome)
	}
}

// watchSource gives the loaded mods to watch.Files.
type watchSource struct{ s *Scripts }

func (w watchSource) Watched() (names []string) {
	for _, m := range w.s.Runtime.Mods {
		if manifestOf(m) != nil {
			names = append(names, m.Name)
		}
	}
	return names
}

func (w watchSource) Folder(mod string) fs.FS {
	if m := w.s.Runtime.Mod(mod); m != nil {
		return m.FS
	}
	return nil
}

func (w watchSource) Testing(mod string) bool { return w.s.reloads.pending[mod] }
