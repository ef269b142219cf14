package web

import (
	"net/http"
	"net/url"
	"regexp"
)

// place is the path of a server behind an origin that has several: /s/NAME/. A reverse proxy chooses the
// server by it.
var place = regexp.MustCompile(`^(/s/[a-z0-9-]{1,32})(/.*)?$`)

// unplaced returns a request without the place, because proxies pass it on or cut it off. moved is the path
// with a / at its end where the page needs one: its files are relative to it. It is "" elsewhere.
func unplaced(r *http.Request) (of *http.Request, moved string) {
	m := place.FindStringSubmatch(r.URL.Path)
	switch {
	case m == nil:
		return r, ""
	case m[2] == "":
		return r, (&url.URL{Path: m[1] + "/", RawQuery: r.URL.RawQuery}).String()
	}
	of = new(http.Request)
	*of = *r
	to := *r.URL
	to.Path, to.RawPath = m[2], ""
	of.URL = &to
	return of, ""
}

// placedOrigin is an origin with the place of the server.
var placedOrigin = regexp.MustCompile(`^([^/]+//[^/]+)(/s/[a-z0-9-]{1,32})/?$`)

// cutPlaces returns origins without the places that some have, as in https://HOST/s/NAME/, and the places
// by origin, as browsers write that.
func cutPlaces(origins []string) (bare []string, places map[string]string, err error) {
	places = map[string]string{}
	for _, o := range origins {
		at := ""
		if m := placedOrigin.FindStringSubmatch(o); m != nil {
			o, at = m[1], m[2]
		}
		origin, err := parseOrigin(o)
		if err != nil {
			return nil, nil, err
		}
		bare = append(bare, origin)
		places[origin] = at
	}
	return bare, places, nil
}
