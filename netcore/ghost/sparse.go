package ghost

// sparse is a column of a table that holds values of few ghosts. Another set of the table has the
// ids with a value. There is a page for each word of ids with one of them, and memory only for
// those.
type sparse[T any] struct {
	pages []*[64]T // by word; nil: no id of the word has a value
	free  []*[64]T
	used  bool // free was needed since the last trim
}

// at returns the place of the value of an id that has one.
func (s *sparse[T]) at(id int) *T { return &s.pages[id>>6][id&63] }

// set sets the value of an id.
func (s *sparse[T]) set(id int, value T) { s.page(id >> 6)[id&63] = value }

// page returns the page of a word. If there is none, it begins one, with any values.
func (s *sparse[T]) page(word int) *[64]T {
	if word >= len(s.pages) {
		s.pages = growTo(s.pages, word+1)
	}
	if s.pages[word] == nil {
		s.pages[word] = s.take()
	}
	return s.pages[word]
}

func (s *sparse[T]) take() *[64]T {
	s.used = true
	last := len(s.free) - 1
	if last < 0 {
		return new([64]T)
	}
	page := s.free[last]
	s.free = s.free[:last]
	return page
}

// each calls do with every page.
func (s *sparse[T]) each(do func(page *[64]T)) {
	for _, page := range s.pages {
		if page != nil {
			do(page)
		}
	}
}

// drop frees the page of a word, because no id of the word has a value any more.
func (s *sparse[T]) drop(word int) {
	if word < len(s.pages) && s.pages[word] != nil {
		s.free = append(s.free, s.pages[word])
		s.pages[word] = nil
	}
}

// trim gives back the memory of free pages if none was needed since the last trim.
func (s *sparse[T]) trim() {
	if !s.used {
		s.free = nil
	}
	s.used = false
}
