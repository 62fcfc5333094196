// Package client holds the built page, compiled into the binary.
//
// It owns nothing but the files: "make page" builds them into client/dist, of
// which git keeps only a placeholder, so that a fresh clone compiles. It never
// serves: the gate does, with what Page gives. The page itself is TypeScript
// under client/src.
package client

import (
	"embed"
	"errors"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Page is the built page, index.html at its root. In a binary that was compiled
// without it, index.html is the placeholder, which says how to build the page.
func Page() fs.FS {
	built, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the name is constant and valid
	}
	return page{built}
}

type page struct{ built fs.FS }

// Open is that of fs.FS.
func (p page) Open(name string) (fs.File, error) {
	f, err := p.built.Open(name)
	if name == "index.html" && errors.Is(err, fs.ErrNotExist) {
		return p.built.Open("placeholder.html")
	}
	return f, err
}
