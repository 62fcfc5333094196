// Package lock keeps two servers from using one worlds folder or one realm.
//
// It owns the kernel's locks on the worlds folder, on its .lock file and on the folder of each open
// realm, and the content of .lock, which names the process that holds the lock. It reports whether a held folder
// was deleted or replaced (world.ErrMoved). It changes no other file.
//
// server/store/files takes the lock of the worlds folder and reads it for commands, server/store/recovery takes
// that of a realm.
package lock
