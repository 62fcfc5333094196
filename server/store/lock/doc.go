// Package lock keeps two servers from using one worlds folder or one realm.
//
// It owns the kernel's locks on the worlds folder, on its .lock file and on the folder of each open
// realm, and the content of .lock, which names the process that holds it. It reports a held folder
// that was deleted or replaced (world.ErrMoved). It changes no other file.
//
// server/store/files takes the lock of the worlds folder, server/store/recovery that of a realm;
// the command line asks who holds a folder.
package lock
