// Package recovery restores a realm from what its folder still holds, and opens it.
//
// An opening examines the database and the checkpoints, chooses the newest valid world, and begins a new
// epoch. It rebuilds a damaged database from everything that can be read (salvage), and opens a folder that
// cannot be written for reading. Commands report damage (Check) and make an intact copy (Repair). A realm
// whose files were deleted or moved while it was open is written to another folder
// (Rescuer).
//
// Nothing is lost without a report: unusable files are set aside and named, and the realm reports what it
// was restored from. server/app and the command line call this package.
//
// # Where to look
//
//   - an opening: recover.go, examine.go, pages.go, choose.go, load.go, vault_fold.go; read-only: reading.go
//   - a damaged database: salvage*.go
//   - by command: check.go, check_journal.go, check_count.go, check_files.go, repair.go
//   - files that were taken away: rescue.go
package recovery
