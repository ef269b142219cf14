package play

import (
	"errors"

	"github.com/torc-engine/torc/engine/form"
	"github.com/torc-engine/torc/engine/picture"
	"github.com/torc-engine/torc/game/look"
)

// Forms returns the forms that mods show to the player, the oldest first. changed reports whether
// they have changed since the last call. The caller must not change them.
func (c *Client) Forms() (shown []*form.Form, changed bool) {
	changed, c.formsChanged = c.formsChanged, false
	if server := c.node.Host().Server(); server != nil {
		shown = server.Forms().Shown()
	}
	return shown, changed
}

// HudElements returns the parts of the HUD that mods show at places of the screen, the oldest
// first. changed reports whether they have changed since the last call. The caller must not change
// them.
func (c *Client) HudElements() (shown []*form.Element, changed bool) {
	changed, c.elementsChanged = c.elementsChanged, false
	if server := c.node.Host().Server(); server != nil {
		shown = server.Forms().Elements()
	}
	return shown, changed
}

// PlainHudElement returns an element as plain data: maps, lists, texts, numbers and booleans.
func (c *Client) PlainHudElement(e *form.Element) map[string]any {
	return map[string]any{"number": float64(e.Number), "name": e.Name, "at": e.At.String(), "rows": c.plainRows(e.Rows)}
}

// Picture returns the picture with a number that a form names, or nil if it has not arrived.
func (c *Client) Picture(number uint32) *picture.Picture {
	if server := c.node.Host().Server(); server != nil {
		return server.Forms().Picture(number)
	}
	return nil
}

// Answer sends the player's answer to a form. The error says what is wrong with it.
func (c *Client) Answer(a form.Answer) error {
	if c.game == nil {
		return errors.New("a demo has no forms")
	}
	return c.game.AnswerForm(a)
}

// Plain returns a form as plain data: maps, lists, texts, numbers and booleans.
func (c *Client) Plain(f *form.Form) map[string]any {
	return map[string]any{
		"number": float64(f.Number), "replaces": float64(f.Replaces), "name": f.Name, "title": f.Title,
		"rows": c.plainRows(f.Rows), "complete": f.Complete(), "answered": f.Answered,
	}
}

func (c *Client) plainRows(rows []form.Row) []any {
	list := make([]any, len(rows))
	for i := range rows {
		list[i] = c.plainRow(&rows[i])
	}
	return list
}

// plainRow returns a row as plain data, with the keys that mods use.
func (c *Client) plainRow(r *form.Row) map[string]any {
	m := map[string]any{"kind": r.Kind.String(), "name": r.Name, "text": r.Text}
	switch r.Kind {
	case form.Field:
		if r.Numeric {
			m["min"], m["max"], m["value"] = r.Min, r.Max, r.Value
			m["integer"] = r.Integer
		} else {
			m["length"], m["value"] = r.Length, r.Input
		}
	case form.Choice:
		m["choices"], m["value"] = plainTexts(r.Choices), r.Value
	case form.Slider:
		m["min"], m["max"], m["step"], m["value"] = r.Min, r.Max, r.Step, r.Value
	case form.Table:
		lines := make([]any, r.Lines())
		for i := range lines {
			lines[i] = plainTexts(r.Cells[i*len(r.Choices) : (i+1)*len(r.Choices)])
		}
		m["columns"], m["rows"], m["value"] = plainTexts(r.Choices), lines, r.Value
	case form.Bar:
		m["value"] = r.Value
	case form.Look:
		m["look"] = c.lookOf(r.Block)
	case form.Image:
		m["picture"], m["ready"] = float64(r.Image), r.Picture != nil
	}
	return m
}

func plainTexts(list []string) []any {
	out := make([]any, len(list))
	for i, s := range list {
		out[i] = s
	}
	return out
}

// lookOf returns the elements of the look of a datablock of the server by its number + 1, as
// Look.Plain does, or nil.
func (c *Client) lookOf(block int) any {
	server := c.node.Host().Server()
	if server == nil || block == 0 {
		return nil
	}
	b := server.Blocks.Find(block - 1)
	if b == nil {
		return nil
	}
	field := b.Ident().Class().Lookup("look")
	if field == nil {
		return nil
	}
	l, ok := look.Decode(field.Get(b).Text())
	if !ok {
		return nil
	}
	return l.Plain()
}
