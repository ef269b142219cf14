package picture

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/cmd/internal/flags"
	"github.com/torc-engine/torc/cmd/internal/tui"
	"github.com/torc-engine/torc/game/scene"
)

// limit is the maximum size of the image, in bytes.
const limit = 60_000

// picture runs a command line, and returns the image.
func picture(args ...string) (string, error) {
	var o Options
	set := flags.New("torclab picture")
	o.Declare(set)
	if _, err := set.Parse(args); err != nil {
		return "", err
	}
	var image strings.Builder
	err := o.Run(&image)
	return image.String(), err
}

// TestSameFlagsGiveSamePicture draws a short match twice.
func TestSameFlagsGiveSamePicture(t *testing.T) {
	var images [2]string
	for i := range images {
		var err error
		images[i], err = picture("--ticks", "300", "--bots", "4")
		require.NoError(t, err)
	}
	require.Equal(t, images[0], images[1])
	text := textOf(t, []byte(images[0]))
	for _, part := range []string{"Red 0", "HP", "m/s", "40 ms"} {
		assert.Contains(t, text, part)
	}
}

// TestEveryCellIsInTheImage compares the text of the image with the cells.
func TestEveryCellIsInTheImage(t *testing.T) {
	var c tui.Frame
	c.Draw(&tui.Scene{
		Width: 40, Height: 8, Scale: 1, Messages: []string{`<&">`, "日本 wide"},
		Body:   tui.Body{Known: true, Yaw: -90, Health: 0.5, Energy: 1, Ride: -1, Ping: 43, Team: 1},
		Things: []tui.Marker{{Kind: scene.Person, Yaw: -90, Team: 1, Own: true}},
	})
	image := svg(&c)
	blank := strings.NewReplacer(" ", "", "\n", "")
	assert.Equal(t, blank.Replace(c.String()), blank.Replace(textOf(t, image)))
	assert.Contains(t, string(image), ">→<", "the own player")
	assert.Contains(t, string(image), `fill="#ff5f5f"`, "the colour of the own team, 203, behind the own player")
}

func TestColours(t *testing.T) {
	for c, want := range map[tui.Color]string{1: "#cd0000", 16: "#000000", 203: "#ff5f5f", 231: "#ffffff", 232: "#080808", 255: "#eeeeee"} {
		assert.Equal(t, want, hex(c), "%d", c)
	}
}

// TestReadmePicture checks the committed image. It does not compare it with a new one, because
// each change of the game would need a new image.
func TestReadmePicture(t *testing.T) {
	image, err := os.ReadFile("../../../../docs/view.svg")
	require.NoError(t, err)
	assert.Less(t, len(image), limit)
	assert.Equal(t, standard.height, bytes.Count(image, []byte("<text ")))
	assert.Contains(t, textOf(t, image), "Blue")
}

func TestNoPicture(t *testing.T) {
	_, err := picture("--ticks", "2")
	require.ErrorContains(t, err, "nothing to show after 2 ticks")
	_, err = picture("--mod", "golf")
	require.ErrorContains(t, err, "golf")
}

// textOf returns the characters of an image, and fails if it is not well-formed.
func textOf(t *testing.T, image []byte) string {
	t.Helper()
	var text strings.Builder
	inside := false
	for d := xml.NewDecoder(bytes.NewReader(image)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return text.String()
		}
		require.NoError(t, err)
		switch token := token.(type) {
		case xml.StartElement:
			inside = token.Name.Local == "text" || token.Name.Local == "tspan"
		case xml.CharData:
			if inside {
				text.Write(token)
			}
		}
	}
}
