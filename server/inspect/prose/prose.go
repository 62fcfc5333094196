// Package prose checks what a repository tells its readers: links in Markdown that lead nowhere.
//
// It never judges style and never follows a link out of the repository. It skips files from which a site generator
// builds web pages, because it cannot know the addresses of the pages. It owns no state. inspect/heroes lists its
// checks. Its name is not docs, because our own review takes what is in a folder of that name for documentation.
package prose

import "agentdungeon/server/inspect"

// Checks returns the checks of what documents say: those that search Markdown for broken links.
func Checks() []inspect.Check {
	return []inspect.Check{
		{
			ID: "bard/link", Hero: "bard", Confidence: inspect.Doubtful,
			Looks: "relative links, images and anchors in Markdown whose target does not exist",
			Rule:  "Low, and always a candidate: the link is broken, but most maintainers leave such a link as it is.",
			Run:   links,
		},
	}
}
