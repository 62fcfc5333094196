// Package disk changes files of a folder so that each change is made wholly or not at all.
//
// It owns the way a file is written (beside its place, synced, renamed), copied into a folder,
// read within a bound, and set aside when it cannot be used, and the errors that say what can be
// wrong with a file: ErrMissing, ErrCorrupt, ErrNewer. It works on any afero file system.
//
// It knows no file's content and takes no lock: whoever owns a Folder serializes its writes. All
// packages of server/store call it.
package disk
