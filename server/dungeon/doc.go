// Package dungeon turns a folder tree into rooms.
//
// It has the immutable tree (Tree, made by Builder), the form of paths on the wire (EncodePath,
// DecodePath), the kinds of files, the layout of a room (Room), the summary in world:state
// (Tree.Summary) and the tree's form on disk (Encode, Decode; map.json).
//
// It uses no disk, clock or random source: the same tree always gives the same rooms.
// server/folder builds trees; the realm actor asks them for rooms.
package dungeon
