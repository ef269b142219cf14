// Package compress compresses files for browsers. It is a package of its own because compression
// takes many times the memory of the file: the client for browsers is compressed by a process that
// ends afterwards.
package compress

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/bits"
	"os"
	"regexp"

	"github.com/andybalholm/brotli"
)

// The windows of brotli, as the logarithm of their bytes. Browsers take no larger one.
const (
	minWindow = 16
	maxWindow = 24
)

// Brotli compresses a file for browsers, at a level of 0 to 11. The window is as large as the file:
// a larger one only takes memory.
func Brotli(b []byte, level int) []byte {
	var to bytes.Buffer
	window := min(max(bits.Len(uint(len(b))), minWindow), maxWindow)
	w := brotli.NewWriterOptions(&to, brotli.WriterOptions{Quality: level, LGWin: window})
	_, _ = w.Write(b) // a buffer takes everything
	_ = w.Close()
	return to.Bytes()
}

// Gzip compresses a file for browsers that do not take brotli: over plain HTTP most do not.
func Gzip(b []byte) []byte {
	var to bytes.Buffer
	w, _ := gzip.NewWriterLevel(&to, gzip.BestCompression) // the level is valid
	_, _ = w.Write(b)                                      // a buffer takes everything
	_ = w.Close()
	return to.Bytes()
}

// Gunzip returns what Gzip has compressed, or nil if b is broken. It is for files of the program, as
// the result has any size.
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

// File writes PATH.br, at a level of brotli, and PATH.gz.
func File(path string, level int) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(path+".br", Brotli(text, level), 0o600), os.WriteFile(path+".gz", Gzip(text), 0o600))
}
