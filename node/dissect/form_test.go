package dissect_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/torc-engine/torc/engine/enginetest"
	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/picture"
)

// TestFormsAndPictures reads a form with a row of each kind, its picture, and its end.
func TestFormsAndPictures(t *testing.T) {
	r := record(t, enginetest.Options{})
	r.slow(31.25)
	r.Join()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 90, 90))))
	file := append(b.Bytes(), make([]byte, 700)...) // a second piece
	p, err := picture.Read(file)
	require.NoError(t, err)
	forms := r.Peer(0).Forms()
	require.NoError(t, forms.Open("m", form.Form{Name: "shop", Title: "Shop", Rows: []form.Row{
		{Kind: form.Image, Text: "A disc", Picture: p},
		{Kind: form.Field, Name: "n", Numeric: true, Max: 9}, {Kind: form.Field, Name: "who", Length: 20, Input: "Ann"},
		{Kind: form.Choice, Name: "car", Choices: []string{"fast", "safe"}}, {Kind: form.Slider, Name: "speed", Max: 1},
		{Kind: form.Table, Choices: []string{"Name"}, Cells: []string{"Ann"}}, {Kind: form.Bar, Value: 0.5}, {Kind: form.Look, Block: 3},
		{Kind: form.Button, Text: "Buy"},
	}}, func(uint32) {}))
	r.Run(5 * time.Second)
	require.Equal(t, file, r.Clients[0].Host.Server().Forms().Picture(1).Data)
	forms.Close("m", "shop")
	r.Run(time.Second)
	for _, cell := range []string{"1", "2"} {
		require.NoError(t, forms.ShowElement(1, "m", form.Element{Name: "score", At: 4, Rows: []form.Row{
			{Text: "Score " + cell}, {Kind: form.Bar, Value: float64(len(cell))}, {Kind: form.Table, Choices: []string{"Name", "Kills"}, Cells: []string{"Ann", cell}},
		}}))
		r.Run(time.Second)
	}
	require.NoError(t, forms.ShowElement(1, "m", form.Element{Name: "score", At: 4, Rows: []form.Row{
		{Text: "Score 2"}, {Kind: form.Bar, Value: 0.5}, {Kind: form.Table, Choices: []string{"Name", "Kills"}, Cells: []string{"Ann", "2"}},
	}}))
	r.Run(time.Second)
	forms.HideElement("m", "score")
	r.Run(time.Second)

	said, bytes := []string{}, 0
	for _, packet := range r.packets() {
		for _, e := range packet.Processed {
			var n, more int
			if _, err := fmt.Sscanf(e.Text, "picture 1 of %d bytes: %d bytes", &n, &more); err == nil || n > 0 {
				assert.Equal(t, len(file), n)
			} else if _, err := fmt.Sscanf(e.Text, "picture 1: %d bytes", &more); err != nil && e.Kind == "form" {
				said = append(said, e.Text)
			}
			bytes += more
		}
	}
	assert.Equal(t, []string{
		`form 1, "shop" "Shop" of 9 rows: 9 rows`, "form 1 is over",
		`HUD element 1, "score" at center: 3 rows`, "HUD element 1: 2 changes", "HUD element 1: 1 changes", "HUD element 1 is over",
	}, said)
	assert.Equal(t, len(file), bytes)
}
