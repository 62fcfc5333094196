// Package files owns the worlds folder: every file except the realms' databases.
//
// In the worlds folder it owns the registry of realms and tenants (realms.json), the settings, the key
// that signs seats and retention's record of the clock; it reads the templates and teams that people
// write. In each realm's folder it owns checkpoints, vaults, skills, the last scan, the board of findings
// and sessions of an older program.
//
// It never overwrites a file that it could not read: it renames the file with the time, and only a
// person or an erasure deletes it. It never touches a linked repository and opens no database.
// server/app opens it, server/keeper gets realms from it, and the actor works through
// realm.Files and realm.Skills.
package files
