// Package dungeon turns a folder tree into rooms.
//
// It owns the tree as an immutable value (Tree, made by Builder), the form that
// paths have on the wire (EncodePath, DecodePath), the kinds of files, the
// layout of a room (Room), the summary that world:state carries (Tree.Summary)
// and the tree's form on disk (Encode, Decode; map.json).
//
// It never touches a disk, a clock or a random source: the same tree gives the
// same rooms for ever. server/folder builds trees; the realm actor asks them for
// rooms.
package dungeon
