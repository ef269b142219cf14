package web

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/torc-engine/torc/node/internal/serverjson"
)

// policy is the Content-Security-Policy: nothing but the files of this server, and WebAssembly.
// Pictures of mods are blobs that the page makes of checked bytes. Its end says who can show a page
// in a frame: nobody.
const (
	policy     = openPolicy + "'none'"
	openPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; " +
		"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "
)

// The headers that say which pages can show this one in a frame.
const (
	policyName   = "Content-Security-Policy"
	frameOptions = "X-Frame-Options"
)

// The permissions of pages. Only the page of the game has the microphone, and only while there is
// voice.
const (
	permissionsPolicy = "Permissions-Policy"
	permissions       = "camera=(), geolocation=(), payment=(), usb=(), "
)

// headers are the headers of each answer.
var headers = map[string]string{
	policyName:                     policy,
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	permissionsPolicy:              permissions + "microphone=()",
	"Referrer-Policy":              "no-referrer",
	"X-Content-Type-Options":       "nosniff",
	frameOptions:                   "DENY",
}

const (
	forever = "public, max-age=31536000, immutable"
	never   = "no-cache" // the browser asks each time
)

// SetVoice says whether players can talk: pages that are loaded from then on can ask for the
// microphone.
func (l *Listener) SetVoice(on bool) { l.voice.Store(on) }

// ServeHTTP answers a request.
func (l *Listener) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range headers {
		w.Header().Set(name, value)
	}
	r, moved := unplaced(r)
	if why := l.gate.Load().objection(r); why != "" {
		http.Error(w, why, http.StatusForbidden)
		return
	}
	game := !l.netOnly
	switch {
	case moved != "":
		http.Redirect(w, r, moved, http.StatusPermanentRedirect)
	case game && r.URL.Path == socketPath:
		l.socket(w, r)
	case game && r.URL.Path == rtcPath:
		l.signal(w, r)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
	case r.URL.Path == netPath || r.URL.Path == netStreamPath:
		l.serveNet(w, r)
	case game && r.URL.Path == serverjson.Path:
		l.serverJSON(w, r)
	case game && (r.URL.Path == "/" || r.URL.Path == "/watch"):
		if r.URL.Path == "/" && l.voice.Load() {
			w.Header().Set(permissionsPolicy, permissions+"microphone=(self)")
		}
		l.pageHeaders(w.Header())
		l.page(w, r)
	case r.URL.Path == "/":
		http.Redirect(w, r, netPath, http.StatusSeeOther)
	default:
		l.asset(w, r)
	}
}

// page sends the page, or says why there is none yet.
func (l *Listener) page(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", never)
	s := l.state.Load()
	if s.pages != nil {
		send(w, r, s.pages.index)
		return
	}
	if s.building {
		w.Header().Set("Refresh", "2")
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(http.StatusServiceUnavailable)
	if r.Method != http.MethodHead {
		_, _ = w.Write([]byte("<!doctype html><html lang=\"en\"><title>torc</title><p>" + html.EscapeString(s.why) + "</p></html>\n"))
	}
}

// asset sends a file.
func (l *Listener) asset(w http.ResponseWriter, r *http.Request) {
	if a := cmp.Or(l.state.Load().pages.asset(r.URL.Path), l.net.Load().asset(r.URL.Path)); a != nil {
		w.Header().Set("Cache-Control", forever)
		send(w, r, a)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, "there is no such file", http.StatusNotFound)
}

// send sends a file in the smallest form that the browser takes, or the range that it asks for. A
// browser or a cache can go on with a download that was cut off.
func send(w http.ResponseWriter, r *http.Request, a *asset) {
	takes := r.Header.Get("Accept-Encoding")
	body, form := a.plain, ""
	if a.br != nil && accepts(takes, "br") {
		body, form = a.br, "br"
	} else if accepts(takes, "gzip") {
		if b := a.gz(); b != nil {
			body, form = b, "gzip"
		}
	}
	h := w.Header()
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", fmt.Sprintf(`"%s-%d%s"`, a.hash, len(body), form)) // a range is only of the same form of the same file
	if body == nil {
		http.Error(w, "this file is only sent compressed", http.StatusNotAcceptable)
		return
	}
	h.Set("Content-Type", a.kind)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if form != "" {
		h.Set("Content-Encoding", form)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// accepts reports whether an Accept-Encoding has a form, and not with the quality 0.
func accepts(header, form string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, quality, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), form) {
			_, q, _ := strings.Cut(quality, "=")
			n, err := strconv.ParseFloat(strings.TrimSpace(q), 64)
			return err != nil || n > 0
		}
	}
	return false
}
