package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/dungeon"
	"agentdungeon/server/inspect"
	"agentdungeon/server/report"
	"agentdungeon/shared/world"
)

// Patterns by which a scout recognises the kind of a question.
var (
	asksQuests  = inspect.Pattern(`(?i)\bquests?\b`)
	asksWho     = inspect.Pattern(`(?i)\b(who|when)\b.*\b(changed?|touched|wrote|edited|last)\b`)
	asksImports = inspect.Pattern(`(?i)\b(imports?|imported|uses?|used|depends? on|requires?|calls?|called|` +
		`callers?)\b`)
	asksBreak = inspect.Pattern(`(?i)\bwhat\b.*\b(would|could|can|might|may|will) break\b|\bwho\b.*\b(needs?|affected)\b`)
	asksWhy   = inspect.Pattern(`(?i)\bwhy\b`)
	asksGrade = inspect.Pattern(`(?i)\b(critical|high|medium|low|info|sever(e|ity)|serious|important|bad|wrong|` +
		`danger(ous)?|findings?|problems?|issues?|bugs?|reported|suspected)\b`)
	asksWhere = inspect.Pattern(`(?i)\bwhere\b.*\b(is|are|does)\b|\bdefin(ed|ition)\b`)
	asksFound = inspect.Pattern(`(?i)\b(found|find|findings?|wrong|problems?|issues?|bugs?|broken)\b`)
	asksSafe  = inspect.Pattern(`(?i)\b(safe|safety|unsafe|(in)?secure|security|` +
		`vulnerab\w*|injections?|exploit\w*|attack\w*)\b`)
	asksNotes = inspect.Pattern(`(?i)\b(TO` + `DOs?|FIX` + `MEs?|HA` + `CKs)\b`)
	asksHub   = inspect.Pattern(`(?i)\b(imported|used|depended on|required)( the)? most\b|` +
		`\bmost( often)? (imported|used)\b`)
	asksYou    = inspect.Pattern(`(?i)\b(you|yours?|yourself)\b`)
	asksTests  = inspect.Pattern(`(?i)\b(how many|number of|count)\b.*\btests?\b`)
	asksTested = inspect.Pattern(`(?i)\b(tests?|tested|untested|cover(s|ed|age)?)\b`)
	asksSize   = inspect.Pattern(`(?i)\bhow (many|much|large|big)\b`)
	asksChurn  = inspect.Pattern(`(?i)\b(changes?d?|touched|edited)\b.*\bmost\b|` +
		`\bmost\b.*\b(changes?d?|touched|edited)\b|\bhot ?spots?\b`)
	asksLargest = inspect.Pattern(`(?i)\b(largest|biggest|longest)\b`)
	asksAbout   = inspect.Pattern(`(?i)\bwhat\b.*\b(is|does|about)\b.*\b(this|the|your)\b.*` +
		`\b(project|repo|repository|program|code ?base|folder|thing|for|do)\b|^\s*what('s| is) (this|it)\b`)
	isQuestion = inspect.Pattern(`(?i)\?\s*$|` +
		`^\s*(who|what|which|where|when|why|how|is|are|does|do|can|describe|explain|tell)\b`)
	wordLike = inspect.Pattern(`[\p{L}\p{N}_@./\\-]+`)
)

// answer is a measurement of the repository that answers a question.
type answer struct {
	key     string // names what is measured; a council does not say two answers with the same key
	measure func() (text string, ok bool, err error)
}

// reply answers each part of a question with a measurement, in paragraphs, without what other agents have said since
// the question. The result asks is a paragraph with questions that the person may ask next.
func (t *speaker) reply(question string) (text, asks string, err error) {
	question = unaddressed(question, t.turn.Role)
	g, about := guide{t}, subject{} // about is a place that was measured
	key, failed := "", ""
	var said []string
	for _, p := range divided(t.subject, question) {
		a := own{t}.to(p)
		if a == nil {
			continue
		}
		text, ok, err := a.measure()
		switch {
		case err != nil:
			return "", "", err
		case ok:
			said, key, about = append(said, text), a.key, p.s
		case failed == "":
			failed, key = text, cmp.Or(key, a.key)
		}
	}
	switch fresh := unsaid(t.turn.Window, said); {
	case len(fresh) > 0:
		text = strings.Join(fresh, "\n\n")
	case len(said) > 0:
		text = "I have nothing to add."
	default:
		text = cmp.Or(failed, g.beyond(question))
	}
	return text, g.asks(key, about), t.ctx.Err()
}

// to returns the hero's answer to a part of a question, nil for none.
func (t own) to(p part) *answer { return t.instead(p.text, p.s, t.route(p.text, p.s)) }

// unsaid returns the texts that no other agent has said in the rows, and each only once.
func unsaid(rows []world.Message, texts []string) (out []string) {
	for _, text := range texts {
		known := func(row world.Message) bool {
			return row.SpectatorID == "" && strings.Contains(row.Content, text)
		}
		if !slices.Contains(out, text) && !slices.ContainsFunc(rows, known) {
			out = append(out, text)
		}
	}
	return out
}

