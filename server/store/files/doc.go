// Package files owns the worlds folder: every file except the realms' databases.
//
// In the worlds folder it owns the registry of realms and tenants (realms.json), the key that signs seats
// and what retention records of the clock; it reads the settings, templates and teams that people write.
// In each realm's folder it owns checkpoints, vaults, skills, the last scan, the copy of the findings and
// sessions of an older program.
//
// It never overwrites a file that it could not read, except map.json and findings.json, which the server
// can make again. It renames any other such file, with the time in the new name, and only a person or an
// erasure deletes it. The package never touches a linked repository and opens no database.
// server/app opens it, server/keeper gets realms from it, and the actor works through
// realm.Files and realm.Skills.
//
// # Where to look
//
//   - the worlds folder: worlds.go; how it is opened and closed: open.go, adopt.go (realm folders), modes.go
//     (permissions)
//   - its files: registry.go, secret.go, settings.go, retention.go, offers.go (templates and teams)
//   - realms of a tenant: tenant.go; creating and removing one: realms.go
//   - a folder that is only read, by commands: stopped.go
//   - the files of one realm: realm.go, checkpoint.go, vault.go (and map.json), findings.go, skills.go,
//     skills_write.go, sessions.go; what an erasure removes: forget.go
package files
