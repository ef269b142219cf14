// Package replay runs servers again from their journals.
//
//	r, err := replay.New(file, replay.Config{})
//	…
//	defer r.Close()
//	for err == nil {
//		err = r.Step() // io.EOF after the last call
//	}
//	fmt.Println(r.Difference())
//
// # Where to read
//
//	replay.go   a server whose inputs come from a journal
//	summary.go  what a journal has, without a replay: its ticks and its marks
//	page.go     a replay in the net page, with a time to choose
//	parts_js.go what a replay as wasm has, and a page has not
package replay
