package sshd

import (
	"crypto/rsa"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/torc-engine/torc/console"
	"github.com/torc-engine/torc/node/internal/data"
	"github.com/torc-engine/torc/node/internal/rights"
)

const (
	maxKeys = 256
	minRSA  = 2048 // bits
)

// key is one line of the file: role="moderator" ssh-ed25519 AAAA… name.
type key struct {
	public ssh.PublicKey
	role   string
	name   string // the comment
}

// id identifies the key for the audit log.
func (k key) id() string {
	return fmt.Sprintf("ssh %s (%s, %s)", k.name, ssh.FingerprintSHA256(k.public), k.role)
}

// readKeys reads a file in the format of OpenSSH's authorized_keys. A missing file has no keys.
// Each line has the option role, and no other. A wrong line is an error, so that no key is lost and
// none counts for more than it says.
func readKeys(path string) ([]key, error) {
	info, err := os.Stat(path)
	if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		return nil, fmt.Errorf("%s has mode %04o, so other users can add keys: run chmod go-w on it", path, info.Mode().Perm())
	}
	var keys []key
	err = data.Lines(path, func(line string) error {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			return nil
		}
		k, err := parseKey(line)
		if err != nil {
			return err
		}
		if _, twice := find(keys, k.public); twice {
			return errors.New("this key has a line already")
		}
		if keys = append(keys, k); len(keys) > maxKeys {
			return fmt.Errorf("a file can have %d keys", maxKeys)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return keys, nil
}

func parseKey(line string) (key, error) {
	public, comment, options, _, err := ssh.ParseAuthorizedKey([]byte(line))
	if err != nil {
		return key{}, errors.New(`must be role="admin" TYPE KEY NAME, with the type and the key of a .pub file of ssh-keygen`)
	}
	k := key{public: public, name: console.Clean(strings.Join(strings.Fields(comment), " "))}
	for _, option := range options {
		name, value, _ := strings.Cut(option, "=")
		if name != "role" || k.role != "" {
			return key{}, fmt.Errorf("option %s: must be role=\"…\", once, and no other", console.Quote(option))
		}
		k.role = strings.Trim(value, `"`)
	}
	if k.role == "" {
		return key{}, errors.New(`the role is missing: begin the line with role="admin" or another role`)
	}
	if err := rights.CheckRole(k.role); err != nil {
		return key{}, err
	}
	if k.name == "" {
		k.name = "-"
	}
	return k, checkPublic(public)
}

// checkPublic refuses certificates, and keys that are too weak.
func checkPublic(public ssh.PublicKey) error {
	if _, certificate := public.(*ssh.Certificate); certificate {
		return errors.New("a certificate is not a key")
	}
	if c, ok := public.(ssh.CryptoPublicKey); ok {
		if r, ok := c.CryptoPublicKey().(*rsa.PublicKey); ok && r.N.BitLen() < minRSA {
			return fmt.Errorf("an RSA key must have %d bits or more: make another with ssh-keygen -t ed25519", minRSA)
		}
	}
	return nil
}

// find returns the line of a key.
func find(keys []key, public ssh.PublicKey) (key, bool) {
	want := string(public.Marshal())
	for _, k := range keys {
		if string(k.public.Marshal()) == want {
			return k, true
		}
	}
	return key{}, false
}
