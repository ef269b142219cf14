// Package metrics exports the numbers of a server for monitoring programs, in the text format of
// Prometheus: at /metrics over HTTP, and by the console command metrics. /healthz answers ok, or
// draining, as long as the server's own goroutine answers.
//
// The numbers belong to that goroutine. It answers a scrape (an HTTP request for the metrics) when
// it has time. A few scrapes can wait. Further ones, and those that wait too long, get status 503.
package metrics
