package sshd

import "golang.org/x/crypto/ssh"

// requests is what a client has asked of its session so far.
type requests struct {
	terminal bool // pty-req was granted
	begun    bool // shell or exec was granted; a session has one of them
	shell    bool
	line     string // of exec
}

// ptyRequest, sizeRequest and execRequest are the payloads of pty-req, window-change and exec.
type (
	ptyRequest struct {
		Term                         string
		Columns, Rows, Width, Height uint32
		Modes                        string
	}
	sizeRequest struct{ Columns, Rows, Width, Height uint32 }
	execRequest struct{ Line string }
)

// take handles a request. It reports whether the request is granted: requests of other kinds,
// malformed ones, and those that come too late are not.
func (a *requests) take(at *device, kind string, payload []byte) (ok bool) {
	switch kind {
	case "pty-req":
		var size ptyRequest
		if a.begun || ssh.Unmarshal(payload, &size) != nil {
			return false
		}
		a.terminal = true
		at.resize(size.Columns, size.Rows)
		return true
	case "window-change":
		var size sizeRequest
		if ssh.Unmarshal(payload, &size) != nil {
			return false
		}
		at.resize(size.Columns, size.Rows)
		return true
	case "shell":
		if a.begun {
			return false
		}
		a.begun, a.shell = true, true
		return true
	case "exec":
		var exec execRequest
		if a.begun || ssh.Unmarshal(payload, &exec) != nil {
			return false
		}
		a.begun, a.line = true, exec.Line
		return true
	}
	return false
}
