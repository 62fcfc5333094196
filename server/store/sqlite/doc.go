// Package sqlite opens realm.db and classifies its errors.
//
// It owns the pragmas of every handle, the connection that writes (Conn), the reader that reads a
// database in place without any write (Image), and the classes of errors: damage, a full disk, a
// busy file. It uses no table of realm.db.
//
// server/store/tables, history, journal, recovery, salvage and erasure call it.
package sqlite
