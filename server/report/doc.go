// Package report writes what a realm holds for people and programs outside of it: a
// Markdown report, the picture of the map as a file of its own, the findings as JSON and as SARIF. It is
// a pure function of a world. server/app calls it, for the page's export and for
// "agentdungeon export".
package report
