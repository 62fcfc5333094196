// Package disk changes files of a folder so that each change is made wholly or not at all.
//
// It owns how a file is written (to a temporary file beside it, synced, renamed), read up to a limit,
// and set aside when it is damaged, and how a new folder is filled. It owns the errors about the state
// of a file: ErrMissing, ErrCorrupt, ErrNewer. It works on any afero file system.
//
// It interprets no file's content and takes no lock: the owner of a Folder serializes its writes. All
// other packages of server/store call it, except those for tests.
package disk
