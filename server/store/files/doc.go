// Package files owns the worlds folder: every file but the databases of the realms.
//
// Of the worlds folder: the registry of realms and tenants (realms.json), settings, the key that
// signs seats, what retention knows of the clock, and as bytes the templates and teams that people
// write. Of each realm's folder: checkpoints, vaults, skills, the last scan, the board of findings,
// sessions of an older program.
//
// It never overwrites a file that it could not read: such a file is renamed with the time and
// deleted by nobody but a person or an erasure. It never touches a linked repository and opens no
// database. server/app opens it, server/keeper asks it for realms, and the actor works through
// realm.Files and realm.Skills.
package files
