package console

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Report returns a command that prints a value: as text, or with --json as one line of JSON.
func Report(name, help string, report func() (fmt.Stringer, error)) Command {
	run := func(args []string) (string, error) {
		asJSON := len(args) == 1 && args[0] == "--json"
		if len(args) > 0 && !asJSON {
			return "", fmt.Errorf("usage: %s [--json]", name)
		}
		value, err := report()
		if err != nil || !asJSON {
			return text(value), err
		}
		var b bytes.Buffer
		to := json.NewEncoder(&b)
		to.SetEscapeHTML(false)
		err = to.Encode(value)
		return string(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), err
	}
	return Command{Name: name, Params: "[--json]", Help: help, Run: run, Complete: func(args []string) []string {
		if len(args) != 1 {
			return nil
		}
		return []string{"--json"}
	}}
}

func text(value fmt.Stringer) string {
	if value == nil {
		return ""
	}
	return value.String()
}
