// Package client holds the built page, compiled into the binary.
//
// "make page" builds the files into client/dist; git has only a placeholder there,
// so that a fresh clone compiles. Package gate serves the files; this package never
// does. The page itself is TypeScript in client/src.
package client

import (
	"embed"
	"errors"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Page returns the built page with index.html at its root. In a binary that was
// compiled without the page, index.html is a placeholder that says how to build it.
func Page() fs.FS {
	built, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the name is constant and valid
	}
	return page{built}
}

type page struct{ built fs.FS }

// Open implements fs.FS.
func (p page) Open(name string) (fs.File, error) {
	f, err := p.built.Open(name)
	if name == "index.html" && errors.Is(err, fs.ErrNotExist) {
		return p.built.Open("placeholder.html")
	}
	return f, err
}
