package dissect

import "fmt"

const (
	maxFormRows    = 256
	maxFormName    = 32
	maxFormTitle   = 128
	maxFormText    = 1024
	maxFormChoices = 255
	maxFormColumns = 16
	maxBindText    = 128
	maxElementRows = 32
	maxCells       = maxFormChoices * maxFormColumns

	maxPictureNumber = 1<<32 - 1
	minPicture       = 20
	maxPicture       = 16 << 10
	maxPicturePiece  = 4 << 10
	pictureHash      = 16
)

// rowKinds are the kinds of the rows of a form.
var rowKinds = [...]string{"text", "button", "field", "choice", "slider", "table", "bar", "look", "image"}

// form reads a part of a form, its end, the answer to it, a key of a mod, a part of a picture, or a
// change of the HUD.
func (t *trace) form() string {
	switch t.ranged("use", 0, 5) {
	case 0:
		return t.formPiece()
	case 1:
		return fmt.Sprintf("form %d is over", t.formNumber("number"))
	case 2:
		return t.formAnswer()
	case 3:
		return t.bind()
	case 4:
		return t.picturePiece()
	}
	return t.element()
}

// places are the places of the screen.
var places = [...]string{"top left", "top", "top right", "left", "center", "right", "bottom left", "bottom", "bottom right"}

// element reads a change of a part of the HUD.
func (t *trace) element() string {
	text := fmt.Sprintf("HUD element %d", t.formNumber("number"))
	switch t.ranged("change", 0, 2) {
	case 0:
		at, name := t.ranged("place", 0, len(places)-1), t.text("name", maxFormName)
		n := t.items("rows", t.formRow)
		return fmt.Sprintf("%s, %q at %s: %d rows", text, name, places[at], n)
	case 1:
		return fmt.Sprintf("%s: %d changes", text, t.items("parts", t.elementPart))
	}
	return text + " is over"
}

// items reads 1 to 32 items of an element.
func (t *trace) items(name string, read func()) int {
	n := t.ranged(name, 1, maxElementRows)
	for i := 0; i < n && t.ok(); i++ {
		leave := t.withinItem(i)
		read()
		leave()
	}
	return n
}

// elementPart reads what is new in a row of an element.
func (t *trace) elementPart() {
	t.ranged("row", 0, maxElementRows-1)
	switch t.ranged("how", 0, 2) {
	case 0:
		t.formRow()
	case 1:
		t.bits("value", 10)
	case 2:
		n := t.ranged("cells", 1, maxCells)
		for i := 0; i < n && t.ok(); i++ {
			leave := t.withinItem(i)
			t.ranged("cell", 0, maxCells-1)
			t.text("text", maxFormText)
			leave()
		}
	}
}

// pictureNumber reads the number of a picture.
func (t *trace) pictureNumber(name string) uint64 {
	n := t.varint(name)
	if t.ok() && (n == 0 || n > maxPictureNumber) {
		t.fail(name, "no picture has the number %d", n)
	}
	return n
}

func (t *trace) picturePiece() string {
	number, use := t.pictureNumber("number"), t.ranged("part", 0, 2)
	if use == 2 {
		return fmt.Sprintf("picture %d is forgotten", number)
	}
	text := fmt.Sprintf("picture %d", number)
	if use == 0 {
		text += fmt.Sprintf(" of %d bytes", t.ranged("size", minPicture, maxPicture))
		leave := t.within("hash")
		for i := 0; i < pictureHash && t.ok(); i++ {
			t.bits(fmt.Sprint(i), 8)
		}
		leave()
	}
	data := t.bytes("bytes", maxPicturePiece)
	if t.ok() && len(data) == 0 {
		t.fail("bytes", "a piece of a picture is empty")
	}
	return fmt.Sprintf("%s: %d bytes", text, len(data))
}

// bindKeys are the keys that a mod can ask for, before F1 to F12.
const bindKeys = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

