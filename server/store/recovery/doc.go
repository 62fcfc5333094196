// Package recovery makes a realm of what its folder still holds, and opens it.
//
// An opening examines the database and the checkpoints, chooses the newest world that is whole, and
// begins a new line. A database that is damaged is made anew of all that can be read (salvage); a
// folder that takes no writing is opened for reading. By command it says what is damaged (Check)
// and makes a whole copy (Repair). A realm whose files were taken away while it was open is written
// elsewhere (Rescuer).
//
// Nothing is lost in silence: files that cannot be used are set aside and named, and the realm says
// what it was restored from. server/app and the command line call it.
//
// # Where to look
//
//   - an opening: recover.go, examine.go, pages.go, choose.go, load.go, vault_fold.go; read-only: reading.go
//   - a damaged database: salvage*.go
//   - by command: check.go, check_journal.go, check_count.go, check_files.go, repair.go
//   - files that were taken away: rescue.go
package recovery
