package modpack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Source is where an archive comes from.
type Source struct {
	Place  string // a file, or an https address
	SHA256 string // of the archive, 64 hexadecimal digits; "" for a file without one
}

var sumPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// ParseSource reads FILE, FILE#sha256=HEX or https://…#sha256=HEX.
func ParseSource(text string) (Source, error) {
	place, sum, given := strings.Cut(text, "#sha256=")
	sum = strings.ToLower(sum)
	switch {
	case given && !sumPattern.MatchString(sum):
		return Source{}, fmt.Errorf("%q: a SHA-256 has 64 hexadecimal digits", text)
	case strings.HasPrefix(place, "http://"):
		return Source{}, fmt.Errorf("%s: only https and files are possible", place)
	case strings.HasPrefix(place, "https://") && !given:
		return Source{}, fmt.Errorf("%s: an address needs the SHA-256 of the archive: %[1]s#sha256=…; its author prints it with torc mod pack", place)
	}
	return Source{Place: place, SHA256: sum}, nil
}

func (s Source) remote() bool { return strings.HasPrefix(s.Place, "https://") }

// lasting returns the place for the lock file: an address, or the whole path of a file.
func (s Source) lasting() (string, error) {
	if s.remote() {
		return s.Place, nil
	}
	return filepath.Abs(s.Place)
}

// fetch writes the archive to w and returns its SHA-256. The sum is compared before anybody reads
// the archive.
func (s Source) fetch(ctx context.Context, client *http.Client, w io.Writer) (string, error) {
	r, err := s.open(ctx, client)
	if err != nil {
		return "", err
	}
	defer r.Close()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum), io.LimitReader(r, MaxBytes+1))
	switch got := hex.EncodeToString(sum.Sum(nil)); {
	case err != nil:
		return "", err
	case n > MaxBytes:
		return "", fmt.Errorf("the archive is larger than %d MiB", MaxBytes>>20)
	case s.SHA256 != "" && got != s.SHA256:
		return "", fmt.Errorf("the SHA-256 is %s, not %s: it is another archive", got, s.SHA256)
	default:
		return got, nil
	}
}

// maxRedirects is how often a server may send the client on.
const maxRedirects = 5

func (s Source) open(ctx context.Context, client *http.Client) (io.ReadCloser, error) {
	if !s.remote() {
		return os.Open(s.Place)
	}
	secure := *client
	secure.CheckRedirect = func(r *http.Request, before []*http.Request) error {
		if r.URL.Scheme != "https" || len(before) > maxRedirects {
			return errors.New("a redirect to a place that is not https, or too many of them")
		}
		return nil
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Place, nil)
	if err != nil {
		return nil, err
	}
	answer, err := secure.Do(request)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		answer.Body.Close()
		return nil, fmt.Errorf("the server answers %s", answer.Status)
	}
	return answer.Body, nil
}
