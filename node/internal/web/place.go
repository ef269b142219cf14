package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/torc-engine/torc/internal/names"
)

// unplaced returns a request without the place of a server behind an origin that has several,
// because proxies pass it on or cut it off. moved is the path with a / at its end where the page
// needs one: its files are relative to it. It is "" elsewhere.
func unplaced(r *http.Request) (of *http.Request, moved string) {
	place, rest := names.CutPlace(r.URL.Path)
	switch {
	case place == "":
		return r, ""
	case rest == "":
		return r, (&url.URL{Path: place + "/", RawQuery: r.URL.RawQuery}).String()
	}
	of = new(http.Request)
	*of = *r
	to := *r.URL
	to.Path, to.RawPath = rest, ""
	of.URL = &to
	return of, ""
}

// cutOrigin cuts the place of the server from an origin, if it has one.
func cutOrigin(origin string) (bare, place string) {
	scheme, rest, _ := strings.Cut(origin, "//")
	host, path, _ := strings.Cut(rest, "/")
	place, path = names.CutPlace("/" + path)
	if place == "" || path != "" && path != "/" {
		return origin, ""
	}
	return scheme + "//" + host, place
}

// cutPlaces returns origins without the places that some have, as in https://HOST/s/NAME/, and the
// places by origin, as browsers write that.
func cutPlaces(origins []string) (bare []string, places map[string]string, err error) {
	places = map[string]string{}
	for _, o := range origins {
		o, at := cutOrigin(o)
		origin, err := parseOrigin(o)
		if err != nil {
			return nil, nil, err
		}
		bare = append(bare, origin)
		places[origin] = at
	}
	return bare, places, nil
}
