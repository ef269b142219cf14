package demo

import (
	"errors"
	"strconv"
	"strings"

	"github.com/torc-engine/torc/console"
)

// commands are the commands of a replay.
func (v *Viewer) commands() []console.Command {
	return []console.Command{
		{Name: "pause", Params: "[on|off]", Help: "stops the demo, or lets it go on", Run: v.pauseCommand},
		{Name: "speed", Params: "[N]", Help: "changes the speed of the demo: 1 is normal, 0.1 to 16", Run: v.speedCommand},
		{Name: "seek", Params: "[+|-][MINUTES:]SECONDS", Help: "shows another time of the demo, with a sign from the present one on", Run: v.seekCommand},
		{Name: "demo", Help: "describes the demo and what is shown of it", Run: func([]string) (string, error) { return v.Text(), nil }},
	}
}

func (v *Viewer) pauseCommand(args []string) (string, error) {
	switch {
	case len(args) == 0:
		v.Pause(!v.paused)
	case len(args) == 1 && (args[0] == "on" || args[0] == "off"):
		v.Pause(args[0] == "on")
	default:
		return "", errors.New("usage: pause [on|off]")
	}
	return "", nil
}

func (v *Viewer) speedCommand(args []string) (string, error) {
	if len(args) == 0 {
		return strconv.FormatFloat(float64(v.percent)/100, 'g', -1, 64), nil
	}
	percent, err := ParseSpeed(args[0])
	if err != nil || len(args) > 1 {
		return "", errors.Join(err, errors.New("usage: speed [N]"))
	}
	v.SetSpeed(percent)
	return "", nil
}

func (v *Viewer) seekCommand(args []string) (string, error) {
	if len(args) != 1 {
		return "", errors.New("usage: seek [+|-][MINUTES:]SECONDS")
	}
	text := args[0]
	at, err := ParseTime(strings.TrimLeft(text, "+-"))
	switch {
	case err != nil:
		return "", err
	case strings.HasPrefix(text, "+"):
		at = v.Position() + at
	case strings.HasPrefix(text, "-"):
		at = v.Position() - at
	}
	v.Seek(at)
	return "", nil
}
