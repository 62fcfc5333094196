// Package report makes reports of a realm for people and other programs: Markdown (markdown.go), an
// SVG picture of the map (picture.go), JSON and SARIF (data.go). Make in report.go returns one of
// them as a file. A report depends only on the world, the land and the time; the package reads and
// writes no file. server/app calls it for the page's export and for "agentdungeon export".
package report
