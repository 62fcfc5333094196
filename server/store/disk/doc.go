// Package disk changes files of a folder so that each change is made wholly or not at all.
//
// It owns how a file is written (to a temporary file beside it, synced, renamed), copied into a
// folder, read up to a limit, and set aside when it is damaged. It owns the errors about the state
// of a file: ErrMissing, ErrCorrupt, ErrNewer. It works on any afero file system.
//
// It interprets no file's content and takes no lock: the owner of a Folder serializes its writes. All
// packages of server/store call it.
package disk
