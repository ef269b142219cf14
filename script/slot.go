package script

// A slot is the place of one binding's data in Scripts. Each binding reaches its data through a slot
// of its own, so that Scripts names no binding.
type slot[T any] struct{ at int }

// slotCount is the number of slots made. Slots are made when the program starts.
var slotCount int

func newSlot[T any]() slot[T] {
	slotCount++
	return slot[T]{slotCount - 1}
}

// of returns the data of a host's scripts, zero at first.
func (k slot[T]) of(s *Scripts) *T {
	if s.slots == nil {
		s.slots = make([]any, slotCount)
	}
	if s.slots[k.at] == nil {
		s.slots[k.at] = new(T)
	}
	return s.slots[k.at].(*T)
}
