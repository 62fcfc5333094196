// Package report makes reports of a realm for people and other programs: Markdown (markdown.go), an SVG picture of the
// map (picture.go), JSON (data.go) and SARIF (sarif.go; its rules, from the checks of server/inspect, in rules.go).
// process.go finds what a process has made, overtaken.go whether a later review has its findings now, and session.go
// what a session of a coding agent has done. Make in report.go returns one of them as a file. A report depends only on
// its Source; the package reads and writes no file. server/app calls it for the page's export and for "agentdungeon
// export".
package report
