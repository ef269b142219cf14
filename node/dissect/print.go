package dissect

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Print writes a packet as text.
func Print(w io.Writer, p *Packet) error {
	var b strings.Builder
	fmt.Fprintf(&b, "packet %d  %.6f s  from the %s  %d bytes  %s", p.Packet, float64(p.Time)/1e6, p.From, p.Size, p.Type)
	if p.Number > 0 {
		fmt.Fprintf(&b, " %d", p.Number)
	}
	for _, word := range []string{string(p.Fate), p.Note} {
		if word != "" {
			b.WriteString("  " + word)
		}
	}
	b.WriteByte('\n')
	printFields(&b, p.Fields, "", p.Type == "data")
	for i := range p.Processed {
		e := &p.Processed[i]
		place := fmt.Sprintf("channel %d, number %d", e.Channel, e.Number)
		if e.Channel == unordered {
			place = "unordered"
		}
		fmt.Fprintf(&b, "  processed: %s (%s, %s)\n", e.Text, e.Kind, place)
		printFields(&b, e.Fields, "  ", true)
	}
	if p.Error != "" {
		fmt.Fprintf(&b, "  error: %s\n", p.Error)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// printFields writes fields. In parts, they are below the first parts of their names.
func printFields(b *strings.Builder, fields []Field, indent string, parts bool) {
	section := ""
	for i := range fields {
		f := &fields[i]
		name := f.Name
		if parts {
			var head string
			if head, name, _ = strings.Cut(f.Name, "."); head != section {
				section = head
				fmt.Fprintf(b, "%s  %s\n", indent, head)
			}
		}
		place := fmt.Sprintf("%d-%d", f.From, f.To)
		if f.From == f.To {
			place = ""
		}
		fmt.Fprintf(b, "%s    %11s  %-32s %s\n", indent, place, name, f.text())
	}
}

// text returns the value of a field as text.
func (f *Field) text() string {
	text := plain(f.Value)
	if f.Means != nil {
		text += "  = " + plain(f.Means)
	}
	if f.Residual != nil {
		text += fmt.Sprintf("  residual %d", *f.Residual)
	}
	return text
}

func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return "none"
	case string:
		return fmt.Sprintf("%q", v)
	}
	return fmt.Sprint(v)
}

// PrintJSON writes a packet as a line of JSON.
func PrintJSON(w io.Writer, p *Packet) error {
	line, err := json.Marshal(p)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}
