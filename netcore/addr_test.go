package netcore

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWithPort(t *testing.T) {
	for address, want := range map[string]string{
		"":                    "",
		"example.org":         "example.org:28000",
		"example.org:5":       "example.org:5",
		"192.0.2.1":           "192.0.2.1:28000",
		"192.0.2.1:5":         "192.0.2.1:5",
		"2001:db8::1":         "[2001:db8::1]:28000",
		"[2001:db8::1]":       "[2001:db8::1]:28000",
		"[2001:db8::1]:5":     "[2001:db8::1]:5",
		"::1":                 "[::1]:28000",
		"example.org:":        "example.org:",
		"[fe80::1%eth0]:5000": "[fe80::1%eth0]:5000",
	} {
		assert.Equal(t, want, WithPort(address), address)
	}
}
