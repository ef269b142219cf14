package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Who asks about one subcommand is told of that one.
func TestHelpIsAboutWhatWasAsked(t *testing.T) {
	says := func(line string) string {
		var out, complaint bytes.Buffer
		assert.Equal(t, ended, run(strings.Fields(line), &out, &complaint), line)
		assert.Empty(t, complaint.String(), line)
		return out.String()
	}
	all := says("help")
	for _, line := range []string{"help serve", "serve --help", "serve --mod ctf -h"} {
		text := says(line)
		assert.True(t, strings.HasPrefix(text, "torc serve "), line)
		assert.Contains(t, text, "--listen")
		assert.NotContains(t, text, "torc join")
		assert.Contains(t, all, text)
	}
}
