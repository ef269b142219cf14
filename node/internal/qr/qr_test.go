package qr

import (
	"image"
	"image/color"
	"strings"
	"testing"
	"unicode/utf8"

	qr "github.com/piglig/go-qr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// picture returns the pixels of drawn text, with scale pixels per module.
func picture(text string, scale int) image.Image {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	img := image.NewGray(image.Rect(0, 0, scale*utf8.RuneCountInString(lines[0]), scale*2*len(lines)))
	for y, line := range lines {
		for x, r := range []rune(line) {
			for i := range 2 * scale * scale {
				upper := i < scale*scale
				if r == '█' || r == '▀' && upper || r == '▄' && !upper {
					img.SetGray(x*scale+i%scale, 2*y*scale+i/scale, color.Gray{Y: 255})
				}
			}
		}
	}
	return img
}

// TestText reads the code back.
func TestText(t *testing.T) {
	for _, link := range []string{"http://127.0.0.1:28000/#k", "https://play.example.org/#" + strings.Repeat("k", 52), "http://[2001:db8:1:2:3:4:5:6]:28000/#" + strings.Repeat("x", 64)} {
		text, err := Text(link)
		require.NoError(t, err)
		got, err := qr.Decode(picture(text, 4))
		require.NoError(t, err)
		assert.Equal(t, link, got)
		assert.LessOrEqual(t, strings.Count(text, "\n"), 24, "it fits a terminal")
	}
	_, err := Text(strings.Repeat("x", 10_000))
	assert.Error(t, err)
}