// unaddressed returns a question without the name of the role to which it is addressed: "Healer, what is lost?".
func unaddressed(question string, role world.Role) string {
	first, rest, ok := strings.Cut(strings.TrimSpace(question), " ")
	called := strings.Trim(first, "@,:")
	if ok && called != first && (strings.EqualFold(called, role.ID) || strings.EqualFold(called, role.Name)) {
		return rest
	}
	return question
}

// route returns the answer to a question that every hero gives, nil if no measurement of the scouts answers it.
func (t *speaker) route(question string, s subject) *answer {
	sure := func(text string) (string, bool, error) { return text, true, t.ctx.Err() }
	asks := s.apart(question)
	if a := (guide{t}).answer(question, s); a != nil && !asksQuests.MatchString(question) {
		return a
	}
	for _, r := range []struct {
		when *inspect.Regexp
		answer
	}{
		{asksQuests, answer{"quests", func() (string, bool, error) { return t.quests(s) }}},
		{asksChurn, answer{"churn", func() (string, bool, error) { return t.churn(s.dir) }}},
		{asksWho, answer{"changed", func() (string, bool, error) { return t.changed(s) }}},
		{asksWhy, answer{"why", func() (string, bool, error) { return t.whySevere(question, s) }}},
		{asksTests, answer{"tests", func() (string, bool, error) { return t.tests(s.dir) }}},
		{asksSafe, answer{"found", func() (string, bool, error) { return t.whatIsFound(question, s) }}},
		{asksNotes, answer{"notes", func() (string, bool, error) { return sure(notes(t.ctx, t.review.repo, s)) }}},
		{asksHub, answer{"hub", guide{t}.mostImported}},
		{asksLargest, answer{"largest", func() (string, bool, error) {
			return sure(count(t.review.repo).largestText())
		}}},
		{asksWhere, answer{"where", func() (string, bool, error) { return t.whereIs(question, s) }}},
		{asksImports, answer{"imports", func() (string, bool, error) { return t.whatImports(question, s) }}},
		{asksFound, answer{"found", func() (string, bool, error) { return t.whatIsFound(question, s) }}},
		{asksSize, answer{"size", func() (string, bool, error) {
			if s.file != nil {
				return sure(sizeOf(t.review.repo, s.file) + ".")
			}
			return sure(t.size(s.dir))
		}}},
		{asksAbout, answer{"about", func() (string, bool, error) {
			if !s.placed() {
				return sure(guide{t}.place())
			}
			return sure(t.about(s))
		}}},
	} {
		if r.when.MatchString(asks) {
			return &r.answer
		}
	}
	if place := s.dir; asksTested.MatchString(question) && (s.file != nil || place != "") {
		if s.file != nil {
			place = s.file.Dir()
		}
		return &answer{"tests", func() (string, bool, error) { return t.tests(place) }}
	}
	if s.placed() && isQuestion.MatchString(question) {
		return &answer{"about", func() (string, bool, error) { return sure(t.about(s)) }}
	}
	return nil
}

// whySevere explains why a finding is severe. It takes the finding that the question names by a file, an id or words of
// a title, else that of the last answer. If the question is about a finding, it takes the hero's most severe one.
func (t *speaker) whySevere(question string, s subject) (string, bool, error) {
	f := t.findingMeant(question, s)
	if f == nil {
		return "I do not know what you mean: name the file of a finding, or words of its title, and I say why it is one.",
			false, nil
	}
	return t.explain(f)
}

// explain says why a finding has its severity.
func (t *speaker) explain(f *world.Finding) (string, bool, error) {
	text := fmt.Sprintf("%s (%s) is %s. ", f.Title, where(f.Path, f.Line), f.Severity)
	if i := slices.IndexFunc(t.scouts.checks, func(c inspect.Check) bool { return c.ID == f.Check }); i >= 0 {
		text += "The rule: " + t.scouts.checks[i].Rule + " "
	}
	if f.Why != "" {
		text += f.Why + " "
	}
	switch {
	case f.Accepted():
		text += "It is accepted: " + f.Withdrawn + ". "
	case f.Withdrawn != "":
		text += "It was withdrawn: " + f.Withdrawn + ". "
	}
	t.walkTo(f)
	text = strings.TrimSpace(text)
	if f.Evidence != "" {
		text += "\n\nThe code there: " + f.Evidence
	}
	if len(f.Steps) > 0 {
		text += "\n\nFrom source to sink:\n" + strings.Join(report.Way(f.Steps), "\n")
	}
	return text, true, nil
}

func (v *view) findingMeant(question string, s subject) *world.Finding {
	var best *world.Finding
	score := 0
	for _, f := range v.ranked() {
		n := 0
		p, err := dungeon.DecodePath(f.Path)
		switch {
		case strings.Contains(question, f.ID):
			n = 100
		case err == nil && s.holds(p):
			n = 10
		case f.AgentID == v.turn.Role.ID:
			n = 1
		}
		if n >= 10 && s.line > 0 && s.line == f.Line {
			n += 20
		}
		for _, w := range wordLike.FindAllString(question, maxNamed) {
			if len(w) > 4 && strings.Contains(strings.ToLower(f.Title), strings.ToLower(w)) {
				n += 3
			}
		}
		if n > score { // the first of equal scores remains: it is the weightiest finding
			best, score = &f, n
		}
	}
	if score >= 3 || best != nil && asksGrade.MatchString(question) {
		return best
	}
	return answered(v.ranked(), v.turn.Window)
}

