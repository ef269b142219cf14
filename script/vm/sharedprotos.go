package vm

// Shared has the compiled files of caches on different goroutines, such as those of a server and a
// client in one process. A nil Shared has none.
type Shared struct {
	lock   Locker
	protos *Protos
}

// A Locker is a sync.Locker. The packages of the core do not import sync.
type Locker interface {
	Lock()
	Unlock()
}

// NewShared returns an empty Shared. lock guards it, and nothing else may use it.
func NewShared(lock Locker) *Shared { return &Shared{lock, NewProtos()} }

// Protos returns a new cache for one goroutine. It searches s before it compiles a file, and s gets
// the files that it compiles.
func (s *Shared) Protos() *Protos {
	p := NewProtos()
	p.all = s
	return p
}

func (s *Shared) find(name, source string) *cachedFile {
	if s == nil {
		return nil
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.protos.find(s.protos.key(name, source), name, source)
}

func (s *Shared) keep(c *cachedFile) {
	if s == nil {
		return
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	s.protos.keep(s.protos.key(c.name, c.source), c)
}
