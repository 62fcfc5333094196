// Package team owns what a team of people and agents is as a file: which teams are embedded,
// how a team's file is read, and which member a name means.
//
// It is pure: no clock, disk or log. server/party talks with a team, server/app offers those
// of the worlds folder.
package team
