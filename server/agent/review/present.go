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

// firstPage is the number of findings that the section of the critical and high ones and the section Recommendations
// list together, the weightiest first. The sections only count the others, which are in the list of findings.
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
	summary := t.summary(count(t.review.repo), all, counts)
	var b strings.Builder
	b.WriteString(report.Coverage(seen))
	b.WriteString("\n## Executive Summary\n\n" + late + strings.Join(summary, "\n\n") + "\n")
	if excused > 0 {
		fmt.Fprintf(&b, "\n%s accepted in %s.\n", are(excused, "finding"), inspect.ExcusesFile)
	}
	serious, told := critical(all)
	b.WriteString(serious + recommendations(all, max(0, firstPage-told)))
	if apart := report.Suspected(suspected(t.ranked())); apart != "" {
		b.WriteString("\n" + apart)
	}
	if len(all) > 0 {
		b.WriteString("\n## Next\n\n" + t.next(all) + "\n")
	}
	if unseen := t.unseen(); len(unseen) > 0 {
		b.WriteString("\n## Not looked at\n\n- " + strings.Join(unseen, "\n- ") + "\n")
	}
	if numbers := slices.Concat(minor(all), t.numbers()); len(numbers) > 0 {
		b.WriteString("\n## In numbers\n\n- " + strings.Join(numbers, "\n- ") + "\n")
	}
	b.WriteString("\n" + report.CoverageDetails(seen))
	text := b.String()
	t.say(text)
	t.handCoverage(seen)
	t.handOver("final_report", text, summary[0])
	return nil
}

// critical returns the section with the critical and high findings, which has the name of those that it has, and their
// number; "" if there are none.
func critical(all []world.Finding) (string, int) {
	var b strings.Builder
	n, head := 0, ""
	for i := range all {
		if f := &all[i]; serious(f.Severity) {
			switch { // the weightiest come first
			case head == "":
				head = strings.ToUpper(f.Severity[:1]) + f.Severity[1:]
			case f.Severity == inspect.High && all[0].Severity == inspect.Critical:
				head = "Critical and high"
			}
			if n++; n <= firstPage {
				fmt.Fprintf(&b, "%d. **%s** (%s, %s)\n   %s\n   %s\n", n, report.Escape(f.Title),
					report.Code(where(f.Path, f.Line)), graded(f), report.Escape(f.Why), report.Escape(f.Advice))
			}
		}
	}
	if n == 0 {
		return "", 0
	}
	if n > firstPage {
		fmt.Fprintf(&b, "\n%d more are in the list of findings.\n", n-firstPage)
	}
	return "\n## " + head + "\n\n" + b.String(), n
}

// recommendations returns the section with the medium findings, of which it lists at most room; "" if there are none.
func recommendations(all []world.Finding, room int) string {
	var b strings.Builder
	n := 0
	for i := range all {
		if f := &all[i]; f.Severity == inspect.Medium {
			if n++; n <= room {
				fmt.Fprintf(&b, "%d. %s (%s, %s): %s\n", n, report.Escape(f.Title), report.Code(where(f.Path, f.Line)),
					graded(f), report.Escape(f.Advice))
			}
		}
	}
	if n == 0 {
		return ""
	}
	if n > room {
		fmt.Fprintf(&b, "\n%d more of medium severity are in the list of findings.\n", n-room)
	}
	return "\n## Recommendations\n\n" + b.String()
}

// graded returns the severity of a finding, and that it was proved, else its confidence if that is known.
func graded(f *world.Finding) string {
	switch {
	case f.State() == world.StateProved:
		return f.Severity + ", proved"
	case f.Confidence == "":
		return f.Severity
	}
	return f.Severity + ", " + f.Confidence + " confidence"
}

// summary returns paragraphs: what was found and the weightiest finding; how many are only suspected, if any are; what
// the repository is.
func (v *view) summary(c *census, all []world.Finding, counts map[string]int) []string {
	text := "The scouts found nothing that they could prove."
	if len(all) > 0 {
		text = fmt.Sprintf("%s: %s.", countOf(len(all), "finding"), severities(counts))
		if len(counts) == 1 {
			text = countOf(len(all), all[0].Severity+" finding") + "."
		}
		if f := &all[0]; serious(f.Severity) {
			text += fmt.Sprintf(" First of all: %s (%s).", report.Escape(f.Title), report.Code(where(f.Path, f.Line)))
		}
	}
	what := fmt.Sprintf("%s: %s in %s, %s, %s.", v.turn.RepoName, countOf(len(v.review.repo.Files), "file"),
		countOf(c.dirs, "folder"), c.languages(), countOf(c.tests, "test file"))
	if waiting := v.waiting(); waiting != "" {
		return []string{text, waiting, what}
	}
	return []string{text, what}
}

// waiting returns a sentence with the number of candidates (suspected findings), which have a section of their own;
// "" if there are none.
func (v *view) waiting() string {
	n := len(suspected(v.turn.Findings))
	if n == 0 {
		return ""
	}
	return are(n, "finding") + " only suspected: see Suspected."
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

// unseen returns sentences about the files of the repository that were not read, as the coverage counts them, and about
// a history that is missing.
func (v *view) unseen() []string {
	unread, binary := v.scouts.unread(v.turn, v.review.repo)
	out := unreadWords(v.own(unread))
	if n := len(v.own(binary)); n > 0 {
		out = append(out, countOf(n, "file")+" without text, such as pictures.")
	}
	if v.review.repo.History == nil {
		out = append(out, "The history: this folder is no git repository that can be read.")
	}
	return out
}

// own returns the files without those that were deleted after the heroes read the folder, and without those that the
// coverage counts as third-party or generated.
func (v *view) own(files map[string]string) map[string]string {
	out := maps.Clone(files)
	maps.DeleteFunc(out, func(p, _ string) bool {
		f := v.review.repo.File(p)
		return f == nil || f.Vendored || v.review.repo.Generated(f)
	})
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

// next says what to do first about the findings that stand, of which there is at least one.
func (v *view) next(all []world.Finding) string {
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
	return text + fmt.Sprintf(" To keep something as it is, give the reason in %s; the next review then leaves it out.",
		inspect.ExcusesFile)
}
