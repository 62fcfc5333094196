// Package team owns teams of people and agents as files: the embedded teams, the format of a team's file,
// and the search for a member by name.
//
// It is pure: no clock, disk or log. server/party holds conversations with a team; server/app offers the
// teams of the worlds folder.
package team
