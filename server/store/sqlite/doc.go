// Package sqlite opens realm.db and says what its errors mean.
//
// It owns the pragmas of every handle, the connection that writes (Conn), reading a database in
// place without writing anything (Image), and the classes of errors: damage, a full disk, a
// busy file. It knows no table.
//
// server/store/tables, journal, recovery and erasure call it.
package sqlite
