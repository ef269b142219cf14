// Package compress makes the files of a page smaller for browsers, while a server runs. Package
// brotli does it with minutes of time and much memory.
package compress

import (
	"bytes"
	"compress/gzip"
	"io"
	"regexp"
)

// Gzip compresses a file for browsers that do not take brotli, as over plain HTTP, and for all
// while there is no form with brotli.
func Gzip(b []byte) []byte {
	var to bytes.Buffer
	w, _ := gzip.NewWriterLevel(&to, gzip.BestCompression) // the level is valid
	_, _ = w.Write(b)                                      // a buffer takes everything
	_ = w.Close()
	return to.Bytes()
}

// Gunzip returns what Gzip has compressed, or nil if b is broken. It is for files of the program,
// as the result has any size.
func Gunzip(b []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return nil
	}
	return text
}

// comment is a line with nothing but a comment.
var comment = regexp.MustCompile(`(?m)^[ \t]*//.*$`)

// Script returns JavaScript without the text of the lines that are only a // comment: an eighth of
// the page of the client. The lines stay, so errors name the right ones. Without such lines it
// returns b.
func Script(b []byte) []byte {
	if !comment.Match(b) {
		return b
	}
	return comment.ReplaceAll(b, nil)
}
