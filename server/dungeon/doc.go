// Package dungeon makes rooms and the overworld of a folder tree.
//
//   - the tree: tree.go, builder.go, compare.go (differences), summary.go (world:state), mapfile.go
//     (map.json), path.go (the form of paths on the wire), kind.go and language.go (kinds and languages of files)
//   - the search for a path: find.go
//   - what else is known of the linked folder: survey.go, history.go
//   - rooms: room.go, layout.go
//   - the overworld: country.go (houses), land.go (the terrain), lots.go (where houses and forts are)
//
// The package uses no disk, clock or random source: the same tree always gives the same rooms and houses.
// server/folder builds trees; server/keeper and server/realm call the other functions.
package dungeon
