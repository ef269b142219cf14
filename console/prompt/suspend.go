package prompt

import "io"

// A suspender is a Device that can suspend the process, and returns when the process continues.
type suspender interface{ suspend() error }

// Suspend suspends the process as soon as the prompt is idle, as Ctrl-Z does. It does not wait. It
// returns false if the device cannot suspend the process.
func (t *Terminal) Suspend() bool {
	if _, ok := t.device.(suspender); !ok {
		return false
	}
	t.later(func(e *request) { e.suspend = true })
	return true
}

// suspend suspends the process, on the loop. Readline draws the typed line again after the key.
func (t *Terminal) suspend() {
	device, ok := t.device.(suspender)
	if !ok {
		return
	}
	t.rl.Clean()
	_, _ = io.WriteString(t.device, pasteOff)
	err := device.suspend()
	_, _ = io.WriteString(t.device, pasteOn)
	t.resized() // the system does not report changes to a process that stands still
	if err != nil {
		t.Print("error: cannot suspend: " + err.Error())
	}
}
