package bench

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	"github.com/andybalholm/brotli"

	"github.com/torc-engine/torc/node/webclient"
)

const (
	firstMost  = 3_200_000 // bytes of the first visit
	secondMost = 20_000    // bytes of the next one
)

// asset is the path of a file of the page.
var asset = regexp.MustCompile(`/assets/[\w./-]+`)

// measureLoad loads the page as a browser does that accepts a form: first everything, then what it may not keep.
func measureLoad(form string) (webResult, error) {
	s, stop, err := webServer("ctf")
	if err != nil {
		return webResult{}, err
	}
	defer stop()
	v := visit{site: "http://" + s.WebAddr().String(), form: form, kept: map[string]bool{}}
	first, err := v.load("/")
	second, again := v.load("/")
	return webResult{
		measured: fmt.Sprintf("first %.2f MB, second %.1f kB", float64(first)/1e6, float64(second)/1e3),
		pass:     (form != "br" || !webclient.Released() || first <= firstMost) && second <= secondMost,
	}, errors.Join(err, again)
}

// visit is a browser that loads pages.
type visit struct {
	site, form string
	kept       map[string]bool // files that the browser does not ask for again
}

// load loads a file and those that it names. It returns the bytes of all bodies and headers.
func (v *visit) load(path string) (int, error) {
	if v.kept[path] {
		return 0, nil
	}
	q, err := http.NewRequest(http.MethodGet, v.site+path, nil)
	if err != nil {
		return 0, err
	}
	q.Header.Set("Accept-Encoding", v.form)
	r, err := http.DefaultTransport.RoundTrip(q)
	if err != nil {
		return 0, err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		return 0, errors.Join(err, fmt.Errorf("%s: %s", path, r.Status))
	}
	var head strings.Builder
	_ = r.Header.Write(&head) // a builder takes everything
	total := len(body) + head.Len()
	v.kept[path] = strings.Contains(r.Header.Get("Cache-Control"), "immutable")
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/") {
		return total, nil
	}
	text, err := plain(r.Header.Get("Content-Encoding"), body)
	for _, name := range asset.FindAllString(text, -1) {
		n, failed := v.load(name)
		total, err = total+n, errors.Join(err, failed)
	}
	return total, err
}

// plain returns the text of a body.
func plain(form string, body []byte) (string, error) {
	var from io.Reader = strings.NewReader(string(body))
	switch form {
	case "br":
		from = brotli.NewReader(from)
	case "gzip":
		z, err := gzip.NewReader(from)
		if err != nil {
			return "", err
		}
		from = z
	}
	text, err := io.ReadAll(from)
	return string(text), err
}
