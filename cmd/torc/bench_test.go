package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBenchNamesItsWorkloads(t *testing.T) {
	for _, args := range [][]string{{"bench"}, {"bench", "nothing"}, {"bench", "--json"}} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, misused, run(args, &stdout, &stderr))
		assert.Empty(t, stdout.String())
		assert.Contains(t, stderr.String(), "replicate, events, loss, connect, overhead, micro")
	}
}
