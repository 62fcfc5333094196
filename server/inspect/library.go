package inspect

import (
	"io/fs"

	"golang.org/x/mod/module"
)

// Library has the Go source on this machine outside of the repository. A nil Library is empty. Its methods only
// read files: they run no go command and download nothing.
type Library interface {
	// Standard returns the folder of the standard library (GOROOT/src), or nil.
	Standard() fs.FS
	// Module returns the folder of a version of a module, or nil.
	Module(v module.Version) fs.FS
	// State returns a text that identifies the release of the standard library; "" if it is unknown. Two libraries
	// with the same state have the same standard library.
	State() string
}
