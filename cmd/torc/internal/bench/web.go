package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/torc-engine/torc/cmd/torc-web/www"
	"github.com/torc-engine/torc/cmd/torc/internal/config"
	"github.com/torc-engine/torc/node"
	"github.com/torc-engine/torc/node/webclient"
)

// webRow is a figure of the client for browsers.
type webRow struct {
	name, required string
	measure        func(long time.Duration) (webResult, error)
}

// webResult is what a row has measured. A row that this machine cannot measure is not tried.
type webResult struct {
	measured string
	pass     bool
	untried  bool
}

var webRows = []webRow{
	{"load https", "first ≤ 3.2 MB (of a release), second ≤ 20 kB", func(time.Duration) (webResult, error) { return measureLoad("br") }},
	{"load http", "as small as gzip makes it, second ≤ 20 kB", func(time.Duration) (webResult, error) { return measureLoad("gzip") }},
	{"joins rtc", "20 of 20", func(time.Duration) (webResult, error) { return measureJoins(dialRTC) }},
	{"joins ws", "20 of 20", func(time.Duration) (webResult, error) { return measureJoins(dialSocket) }},
	{"gaps rtc", "5 % loss each way: ≤ 3 gaps over 100 ms in 20 s", func(long time.Duration) (webResult, error) { return measureGaps(dialRTC, long) }},
	{"gaps native", "the same without a browser, for comparison", func(long time.Duration) (webResult, error) {
		r, err := measureGaps(dialNative, long)
		r.pass = true
		return r, err
	}},
	{"corrections rtc", "0 visible in a minute without loss", func(long time.Duration) (webResult, error) { return measureCorrections(3 * long) }},
	{"corrections 2 %", "2 % loss each way: as few as a native client", func(long time.Duration) (webResult, error) { return compareCorrections(3 * long) }},
	{"server cpu rtc", "≤ 3 × a native client", func(long time.Duration) (webResult, error) { return measureServerCPU(dialRTC, long) }},
	{"server cpu ws", "≤ 3 × a native client", func(long time.Duration) (webResult, error) { return measureServerCPU(dialSocket, long) }},
	{"open", "link to game ≤ 5 s cold, ≤ 2 s cached", func(time.Duration) (webResult, error) { return measureOpen() }},
	{"draw", "≤ 200 draw calls, ≤ 300,000 triangles with 64 players", func(time.Duration) (webResult, error) { return measureDraw() }},
}

// web runs the chosen rows one after the other.
func web(o Options, emit func(Row)) error {
	rows, err := chosenWebRows(o.Rows)
	if err != nil {
		return err
	}
	failed := 0
	for _, r := range rows {
		got, err := r.measure(o.Row)
		verdict := "pass"
		switch {
		case err != nil:
			got.measured, verdict, failed = err.Error(), "FAIL", failed+1
		case got.untried:
			verdict = "not tried"
		case !got.pass:
			verdict, failed = "FAIL", failed+1
		}
		emit(Row{{"web", r.name}, {"required", r.required}, {"measured", got.measured}, {"result", verdict}})
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d rows failed", failed, len(rows))
	}
	return nil
}

// chosenWebRows returns the rows whose names contain one of some words.
func chosenWebRows(words []string) ([]webRow, error) {
	if len(words) == 0 {
		return webRows, nil
	}
	var names []string
	for _, r := range webRows {
		names = append(names, r.name)
	}
	for _, w := range words {
		if !slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, w) }) {
			return nil, &config.UsageError{Text: fmt.Sprintf("torc bench web has no row %q; it has %s", w, strings.Join(names, "; "))}
		}
	}
	return slices.DeleteFunc(slices.Clone(webRows), func(r webRow) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return strings.Contains(r.name, w) })
	}), nil
}

// webServer starts a server of a mod that also serves browsers, in this process. It waits until the page is there.
func webServer(mod string, vars ...node.Var) (*node.Server, func(), error) {
	ready := make(chan error, 1)
	s, err := node.NewServer(node.Config{
		Common: node.Common{Vars: vars, Output: func(text string) {
			if strings.HasPrefix(text, "play in a browser") {
				ready <- nil
			}
		}},
		Server: node.ServerConfig{Listen: "127.0.0.1:0", Load: []string{mod}, Web: &node.Web{Listen: "127.0.0.1:0", Local: true, Pages: www.FS, Build: webclient.Files}},
	})
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	stop := func() {
		cancel()
		<-ended
		_ = s.Close()
	}
	select {
	case <-ready:
		return s, stop, nil
	case <-time.After(buildMost):
		err = errors.New("the client for browsers is not there: see torc serve --web")
	}
	stop()
	return nil, nil, err
}

const buildMost = 5 * time.Minute // for the client for browsers
