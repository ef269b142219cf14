package line

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// A panel of a plot has one scale. Its curves have equally many values.
type panel struct {
	title  string
	most   float64 // the top of the scale
	curves []curve
}

type curve struct {
	name   string
	values []float64
}

// Sizes in pixels.
const (
	plotLeft, plotWidth = 60, 640
	plotTop, plotHeight = 30, 120
	plotGap             = 46 // between panels
	plotSteps           = 4  // of a scale
)

// colours are those of the curves. They are readable on white and on black, and so is plotGrey.
var colours = []string{"#2f81f7", "#d9822b", "#2da44e"}

const plotGrey = "#808890"

// svg draws panels below each other over a common time.
func svg(long time.Duration, panels ...panel) []byte {
	var b bytes.Buffer
	height := plotTop + len(panels)*(plotHeight+plotGap)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d">`+"\n", plotLeft+plotWidth+20, height)
	fmt.Fprintf(&b, "<style>text{font:12px system-ui,sans-serif;fill:%s}path{fill:none;stroke-width:1.6}line{stroke:%[1]s;stroke-width:.4}</style>\n", plotGrey)
	for i, p := range panels {
		p.draw(&b, plotTop+i*(plotHeight+plotGap), long)
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// draw draws a panel whose upper edge is at y.
func (p *panel) draw(b *bytes.Buffer, y int, long time.Duration) {
	fmt.Fprintf(b, `<text x="%d" y="%d">%s</text>`+"\n", plotLeft, y-10, p.title)
	for i := range plotSteps + 1 {
		at := y + plotHeight - i*plotHeight/plotSteps
		fmt.Fprintf(b, `<line x1="%d" y1="%d" x2="%d" y2="%d"/><text x="%d" y="%d" text-anchor="end">%g</text>`+"\n",
			plotLeft, at, plotLeft+plotWidth, at, plotLeft-6, at+4, p.most*float64(i)/plotSteps)
	}
	for s := 0; s <= int(long.Seconds()); s += 10 {
		fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">%d s</text>`+"\n", plotLeft+s*plotWidth/int(long.Seconds()), y+plotHeight+16, s)
	}
	for i, c := range p.curves {
		fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="end" style="fill:%s">%s</text>`+"\n", plotLeft+plotWidth-110*(len(p.curves)-1-i), y-10, colours[i], c.name)
		var path strings.Builder
		for j, v := range c.values {
			v = min(v/p.most, 1)
			fmt.Fprintf(&path, "%c%.0f %.1f", "ML"[min(j, 1)], plotLeft+(float64(j)+.5)*plotWidth/float64(len(c.values)), float64(y)+plotHeight*(1-v))
		}
		fmt.Fprintf(b, `<path d="%s" stroke="%s"/>`+"\n", path.String(), colours[i])
	}
}
