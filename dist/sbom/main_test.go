package main

import (
	"encoding/json"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDescribe describes a program with a library, and with one that was replaced.
func TestDescribe(t *testing.T) {
	d := describe(&debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Path: "example.org/p"}, Deps: []*debug.Module{
		{Path: "example.org/a", Version: "v1.0.0", Sum: "h1:a"},
		{Path: "example.org/b", Version: "v2.0.0", Replace: &debug.Module{Path: "example.org/c", Version: "v3.0.0", Sum: "h1:c"}},
	}}, "1.2.3")
	assert.Equal(t, component{Type: "application", Name: "example.org/p", Version: "1.2.3"}, d.Metadata.Component)
	var urls []string
	for _, c := range d.Components {
		urls = append(urls, c.PURL)
	}
	assert.Equal(t, []string{"pkg:golang/std@1.26.0", "pkg:golang/example.org/a@v1.0.0", "pkg:golang/example.org/c@v3.0.0"}, urls)
	assert.Equal(t, []property{{"go:sum", "h1:c"}}, d.Components[2].Properties)
}

// TestRun reads this test program.
func TestRun(t *testing.T) {
	file, err := os.Executable()
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, run(file, "1.2.3", &b))
	var d document
	require.NoError(t, json.Unmarshal([]byte(b.String()), &d))
	assert.Equal(t, strings.TrimPrefix(runtime.Version(), "go"), d.Components[0].Version)
	assert.Error(t, run("main_test.go", "1.2.3", &b))
}
