// Package recovery restores a realm from what its folder still holds, and opens it.
//
// An opening examines the database and the checkpoints, chooses the newest valid world, and begins a new epoch. It
// rebuilds a damaged database from everything that can be read (server/store/salvage). If it cannot write the folder,
// it opens the realm for reading. Commands report damage (Check) and make an intact copy (Repair). A realm whose
// files were deleted or moved while it was open is written to another folder (Rescuer).
//
// Nothing is lost without a report: unusable files are set aside and named, and the realm reports what it was
// restored from. server/app and the command line call this package.
//
// # Where to look
//
// Each file calls only files that stand below it in this list.
//
//   - by command: repair.go; check.go, check_journal.go, check_count.go, checked.go (the result)
//   - files that were taken away: rescue.go; copying a folder: copy.go
//   - an opening: recover.go; read-only: reading.go; what the actor gets: load.go, vault_fold.go
//   - a damaged database: rebuild.go
//   - the world to continue from: choose.go; the checkpoints: folder.go
//   - whether realm.db is intact: examine.go, pages.go
package recovery
