package review

import "testing"

// The description of a project is found in the HTML at the head of a README, and badges, pictures, links and titles are
// not taken for it.
func TestOpening(t *testing.T) {
	const badges = "<p align=\"center\">\n\t<a href=\"https://x/ci\"><img src=\"https://x/badge.svg\" alt=\"the state of the build\"></a>\n\t<br>\n</p>\n"
	const nav = "<p align=\"center\">\n\t<a href=\"/r\">All Releases</a> ·\n\t<a href=\"/d\">The Documentation</a> ·\n\t<a href=\"/h\">Get Help</a>\n</p>\n"
	for _, c := range []struct {
		readme, name string
		at           int
		text         string
	}{
		{"# x\n\n[![x](y)](z)\nIt counts sheep.\nAll of them.\n\nMore.\n", "x", 4, "It counts sheep. All of them."},
		{"<p align=\"center\">\n\t<a href=\"https://lantern.example\">\n\t\t<picture><source srcset=\"a.svg\"><img src=\"a.svg\" alt=\"Lantern\"></picture>\n\t</a>\n\t<br>\n\t<h3 align=\"center\">a <a href=\"https://z.example\"><img src=\"z.svg\"></a> project</h3>\n</p>\n<hr>\n" +
			"<h3 align=\"center\">Every lamp on oil</h3>\n<p align=\"center\">Lantern is an extensible lamp that burns &amp; glows by default.</p>\n" + badges + nav +
			"\n### Menu\n\n- [Install](#install)\n\n## Install\n\nThe simplest way to get started is to download Lantern.\n", "lantern", 10, "Lantern is an extensible lamp that burns & glows by default."},
		{"<div align=\"center\">\n  <h1>Mill</h1>\n  <!-- <p>This text is a comment.</p>\n -->\n  <p><em>Corn into flour, quickly and <a href=\"x\">safely</a></em></p>\n</div>\n\nDownload it.\n", "mill", 5, "Corn into flour, quickly and safely"},
		{"<center>\n\n# Mill\n\nGrinds corn.\n\n</center>\n\nMill is a grinder.\n", "mill", 5, "Grinds corn."},
		{"<h1>The mill of the river</h1>\n\n**Mill** is a tool that grinds corn.\n", "mill", 3, "**Mill** is a tool that grinds corn."},
		{badges + nav + "\n[Home](x) | [Documentation](y)\n\nGrinds corn.\n", "mill", 13, "Grinds corn."},
		{badges + "\n## Install\n\n<p>Mill is a tool that is installed.</p>\n\nDownload it.\n", "mill", 10, "Download it."},
		{"<p>\nUnclosed and <b>bold words of a mill\n", "mill", 2, "Unclosed and bold words of a mill"},
		{badges + nav, "mill", 0, ""},
		{"", "", 0, ""},
	} {
		if at, text := opening([]byte(c.readme), c.name); at != c.at || text != c.text {
			t.Errorf("%d %q, want %d %q, of\n%s", at, text, c.at, c.text, c.readme)
		}
	}
}
