// Package report writes the content of a realm for people and other programs: a Markdown report, the
// picture of the map as a file of its own, and the findings as JSON and SARIF. It is a pure function
// of a world. server/app calls it for the page's export and for "agentdungeon export".
package report
