package sshd

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

// kinds are the kinds of requests that FuzzRequests sends. The first four can be granted.
var kinds = []string{"pty-req", "window-change", "shell", "exec", "subsystem", "env", "auth-agent-req@openssh.com", "x11-req", "signal", ""}

// FuzzRequests sends requests of a session. A request begins with a byte for its kind and one for
// the length of its payload.
func FuzzRequests(f *testing.F) {
	pty := ssh.Marshal(ptyRequest{"xterm", 80, 1 << 31, 0, 0, "modes"})
	exec := ssh.Marshal(execRequest{"status"})
	size := ssh.Marshal(sizeRequest{1 << 30, 0, 0, 0})
	join := func(parts ...[]byte) (all []byte) {
		for i := 0; i < len(parts); i += 2 {
			all = append(append(append(all, parts[i]...), byte(len(parts[i+1]))), parts[i+1]...)
		}
		return all
	}
	f.Add(join([]byte{0}, pty, []byte{1}, size, []byte{2}, nil, []byte{1}, size, []byte{3}, exec))
	f.Add(join([]byte{3}, exec, []byte{3}, exec, []byte{2}, nil, []byte{0}, pty))
	f.Add(join([]byte{3}, exec[:7], []byte{3}, append(exec, 0), []byte{0}, pty[:9], []byte{1}, nil, []byte{3}, []byte{0xff, 0xff, 0xff, 0xff}))
	f.Add(join([]byte{4}, exec, []byte{5}, nil, []byte{6}, nil, []byte{7}, nil, []byte{8}, nil, []byte{9}, nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		var asked requests
		at := &device{out: io.Discard}
		for len(b) >= 2 {
			kind := int(b[0]) % len(kinds)
			payload := b[2:min(len(b), 2+int(b[1]))]
			b = b[2+len(payload):]
			before := asked
			ok := asked.take(at, kinds[kind], payload)
			width, height := at.Size()
			require.True(t, width >= 0 && width <= maxSize && height >= 0 && height <= maxSize)
			if !ok {
				require.Equal(t, before, asked)
				continue
			}
			require.Less(t, kind, 4, "%q is no request of a console", kinds[kind])
			if before.begun {
				require.Equal(t, "window-change", kinds[kind], "a session begins once")
				require.Equal(t, before, asked)
			}
			if kinds[kind] == "exec" {
				require.Equal(t, payload, ssh.Marshal(execRequest{asked.line}))
				require.True(t, asked.begun && !asked.shell)
			}
		}
	})
}

// TestOneSession asks for a second line, a shell and a terminal in a session that has begun.
func TestOneSession(t *testing.T) {
	path, ann, _ := people(t)
	s := newServer(t, path)
	session, err := s.client(t, ann).NewSession()
	require.NoError(t, err)
	in, err := session.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, session.Shell())
	for _, kind := range []string{"exec", "shell", "pty-req"} {
		payload := map[string][]byte{"exec": ssh.Marshal(execRequest{"say again"}), "pty-req": ssh.Marshal(ptyRequest{})}[kind]
		ok, err := session.SendRequest(kind, true, payload)
		assert.NoError(t, err)
		assert.False(t, ok, kind)
	}
	require.NoError(t, in.Close())
	assert.NoError(t, session.Wait())
	assert.Empty(t, s.ran)
}
