package listserver

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/torc-engine/torc/node/internal/serverlist"
	"github.com/torc-engine/torc/node/internal/web"
)

// buildTime is how old the file of the list can be.
const buildTime = 2 * time.Second

// policy lets the page load nothing but its own files. Its icon is an empty data: URL.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

//go:embed page
var files embed.FS

// kinds are the files of the page, by path, and their media types.
var kinds = map[string][2]string{
	"/":         {"page/index.html", "text/html; charset=utf-8"},
	"/list.js":  {"page/list.js", "text/javascript; charset=utf-8"},
	"/list.css": {"page/list.css", "text/css; charset=utf-8"},
}

// handler answers the requests of HTTP. Its methods run on many goroutines.
type handler struct {
	server *Server
	files  map[string]document // by path

	mu    sync.Mutex
	built time.Time
	list  document
}

// A document is an answer in two forms.
type document struct {
	plain, gz []byte
	tag       string
}

// openPages opens the TCP port.
func (s *Server) openPages() (err error) {
	p := s.cfg.Pages
	o := web.Options{Address: cmp.Or(p.Listen, s.Addr().String()), Cert: p.Cert, Key: p.Key, Proxies: p.Proxies}
	if p.Domain != "" {
		o.ACME = web.ACME{Domain: p.Domain, Warn: func(text string) { s.cfg.Log.Warn(text) }}
		if s.folder != nil {
			o.ACME.Folder = s.folder.Path("tls")
		}
	}
	h, err := newHandler(s)
	if err == nil {
		s.pages, err = web.ServePages(o, h)
	}
	return err
}

// newHandler reads the files of the page.
func newHandler(s *Server) (*handler, error) {
	h := &handler{server: s, files: map[string]document{}}
	for path, f := range kinds { // any order: a map of files
		b, err := files.ReadFile(f[0])
		if err != nil {
			return nil, err
		}
		h.files[path] = newDocument(b)
	}
	return h, nil
}

// ServeHTTP answers a request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		header.Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	if r.URL.Path == serverlist.Path {
		d, ok := h.servers()
		if !ok {
			http.Error(w, "the list is ending", http.StatusServiceUnavailable)
			return
		}
		header.Set("Cache-Control", "public, max-age=10")
		header.Set("Access-Control-Allow-Origin", "*") // everybody can read it
		header.Set("Content-Type", "application/json")
		d.send(w, r)
		return
	}
	d, known := h.files[r.URL.Path]
	if !known {
		http.Error(w, "there is no such file", http.StatusNotFound)
		return
	}
	header.Set("Cache-Control", "no-cache")
	header.Set("Content-Type", kinds[r.URL.Path][1])
	d.send(w, r)
}

// servers returns servers.json. It is at most buildTime old.
func (h *handler) servers() (document, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now := time.Now(); h.built.IsZero() || now.Sub(h.built) >= buildTime {
		var all []serverlist.Entry
		if !h.server.Do(func() { all = h.server.list.Entries(h.server.now()) }) {
			return document{}, false
		}
		h.list, h.built = newDocument(serverlist.JSON(all)), now
	}
	return h.list, true
}

// newDocument compresses an answer.
func newDocument(plain []byte) document {
	var gz bytes.Buffer
	z, _ := gzip.NewWriterLevel(&gz, gzip.DefaultCompression) // the level is valid
	_, _ = z.Write(plain)                                     // a buffer takes all
	_ = z.Close()
	sum := sha256.Sum256(plain)
	return document{plain: plain, gz: gz.Bytes(), tag: fmt.Sprintf("%x", sum[:8])}
}

// send sends a document in the form that the client takes, or says that the client has it already.
func (d *document) send(w http.ResponseWriter, r *http.Request) {
	h, body, tag := w.Header(), d.plain, d.tag
	h.Set("Vary", "Accept-Encoding")
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		body, tag = d.gz, tag+"-gz"
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("ETag", strconv.Quote(tag))
	h.Set("Content-Length", strconv.Itoa(len(body)))
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}