// answered returns the finding that the last row of an agent names first, nil if it names none.
func answered(findings []world.Finding, rows []world.Message) *world.Finding {
	for _, row := range slices.Backward(rows) {
		if row.SpectatorID != "" || row.Role != world.RoleAssistant {
			continue
		}
		var best *world.Finding
		first := len(row.Content)
		for i := range findings {
			title := strings.TrimSuffix(clipWords(findings[i].Title, 14), "…")
			if at := strings.Index(row.Content, title); title != "" && at >= 0 && at < first {
				best, first = &findings[i], at
			}
		}
		return best
	}
	return nil
}

// whatIsFound lists findings: those at the place that the question names, else the hero's own if the question asks it
// for these, else those of the review. A question of safety without a place is about the Sentinel's. Before the first
// review, the list has what the checks of one hero find.
func (t *speaker) whatIsFound(question string, s subject) (string, bool, error) {
	hero, whose, lead := "", "", ""
	switch {
	case asksSafe.MatchString(question) && !(s.placed() && t.reviewed()):
		hero, whose = guard, " of "+name(guard)
	case !t.reviewed() || asksYou.MatchString(question) && !s.placed():
		hero = t.turn.Role.ID
	}
	if !t.reviewed() {
		if len(t.scouts.of(hero)) == 0 {
			return "No review has been made yet, and I have no checks of my own: start a review.", true, nil
		}
		lead = "No review has been made yet, so I look with my own checks alone. "
		if whose != "" {
			lead = "No review has been made yet, so I look with the checks" + whose + " alone. "
		}
	}
	found, err := t.foundBy(hero, s)
	if err != nil {
		return "", false, err
	}
	suspicion, _ := guide{t}.suspicion(s)
	accepted, left := acceptedIn(t.review.repo, t.turn.Findings), 0
	for i := range t.turn.Findings {
		f := &t.turn.Findings[i]
		if posted := report.Posted(f); f.Stands() && accepted[f.ID] && (!s.placed() || s.meets(&posted)) {
			left++
		}
	}
	if left > 0 {
		suspicion += fmt.Sprintf(" %s accepted in %s.", are(left, "finding"), inspect.ExcusesFile)
	}
	if n := len(t.standing(s)); len(found) == 0 && n > 0 {
		suspicion = " The review reports " + countOf(n, "finding") + " of others." + suspicion
	}
	if len(found) == 0 {
		if s.file != nil && !checkable(t.scouts, t.review.repo, s.file) {
			return lead + "No check of ours reads " + s.file.Path + ".", true, nil
		}
		if whose != "" {
			return fmt.Sprintf("%s%s finds nothing%s.%s", lead, upper(name(hero)), s.in(), suspicion), true, nil
		}
		return fmt.Sprintf("%sNothing was found%s.%s", lead, s.in(), suspicion), true, nil
	}
	counts := map[string]int{}
	var texts []string
	for i := range found {
		counts[found[i].Severity]++
		texts = append(texts, s.told(&found[i]))
	}
	if asksSize.MatchString(question) {
		whose += s.in() + " (" + severities(counts) + ")"
	}
	return fmt.Sprintf("%s%s%s: %s.%s", lead, countOf(len(found), "finding"), whose, listed(texts), suspicion), true, nil
}

// quests lists the open quests, the weightiest first. If the subject names a file or a folder, it lists only those
// there.
func (v *view) quests(s subject) (string, bool, error) {
	var open []world.Quest
	taken, done := 0, 0
	for _, q := range v.questLog() {
		if p, err := dungeon.DecodePath(q.Path); s.placed() && (err != nil || !s.holds(p)) {
			continue
		}
		switch q.Status {
		case world.QuestOpen:
			open = append(open, q)
		case world.QuestDone:
			done++
		default:
			taken++
		}
	}
	if len(open)+taken+done == 0 {
		return "No quest waits" + s.in() + ": a code review makes quests of what it finds high or critical.", true, nil
	}
	text := fmt.Sprintf("%s waiting%s", are(len(open), "quest"), s.in())
	if taken > 0 {
		text += fmt.Sprintf(", %d taken", taken)
	}
	if done > 0 {
		text += fmt.Sprintf(", %d done", done)
	}
	slices.SortStableFunc(open, func(a, b world.Quest) int {
		return slices.Index(world.Severities, b.Priority) - slices.Index(world.Severities, a.Priority)
	})
	var waiting []string
	for _, q := range open {
		waiting = append(waiting, fmt.Sprintf("%s (%s, %s)", q.Title, where(q.Path, q.Line), q.Priority))
	}
	if len(waiting) > 0 {
		text += ": " + listed(waiting)
	}
	return text + ".", true, nil
}
