package natsfleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

// An apiError is an answer of JetStream that refuses a request.
type apiError struct {
	Code        int    `json:"code"`
	ErrCode     int    `json:"err_code"`
	Description string `json:"description"`
}

func (e *apiError) Error() string { return e.Description }

// Numbers of errors of JetStream.
const (
	errNoCluster       = 10008 // the nodes have no leader
	errNoMessage       = 10037
	errNoStream        = 10059
	errWrongRevision   = 10071 // the key has another revision
	errRevisionChanges = 10164 // a message of the key is on its way
	errIncomplete      = 10176 // messages of a batch were lost
	tooMany            = 429   // as a code: later
)

// refusal reports whether an error is an answer of JetStream, and which.
func refusal(err error, numbers ...int) bool {
	var api *apiError
	if !errors.As(err, &api) {
		return false
	}
	for _, n := range numbers {
		if api.ErrCode == n || api.Code == n {
			return true
		}
	}
	return len(numbers) == 0
}

const (
	requestTime = 2 * time.Second
	maxAnswer   = 1 << 20 // bytes of an answer that is decoded
)

// request asks JetStream. The leader of a stream answers, so the answer is not old.
func request(ctx context.Context, nc *nats.Conn, call string, ask, answer any) error {
	body, err := json.Marshal(ask)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	m, err := nc.RequestWithContext(ctx, "$JS.API."+call, body)
	if err != nil {
		return err
	}
	return decodeAnswer(m.Data, answer)
}

func decodeAnswer(b []byte, answer any) error {
	var failed struct {
		Error *apiError `json:"error"`
	}
	if len(b) > maxAnswer {
		return fmt.Errorf("an answer of %d bytes", len(b))
	}
	if err := json.Unmarshal(b, &failed); err != nil {
		return err
	}
	if failed.Error != nil {
		return failed.Error
	}
	return json.Unmarshal(b, answer)
}

// A stored is a message of a stream. The zero stored is none.
type stored struct {
	Seq  uint64 `json:"seq"`
	Data []byte `json:"data"`
}

// last asks the leader of a stream for the newest message of a subject.
func last(ctx context.Context, nc *nats.Conn, stream, subject string) (stored, error) {
	var answer struct {
		Message stored `json:"message"`
	}
	err := request(ctx, nc, "STREAM.MSG.GET."+stream, map[string]string{"last_by_subj": subject}, &answer)
	if refusal(err, errNoMessage) {
		return stored{}, nil
	}
	return answer.Message, err
}

func message(subject string, data []byte) *nats.Msg {
	return &nats.Msg{Subject: subject, Data: data, Header: nats.Header{}}
}

// put publishes one message if the newest of its subject has this number, 0 for none.
func put(ctx context.Context, nc *nats.Conn, m *nats.Msg, expected uint64) (seq uint64, err error) {
	expect(m, expected)
	return publish(ctx, nc, m)
}

func expect(m *nats.Msg, expected uint64) {
	m.Header.Set("Nats-Expected-Last-Subject-Sequence", strconv.FormatUint(expected, 10))
}

// publish sends a message to its stream and returns its number there. A message inside of a batch
// has none.
func publish(ctx context.Context, nc *nats.Conn, m *nats.Msg) (seq uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	answer, err := nc.RequestMsgWithContext(ctx, m)
	if err != nil || len(answer.Data) == 0 {
		return 0, err
	}
	var ack struct {
		Seq uint64 `json:"seq"`
	}
	if err := decodeAnswer(answer.Data, &ack); err != nil {
		return 0, err
	}
	if ack.Seq == 0 {
		return 0, errForeign
	}
	return ack.Seq, nil
}

// publishBatch publishes messages atomically and returns the number of the last one; the numbers of
// the others are the ones before it.
func publishBatch(ctx context.Context, nc *nats.Conn, list []*nats.Msg) (seq uint64, err error) {
	id := strconv.FormatUint(draw(), 36)
	for i, m := range list {
		m.Header.Set("Nats-Batch-Id", id)
		m.Header.Set("Nats-Batch-Sequence", strconv.Itoa(i+1))
		switch {
		case i == len(list)-1:
			m.Header.Set("Nats-Batch-Commit", "1")
			return publish(ctx, nc, m)
		case i == 0: // it tells early that there are too many batches
			if _, err = publish(ctx, nc, m); err != nil {
				return 0, err
			}
		default:
			if err = nc.PublishMsg(m); err != nil {
				return 0, err
			}
		}
	}
	return 0, nil
}
