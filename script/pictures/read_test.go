package pictures

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/picture"
)

// dot is a WebP of one pixel.
func dot() []byte {
	b, _ := base64.StdEncoding.DecodeString("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")
	return b
}

// sized returns the dot with a chunk that nobody reads, of n bytes in all.
func sized(n int) []byte {
	b := append(dot(), "note"...)
	more := n - len(b) - 4
	b = append(b, byte(more), byte(more>>8), 0, 0)
	b = append(b, make([]byte, more)...)
	b[4], b[5] = byte(n-8), byte((n-8)>>8)
	return b
}

func folder(files map[string][]byte) fstest.MapFS {
	dir := fstest.MapFS{}
	for name, data := range files {
		dir["pictures/"+name] = &fstest.MapFile{Data: data}
	}
	return dir
}

func TestPicturesOfAMod(t *testing.T) {
	var saw []string
	set, problems := Read(folder(map[string][]byte{"sword.webp": dot(), "wide-map_2.PNG": dot(), ".DS_Store": []byte("x")}), func(file string, content []byte) {
		saw = append(saw, fmt.Sprint(file, " ", len(content)))
	})
	require.Empty(t, problems)
	assert.Equal(t, []string{"sword", "wide-map_2"}, set.Names())
	assert.Equal(t, picture.WebP, set.Find("wide-map_2").Type, "the content decides")
	assert.Nil(t, set.Find("Sword"))
	assert.Equal(t, []string{fmt.Sprint("pictures/sword.webp ", len(dot())), fmt.Sprint("pictures/wide-map_2.PNG ", len(dot()))}, saw)

	set, problems = Read(fstest.MapFS{"mod.toml": {}}, nil)
	assert.Empty(t, problems)
	assert.Nil(t, set.Find("sword"))
	assert.Empty(t, set.Names())
}

// TestWrongPictures says for each file what is wrong.
func TestWrongPictures(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		why  string
	}{
		"logo.svg":                        {[]byte("<svg/>"), "its name must end in .png, .jpg, .jpeg, .webp"},
		"a.png":                           {[]byte("<svg/>"), "it must be a PNG, JPEG or WebP"},
		"b.png":                           {sized(picture.MaxBytes + 2), "it has 16386 bytes: must be at most 16384"},
		"c.webp":                          {dot()[:30], "the file is cut off"},
		"Big.png":                         {dot(), "the name before .png must be 1 to 64 of a–z, 0–9, _ and -"},
		strings.Repeat("x", 65) + ".webp": {dot(), "the name before .webp must be 1 to 64 of a–z, 0–9, _ and -"},
		"dir.png/x":                       {dot(), "it is not a regular file"},
	} {
		set, problems := Read(folder(map[string][]byte{name: c.data, "zz.webp": dot()}), nil)
		file, _, _ := strings.Cut(name, "/")
		assert.Equal(t, []Problem{{"pictures/" + file, c.why}}, problems)
		assert.Equal(t, []string{"zz"}, set.Names(), "the others are read")
	}
	_, problems := Read(folder(map[string][]byte{"x.jpg": dot(), "x.webp": dot()}), nil)
	require.Len(t, problems, 1)
	assert.EqualError(t, problems[0], `pictures/x.webp: another file has the name "x", too`)
	_, problems = Read(fstest.MapFS{"pictures": {Mode: fs.ModePerm}}, nil)
	assert.Len(t, problems, 1)
}

// TestPicturesOfAModAreBounded in number and size.
func TestPicturesOfAModAreBounded(t *testing.T) {
	many := map[string][]byte{}
	for i := range picture.MaxCount + 2 {
		many[fmt.Sprintf("p%03d.webp", i)] = dot()
	}
	set, problems := Read(folder(many), nil)
	assert.Len(t, set.Names(), picture.MaxCount)
	require.Len(t, problems, 2)
	assert.EqualError(t, problems[0], "pictures/p256.webp: a mod can have at most 256 pictures")
	large := map[string][]byte{}
	for i := range picture.MaxAll/picture.MaxBytes + 1 {
		large[fmt.Sprintf("p%03d.webp", i)] = sized(picture.MaxBytes)
	}
	set, problems = Read(folder(large), nil)
	assert.Len(t, set.Names(), 64)
	require.Len(t, problems, 1)
	assert.EqualError(t, problems[0], "pictures/p064.webp: the pictures of a mod can have at most 1024 KiB")
}
