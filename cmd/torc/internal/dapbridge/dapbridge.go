// Package dapbridge passes messages of the Debug Adapter Protocol between an editor and a server.
// torc mod debug runs it on stdin and stdout.
package dapbridge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/google/go-dap"

	"github.com/torc-engine/torc/node/remote"
)

// Run debugs a mod over a link until the editor closes in, or the server ends. Then it closes the
// link. Each beat it tells the server that it lives. An error is also the answer to the editor's
// first request.
func Run(link *remote.Link, mod string, in io.Reader, out io.Writer, beat <-chan time.Time) error {
	printed := make(chan string, 256)
	d, err := link.Debug(mod, func(line string) { offer(printed, line) })
	if err != nil {
		return errors.Join(Refuse(in, out, err), link.Close())
	}
	defer d.Close()
	requests := read(in)
	for {
		select {
		case r, open := <-requests:
			if !open {
				return nil
			}
			d.Send(r)
		case m, open := <-d.Messages():
			if !open {
				return ended(out, d.Err())
			}
			if err := dap.WriteBaseMessage(out, m); err != nil {
				return err
			}
		case line := <-printed:
			if err := dap.WriteProtocolMessage(out, &dap.OutputEvent{Event: event("output"), Body: dap.OutputEventBody{Category: "stdout", Output: line + "\n"}}); err != nil {
				return err
			}
		case <-beat:
			d.Beat()
		}
	}
}

func event(name string) dap.Event {
	return dap.Event{ProtocolMessage: dap.ProtocolMessage{Type: "event"}, Event: name}
}

// offer drops a line of the console if the editor is slow.
func offer(lines chan<- string, line string) {
	select {
	case lines <- line:
	default:
	}
}

// ended tells the editor that the session is over.
func ended(out io.Writer, why error) error {
	err := dap.WriteProtocolMessage(out, &dap.TerminatedEvent{Event: event("terminated")})
	if errors.Is(why, remote.ErrEnded) {
		return err
	}
	return why
}

// read reads messages, each in one line. The channel is closed after the last.
func read(in io.Reader) <-chan []byte {
	messages := make(chan []byte)
	go func() {
		defer close(messages)
		for r := bufio.NewReader(in); ; {
			text, err := dap.ReadBaseMessage(r)
			if err != nil {
				return
			}
			var line bytes.Buffer
			if json.Compact(&line, text) == nil {
				messages <- line.Bytes()
			}
		}
	}()
	return messages
}

// Refuse answers the editor's first request with an error, and returns the error.
func Refuse(in io.Reader, out io.Writer, why error) error {
	m, err := dap.ReadProtocolMessage(bufio.NewReader(in))
	if err != nil {
		return why // there is no editor
	}
	if r, ok := m.(dap.RequestMessage); ok {
		head := r.GetRequest()
		_ = dap.WriteProtocolMessage(out, &dap.ErrorResponse{
			Response: dap.Response{ProtocolMessage: dap.ProtocolMessage{Seq: 1, Type: "response"}, RequestSeq: head.Seq, Command: head.Command, Message: why.Error()},
			Body:     dap.ErrorResponseBody{Error: &dap.ErrorMessage{Id: 1, Format: why.Error(), ShowUser: true}},
		})
	}
	return why
}
