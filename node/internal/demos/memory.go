package demos

import "fmt"

// A Memory keeps a demo in memory until its end, where a program has no files. It has the methods
// of a File.
type Memory struct {
	name  string
	size  int64
	most  int64
	parts [][]byte
	keep  func(name string, parts [][]byte)
}

// NewMemory begins a demo with a header. most is its largest size in bytes. Close passes the demo
// to keep.
func NewMemory(name string, header []byte, most int64, keep func(name string, parts [][]byte)) (*Memory, error) {
	m := &Memory{name: name, most: most, keep: keep}
	return m, m.Write(header)
}

// Path returns the name of the demo.
func (m *Memory) Path() string { return m.name }

// Size returns the size of the demo in bytes.
func (m *Memory) Size() int64 { return m.size }

// Write takes the next bytes, which then belong to the demo. An error says why the demo must end.
func (m *Memory) Write(b []byte) error {
	if m.size+int64(len(b)) > m.most {
		return full(m.most)
	}
	m.size += int64(len(b))
	m.parts = append(m.parts, b)
	return nil
}

// full is the error of a demo that has its largest size.
func full(most int64) error { return fmt.Errorf("it has %d MiB, which is the limit", most>>20) }

// Close ends the demo, and passes it on.
func (m *Memory) Close() {
	m.keep(m.name, m.parts)
	m.parts = nil
}

// Done returns true: nothing waits.
func (m *Memory) Done() bool { return true }

// Wait returns nil: nothing waits.
func (m *Memory) Wait() error { return nil }

// Drop forgets the demo.
func (m *Memory) Drop() { m.parts = nil }
