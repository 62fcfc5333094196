package review

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentdungeon/server/inspect"
	"agentdungeon/server/report"
	"agentdungeon/shared/world"
)

// firstPage is the number of findings that the sections Critical and Recommendations list together, the weightiest
// first. The sections only count the others, which are in the list of findings.
const firstPage = 12

// present writes the report for the owners of the code.
func (t *speaker) present() error {
	all := t.standing(subject{})
	counts := map[string]int{}
	for _, f := range all {
		counts[f.Severity]++
	}
	seen, excused, err := t.seen()
	if err != nil {
		return err
	}
	late, err := t.late()
	if err != nil {
		return err
	}
	unseen := t.unseen()
	c := count(t.review.repo)
	var b strings.Builder
	b.WriteString(report.Coverage(seen))
	b.WriteString("\n## Executive Summary\n\n" + late + t.summary(c, all, counts) + "\n\n")
	b.WriteString("## Critical\n\n")
	told := 0
	for i := range all {
		if f := &all[i]; serious(f.Severity) {
			if told++; told <= firstPage {
				fmt.Fprintf(&b, "%d. **%s** (%s, %s)\n   %s\n   %s\n", told, report.Escape(f.Title),
					report.Code(where(f.Path, f.Line)), graded(f), report.Escape(f.Why), report.Escape(f.Advice))
			}
		}
	}
	switch {
	case told == 0:
		b.WriteString("No finding is critical or high.\n")
	case told > firstPage:
		fmt.Fprintf(&b, "\n%d more are in the list of findings.\n", told-firstPage)
	}
	b.WriteString("\n## Recommendations\n\n")
	n, room := 0, max(0, firstPage-told)
	for i := range all {
		if f := &all[i]; f.Severity == inspect.Medium {
			if n++; n <= room {
				fmt.Fprintf(&b, "%d. %s (%s, %s): %s\n", n, report.Escape(f.Title), report.Code(where(f.Path, f.Line)),
					graded(f), report.Escape(f.Advice))
			}
		}
	}
	switch {
	case n == 0:
		b.WriteString("No finding is medium.\n")
	case n > room:
		fmt.Fprintf(&b, "\n%d more of medium severity are in the list of findings.\n", n-room)
	}
	b.WriteString("\n## Next\n\n" + t.next(all) + "\n")
	if excused > 0 {
		fmt.Fprintf(&b, "\n%s accepted in %s.\n", are(excused, "finding"), inspect.ExcusesFile)
	}
	if len(unseen) > 0 {
		b.WriteString("\n## Not looked at\n\n")
		for _, u := range unseen {
			b.WriteString("- " + u + "\n")
		}
	}
	if numbers := slices.Concat(minor(all), t.waiting(), t.numbers()); len(numbers) > 0 {
		b.WriteString("\n## In numbers\n\n- " + strings.Join(numbers, "\n- ") + "\n")
	}
	b.WriteString("\n" + report.CoverageDetails(seen))
	text := b.String()
	t.say(text)
	t.handCoverage(seen)
	t.handOver("final_report", text, t.summary(c, all, counts))
	return nil
}

// graded returns the severity of a finding, and its confidence if that is known.
func graded(f *world.Finding) string {
	if f.Confidence == "" {
		return f.Severity
	}
	return f.Severity + ", " + f.Confidence + " confidence"
}

func (v *view) summary(c *census, all []world.Finding, counts map[string]int) string {
	r := v.review.repo
	text := fmt.Sprintf("%s: %s in %s, %s, %s.", v.turn.RepoName, countOf(len(r.Files), "file"), countOf(c.dirs, "folder"),
		c.languages(), countOf(c.tests, "test file"))
	if len(all) == 0 {
		return text + " The scouts found nothing that they could prove."
	}
	text += fmt.Sprintf(" %s: %s.", plural(len(all), "1 finding stands", "%d findings stand"), severities(counts))
	if f := &all[0]; serious(f.Severity) {
		text += fmt.Sprintf(" First of all: %s (%s).", report.Escape(f.Title), report.Code(where(f.Path, f.Line)))
	} else {
		text += " None of them is high or critical."
	}
	return text
}

// seen returns what the review could read (its coverage), including what the checks left out because of their
// limits, and the number of findings that the repository accepts.
func (v *view) seen() (*world.Coverage, int, error) {
	c, err := v.scouts.coverage(v.ctx, v.turn, v.review)
	if err != nil {
		return nil, 0, err
	}
	out, excused := *c, 0
	out.Limits = slices.Clone(c.Limits)
	for i := range v.scouts.checks {
		check := &v.scouts.checks[i]
		res := v.scouts.resultOf(v.turn, check.ID)
		if res == nil {
			if res, err = v.scouts.run(v.ctx, v.review, check, nil); err != nil {
				return nil, 0, err
			}
		}
		excused += len(res.Excused)
		out.Limited(res)
	}
	return &out.Coverage, excused, nil
}

// unseen returns sentences about the files of the repository that were not read, and about a history that is missing.
func (v *view) unseen() []string {
	unread := maps.Clone(v.scouts.unread(v.turn, v.review.repo))
	// Leave out files that were deleted after the heroes read the folder.
	maps.DeleteFunc(unread, func(p, _ string) bool { return v.review.repo.File(p) == nil })
	out := unreadWords(unread)
	if v.review.repo.History == nil {
		out = append(out, "The history: this folder is no git repository that can be read.")
	}
	return out
}

// Texts of errors of server/folder that say why a file has no text.
const (
	isLink       = "it is a link"
	isRepository = "it is a repository of its own"
)

// unreadWords returns sentences about the files that were not read, grouped by reason, with at most namedUnread paths
// for a reason. Links and nested repositories are not failures; they have groups of their own.
func unreadWords(unread map[string]string) []string {
	const namedUnread = 5
	var links, repositories, files []string
	for _, p := range slices.Sorted(maps.Keys(unread)) {
		switch unread[p] {
		case isLink:
			links = append(links, report.Code(p))
		case isRepository:
			repositories = append(repositories, report.Code(p))
		default:
			files = append(files, fmt.Sprintf("%s (%s)", report.Code(p), unread[p]))
		}
	}
	tell := func(names []string, noun, where, more string) string {
		return fmt.Sprintf("%s%s: %s.%s", countOf(len(names), noun), where, some(names, namedUnread), more)
	}
	var out []string
	if len(links) > 0 {
		out = append(out, tell(links, "link", "",
			" Nobody follows links; what they name in this folder is looked at under its own name."))
	}
	if n := len(repositories); n > 0 {
		more := " It asks for a review of its own."
		if n > 1 {
			more = " Each asks for a review of its own."
		}
		out = append(out, tell(repositories, "repository", " within this one", more))
	}
	if len(files) > 0 {
		out = append(out, tell(files, "file", "", ""))
	}
	return out
}

func (v *view) next(all []world.Finding) string {
	if len(all) == 0 {
		return "No finding stands, so nothing is asked for."
	}
	f := &all[0]
	text := fmt.Sprintf("First: %s (%s).", report.Escape(f.Title), report.Code(where(f.Path, f.Line)))
	n := 0
	for _, q := range v.turn.Quests {
		if q.Status == world.QuestOpen {
			n++
		}
	}
	if n > 0 {
		text += fmt.Sprintf(" %s can be taken one by one in the tab Quests.", countOf(n, "quest"))
	}
	return text + fmt.Sprintf(" What shall stay as it is can be explained in %s; the next review then leaves it out.",
		inspect.ExcusesFile)
}
