package sshd

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"

	"golang.org/x/crypto/ssh"

	"github.com/torc-engine/torc/node/internal/data"
)

// hostKey reads the key of the server at path, or creates it with mode 0600. It never overwrites a
// file.
func hostKey(path string) (ssh.Signer, error) {
	text, err := data.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return createHostKey(path)
	}
	if err != nil {
		return nil, fmt.Errorf("the host key cannot be read: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("the host key cannot be read: %w", err)
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 && runtime.GOOS != "windows" {
		return nil, fmt.Errorf("%s has mode %04o, so other users can read the private key: run chmod 600 on it, or remove it to get a new one", path, mode)
	}
	signer, err := ssh.ParsePrivateKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; repair it, or remove it to get a new one", path, err)
	}
	return signer, nil
}

func createHostKey(path string) (ssh.Signer, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	block, err := ssh.MarshalPrivateKey(private, "torc")
	if err != nil {
		return nil, err
	}
	if err := data.Save(path, string(pem.EncodeToMemory(block))); err != nil {
		return nil, fmt.Errorf("the host key cannot be written: %w", err)
	}
	return ssh.NewSignerFromSigner(private)
}
