// Package qr draws QR codes as text.
package qr

import (
	"strings"

	qr "github.com/piglig/go-qr"
)

const border = 2 // light modules around the code: enough for phones

// Text returns the QR code of a text, two rows of modules in a line. The light modules are drawn,
// so it is right on a dark terminal. Phones also read the inverse, on a light one.
func Text(text string) (string, error) {
	code, err := qr.EncodeText(text, qr.Low)
	if err != nil {
		return "", err
	}
	light := func(x, y int) bool { return y < code.Size()+border && !code.Module(x, y) } // outside of the code is light
	var b strings.Builder
	for y := -border; y < code.Size()+border; y += 2 {
		for x := -border; x < code.Size()+border; x++ {
			b.WriteString(blocks[light(x, y)][light(x, y+1)])
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// blocks are the characters of a light or dark module above another.
var blocks = map[bool]map[bool]string{true: {true: "█", false: "▀"}, false: {true: "▄", false: " "}}
