// Package brotli compresses files for browsers as far as they allow. The programs that build a
// client use it, and the server does not: the encoder adds 0.8 MB to a program, and takes many
// times the memory of the file.
package brotli

import (
	"bytes"
	"errors"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"

	encoder "github.com/andybalholm/brotli"

	"github.com/torc-engine/torc/internal/compress"
	"github.com/torc-engine/torc/internal/webfiles"
)

// The windows of brotli, as the logarithm of their bytes. Browsers take no larger one.
const (
	minWindow = 16
	maxWindow = 24
)

// Compress compresses a file for browsers, at a level of 0 to 11. The window is as large as the
// file: a larger one only takes memory.
func Compress(b []byte, level int) []byte {
	var to bytes.Buffer
	window := min(max(bits.Len(uint(len(b))), minWindow), maxWindow)
	w := encoder.NewWriterOptions(&to, encoder.WriterOptions{Quality: level, LGWin: window})
	_, _ = w.Write(b) // a buffer takes everything
	_ = w.Close()
	return to.Bytes()
}

// File writes PATH.br, at a level of brotli, and PATH.gz.
func File(path string, level int) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(path+".br", Compress(text, level), 0o600), os.WriteFile(path+".gz", compress.Gzip(text), 0o600))
}

// Texts writes the texts of the page in all folders into a folder, compressed at a level, under the
// names that webfiles.Read looks for. It leaves out a text that would not be smaller.
func Texts(to string, level int, folders ...fs.FS) error {
	files, err := webfiles.Read(folders...)
	if err != nil {
		return err
	}
	for _, f := range files {
		if !f.IsText() || f.Br != nil {
			continue
		}
		text := f.Content
		if text == nil {
			text = compress.Gunzip(f.Gz)
		}
		form := Compress(text, level)
		if len(form) >= len(text) {
			continue
		}
		path := filepath.Join(to, filepath.FromSlash(f.ReleasedName()))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, form, 0o600); err != nil {
			return err
		}
	}
	return nil
}