// bind reads a key that a mod asks for, or its end.
func (t *trace) bind() string {
	mod, name := t.text("mod", maxFormName), t.text("name", maxFormName)
	if !t.flag("on") {
		return fmt.Sprintf("no key for %q of %q", name, mod)
	}
	key, sign := t.ranged("key", 0, len(bindKeys)+11), ""
	if key < len(bindKeys) {
		sign = bindKeys[key : key+1]
	} else {
		sign = fmt.Sprint("F", key-len(bindKeys)+1)
	}
	return fmt.Sprintf("key %s for %q of %q: %q", sign, name, mod, t.text("text", maxBindText))
}

// formNumber reads the number of a form.
func (t *trace) formNumber(name string) uint64 {
	n := t.varint(name)
	if t.ok() && (n == 0 && name == "number" || n >= 1<<32) {
		t.fail(name, "no form has the number %d", n)
	}
	return n
}

func (t *trace) formPiece() string {
	text := fmt.Sprintf("form %d", t.formNumber("number"))
	if t.flag("head") {
		replaces, name, title := t.formNumber("replaces"), t.text("name", maxFormName), t.text("title", maxFormTitle)
		text += fmt.Sprintf(", %q %q of %d rows", name, title, t.ranged("total", 0, maxFormRows))
		if replaces > 0 {
			text += fmt.Sprintf(" in the place of %d", replaces)
		}
	}
	n := t.ranged("rows", 0, maxFormRows)
	for i := 0; i < n && t.ok(); i++ {
		leave := t.withinItem(i)
		t.formRow()
		leave()
	}
	return fmt.Sprintf("%s: %d rows", text, n)
}

func (t *trace) formRow() {
	kind := rowKinds[t.ranged("kind", 0, len(rowKinds)-1)]
	t.text("text", maxFormText)
	switch kind {
	case "text", "bar", "look", "image":
	default:
		if t.flag("named") {
			t.text("name", maxFormName)
		}
	}
	switch kind {
	case "field":
		if t.flag("numeric") {
			t.flag("integer")
			t.formNumbers("min", "max", "value")
			return
		}
		t.ranged("length", 1, maxFormText)
		t.text("value", maxFormText)
	case "choice":
		n := t.ranged("choices", 1, maxFormChoices)
		t.formTexts("choice", n)
		t.ranged("value", 0, n)
	case "slider":
		t.formNumbers("min", "max", "step", "value")
	case "table":
		columns, rows := t.ranged("columns", 1, maxFormColumns), t.ranged("tableRows", 0, maxFormChoices)
		t.formTexts("column", columns)
		t.formTexts("cell", columns*rows)
		t.ranged("value", 0, rows)
	case "bar":
		t.bits("value", 10)
	case "look":
		t.bits("block", 16)
	case "image":
		t.pictureNumber("picture")
	}
}

func (t *trace) formTexts(name string, n int) {
	for i := 0; i < n && t.ok(); i++ {
		t.text(fmt.Sprintf("%s.%d", name, i), maxFormText)
	}
}

func (t *trace) formNumbers(names ...string) {
	for _, name := range names {
		leave := t.within(name)
		if t.flag("whole") {
			t.flag("negative")
			t.varint("number")
		} else {
			t.float("number")
		}
		leave()
	}
}

func (t *trace) formAnswer() string {
	number := t.formNumber("number")
	if t.flag("closed") {
		return fmt.Sprintf("the player closed form %d", number)
	}
	text := fmt.Sprintf("answer to form %d", number)
	if t.flag("pressed") {
		text += fmt.Sprintf(", button in row %d", t.ranged("button", 0, maxFormRows-1))
	}
	n := t.ranged("values", 0, maxFormRows)
	for i := 0; i < n && t.ok(); i++ {
		leave := t.withinItem(i)
		t.ranged("row", 0, maxFormRows-1)
		if t.flag("isText") {
			t.text("text", maxFormText)
		} else {
			t.formNumbers("value")
		}
		leave()
	}
	return fmt.Sprintf("%s, %d values", text, n)
}
