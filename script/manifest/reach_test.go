package manifest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNetworkPermissions(t *testing.T) {
	for text, want := range map[string]bool{
		"net:api.example.org:443": true, "net:127.0.0.1:80": true, "net:[2001:db8::1]:80": true, "net:localhost:1": true, "net:a_b.example:65535": true,
		"net:API.example.org:443": false, "net:api.example.org": false, "net:api.example.org:0": false, "net:api.example.org:65536": false,
		"net:api.example.org:080": false, "net:api.example.org:+80": false, "net:*:80": false, "net:*.example.org:443": false, "net::80": false,
		"net:2001:db8::1:80": false, "net:[2001:DB8::1]:80": false, "net:[fe80::1%lo]:80": false, "net:a b:80": false, "net:-a:80": false, "net:a.:80": false,
		"net:[127.0.0.1]:80": false, "net:a..b:80": false, "net:" + strings.Repeat("a.", 127) + "a:80": false, "net": false, "net:": false,
		"listen:28010": true, "listen:0": true, "listen:0.0.0.0:28010": true, "listen:[::]:28010": true, "listen:127.0.0.1:0": true,
		"listen:*:28010": false, "listen:localhost:28010": false, "listen::28010": false, "listen:-1": false, "listen:65536": false, "listen:01": false,
		"listen:": false, "listen:[::1%lo]:1": false, "listen:::1:1": false,
	} {
		assert.Equal(t, want, ValidPermission(text), text)
	}
}

func TestListenAddress(t *testing.T) {
	for text, want := range map[string]string{"listen:0.0.0.0:28010": "0.0.0.0", "listen:[::]:28010": "::"} {
		at, ok := ListenAddress(text, 28010)
		assert.True(t, ok, text)
		assert.Equal(t, want, at.String())
	}
	for _, text := range []string{"listen:28010", "listen:0.0.0.0:28011", "listen:[0.0.0.0]:28010", "net:0.0.0.0:28010", "listen:x:28010", ""} {
		_, ok := ListenAddress(text, 28010)
		assert.False(t, ok, text)
	}
}

// FuzzNetworkPermission checks that a valid permission is short and has one form only.
func FuzzNetworkPermission(f *testing.F) {
	f.Add("net:api.example.org:443")
	f.Add("listen:[::1]:28010")
	f.Fuzz(func(t *testing.T, text string) {
		if !validReach(text) {
			return
		}
		assert.Less(t, len(text), 300)
		assert.Equal(t, strings.ToLower(text), text)
		assert.Empty(t, strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789_-.:[]"))
		if at, ok := ListenAddress(text, 28010); ok {
			assert.Equal(t, text, ListenPermission(at, 28010))
		}
	})
}
