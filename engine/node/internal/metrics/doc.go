// Package metrics tells programs that watch servers how one is: in the text format of Prometheus, at /metrics over HTTP,
// and by the console command metrics. /healthz answers ok as long as the server's own goroutine does.
//
// The numbers belong to that goroutine. A scrape is a request that it answers when it has time, a few at a time; who comes
// beyond that, or waits too long, is told so with status 503.
package metrics
