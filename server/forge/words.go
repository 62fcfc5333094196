package forge

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"agentdungeon/shared/pattern"
	"agentdungeon/shared/world"
)

// Limits of texts made from a person's words, in bytes and items.
const (
	maxWords      = 32 << 10 // bytes of one message; equal to wire.MaxText
	maxPurpose    = 4_000
	maxSteps      = 30
	maxStep       = 600
	maxTriggers   = 20
	maxTrigger    = 300
	maxLimits     = 12
	maxLimit      = 300
	maxExamples   = 12
	maxExample    = 4_000
	maxReferences = 12
	maxScripts    = 10
	maxTopic      = 200 // bytes of the subject of a reference or a script
	maxNote       = 32 << 10
	maxAsked      = 100
)

// tidy cleans a person's text for storage: UTF-8, line breaks as \n, no control characters, at most limit
// bytes.
func tidy(s string, limit int) string {
	if len(s) > 2*limit {
		s = s[:2*limit]
	}
	s = lineBreaks.Replace(strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
	s, _ = world.Cut(strings.TrimSpace(s), limit)
	return strings.TrimSpace(s)
}

// lineBreaks replaces every character that some program treats as the end of a line by \n, and removes byte order
// marks.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\u0085", "\n",
	"\v", "\n", "\f", "\n", "\uFEFF", "")

// line is like tidy and joins the text to one line.
func line(s string, limit int) string {
	s, _ = world.Cut(strings.Join(strings.Fields(tidy(s, 2*limit)), " "), limit)
	return strings.TrimSpace(s)
}

var (
	bullet     = pattern.New(`^\s*(?:[-*+•]|\d{1,2}[.)])\s+`)
	numbered   = pattern.New(`(?:^|\s)\d{1,2}[.)]\s+`)
	emptyLines = pattern.New(`\n\s*\n`)
	thenWord   = pattern.New(`(?i)\s*;\s*|,?\s+and\s+then\s+|[,.]\s+then\s+|,\s+finally\s+|\.\s+(?:finally,?\s+)?`)
)

// items splits an answer into its parts: lines, numbered entries, or texts separated by "then", a semicolon or the end
// of a sentence. A line without a bullet continues the line with a bullet before it. most limits the number of parts,
// and size the bytes of each part.
func items(text string, most, size int) []string {
	var raw []string
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > 1 {
		bullets := slices.ContainsFunc(lines, func(l string) bool { return bullet.MatchString(l) })
		for _, l := range lines {
			if bullets && !bullet.MatchString(l) && len(raw) > 0 && strings.TrimSpace(l) != "" {
				raw[len(raw)-1] += " " + strings.TrimSpace(l)
				continue
			}
			raw = append(raw, bullet.ReplaceAllString(l, ""))
		}
	} else if len(numbered.FindAllString(text, 3)) > 1 {
		raw = numbered.Split(text, -1)
	} else {
		raw = thenWord.Split(bullet.ReplaceAllString(text, ""), -1)
	}
	return distinct(raw, most, size)
}

// distinct returns the items of raw that are not empty, each on one line. Of items that differ only in case it returns
// only the first. most limits the number of items, and size the bytes of each item.
func distinct(raw []string, most, size int) []string {
	out := []string{}
	for _, item := range raw {
		item = strings.TrimRight(line(item, size), ";, ")
		if item == "" || slices.ContainsFunc(out, func(o string) bool { return strings.EqualFold(o, item) }) {
			continue
		}
		if out = append(out, item); len(out) == most {
			break
		}
	}
	return out
}

// phrases is like items and also splits at commas if each part is short.
func phrases(text string, most, size int) []string {
	list := items(text, most, size)
	if len(list) != 1 {
		return list
	}
	parts := strings.Split(list[0], ",")
	for _, p := range parts {
		if n := len(strings.Fields(p)); n == 0 || n > 5 {
			return list
		}
	}
	return distinct(parts, most, size)
}

// blocks splits a text at empty lines. The forge splits a person's examples this way, because an example can have
// several lines.
func blocks(text string, most, size int) []string {
	out := []string{}
	for _, b := range emptyLines.Split(text, -1) {
		if b = tidy(b, size); b != "" && !slices.Contains(out, b) && len(out) < most {
			out = append(out, b)
		}
	}
	return out
}

// exact normalizes a text for comparison with exact words.
func exact(s string) string {
	return strings.TrimRight(strings.ToLower(strings.Join(strings.Fields(s), " ")), ".!")
}

var (
	// Words that mean yes, no, "go on" or "start over", in English and in German. Only a text that equals one of
	// them counts, so that the forge makes or omits nothing against a person's will.
	yesWords = listed(`
		yes; y; yeah; yep; sure; ok; okay; confirm; confirmed; make it; make it so; go; go ahead; do it; create
		it; looks good; sounds good; perfect; correct; yes please; yes, please; please do; ja; ja bitte; ja,
		bitte; jo; genau; passt; in ordnung; einverstanden; mach es`)
	noWords = listed(`
		no; none; nothing; skip; skip it; skip this; nope; -; no thanks; no, thanks; no thank you; not needed; n/a; no
		more; nothing else; nothing more; none of these; none of them; that's all; that is all; i don't know; i do not
		know; don't know; nein; nein danke; nein, danke; nö; nichts; keine; keiner; keines; keins; überspringen; weiß
		nicht; weiß ich nicht`)
	goWords = []string{"go on", "continue", "resume", "hello", "hi", "next", "are you there?",
		"are you there", "weiter", "weitermachen", "hallo"}
	overWords = []string{"start over", "restart", "begin again", "start again", "von vorn", "von vorne", "neu anfangen"}
)

// listed returns the entries of a table in which semicolons separate them.
func listed(table string) []string {
	var out []string
	for text := range strings.SplitSeq(table, ";") {
		out = append(out, strings.Join(strings.Fields(text), " "))
	}
	return out
}

func says(text string, words []string) bool { return slices.Contains(words, exact(text)) }

// nudges reports whether a text asks to continue and adds nothing.
func nudges(text string) bool { return text == "" || says(text, goWords) || says(text, yesWords) }

// kebab makes a name from words: at most limit characters, "" if nothing is left.
func kebab(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		if r == '\'' || unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, strings.ToLower(norm.NFKD.String(s)))
	name := strings.Trim(notInNames.ReplaceAllString(s, "-"), "-")
	if len(name) <= limit {
		return name
	}
	if end := strings.LastIndex(name[:limit+1], "-"); end > 0 {
		return name[:end]
	}
	return name[:limit]
}

var notInNames = pattern.New(`[^a-z0-9]+`)

var stopWords = strings.Fields(`
	a about above after again all also an and any are as at be because been before being below between both but
	by can could did do does doing down during each every few for from further get give given go had has have
	having he help her here him his how i if in into is it its itself just let like make makes me more most my
	need needs new no nor not now of off on once one only or other our out over own please same she should show
	skill skills so some such take tell than that the their them then there these they thing things this those
	through to too under until up use used user uses using very want wants was we were what when where which
	while who whom why will with would you your agent agents somebody someone something ask asks asked mention
	mentions work works`)

// keywords returns the stems of a text's words without stop words, in order, each once, at most 200.
func keywords(text string) []string {
	var out []string
	for _, w := range words(text) {
		if w = stem(w); !slices.Contains(out, w) && len(out) < 200 {
			out = append(out, w)
		}
	}
	return out
}

// words returns the words of a text, without stop words.
func words(text string) []string {
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(text),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if utf8.RuneCountInString(w) > 1 && !slices.Contains(stopWords, w) {
			out = append(out, w)
		}
	}
	return out
}

// stem removes the commonest English endings, so that "releases" and "releasing" are one keyword.
func stem(w string) string {
	for _, end := range []string{"ings", "ing", "ies", "ed", "es", "s"} {
		if short, ok := strings.CutSuffix(w, end); ok && len(short) >= 3 && !strings.HasSuffix(w, "ss") {
			w = short
			break
		}
	}
	if len(w) > 3 {
		w = strings.TrimRight(w, "ey")
	}
	if n := len(w); n > 3 && w[n-1] == w[n-2] {
		w = w[:n-1] // so that "tagged", now "tagg", becomes "tag"
	}
	return w
}

// foreign reports whether a text is probably not English. It counts the words that have letters outside of ASCII or
// are common in other languages, and compares their number with the number of common English words.
func foreign(text string) bool {
	theirs, ours := 0, 0
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch {
		case slices.Contains(foreignWords, w), strings.ContainsFunc(w,
			func(r rune) bool { return r > unicode.MaxASCII }):
			theirs++
		case slices.Contains(stopWords, w) && !slices.Contains(sharedWords, w):
			ours++
		}
	}
	return theirs > ours
}

// sharedWords are small English words that other languages have too.
var sharedWords = strings.Fields("a an in was will so no has on me i as do")

var foreignWords = strings.Fields(`
	der die das den dem des ein eine einen einem einer und oder mit von zu zum zur ist sind aus auf im ich wir
	sie nicht wenn jemand bei nach vor alle le la les un une des du et ou avec pour dans est sont au aux sur je
	nous il elle el los las una y con para por en es son del al lo se que gli una con per nel`)

var makeSkillGerman = pattern.New(`(?i)^\s*(?:hallo|hi|guten tag)?[,.!\s]*(?:bitte\s+)?` +
	`(?:ich\s+(?:möchte|will|brauche|hätte\s+gern(?:e)?|wünsche\s+mir)|` +
	`(?:mach|mache|erstell|erstelle|schreib|schreibe|bau|baue)(?:\s+(?:mir|uns))?)?\s*` +
	`(?:bitte\s+)?(?:einen?|den|noch\s+einen)?\s*(?:neuen?\s+)?` +
	`\bskill\b\s*,?\s*(?:der|die|das|welcher|um|zum|zur|für|:)?\s*`)

var makeSkill = pattern.New(`(?i)^\s*(?:hello|hi|hey)?[,.!\s]*(?:please\s+)?` +
	`(?:i\s+(?:want|need|would like|wish)|i'd like|let's|let us|can you|could you|help me)?\s*` +
	`(?:to\s+)?(?:make|create|write|forge|build|have|need|want)?\s*(?:me\s+)?(?:an?|another|the)?\s*(?:new\s+)?` +
	`\bskill\b(?:\s+(?:of\s+it|of\s+this))?\s*(?:that|which|who|to|for|about|:|,)?\s*(?:can\s+|is\s+to\s+)?`)

// intent returns the purpose in a first message, without a phrase such as "make a skill that".
func intent(text string) string {
	for _, lead := range []*pattern.Regexp{makeSkillGerman, makeSkill} {
		if at := lead.FindStringIndex(text); at != nil {
			text = text[at[1]:]
			break
		}
	}
	if nudges(text) || len(words(text)) == 0 {
		return ""
	}
	return strings.TrimSpace(strings.TrimLeft(text, " .!,:"))
}

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// lowerFirst lowers the first letter of a text. It keeps words that are written in capitals.
func lowerFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	next, _ := utf8.DecodeRuneInString(s[n:])
	if n == 0 || unicode.IsUpper(next) {
		return s
	}
	return string(unicode.ToLower(r)) + s[n:]
}

func cutRunes(s string, limit int) string {
	if runes := []rune(s); len(runes) > limit {
		return strings.TrimSpace(string(runes[:limit]))
	}
	return s
}

// mapped returns a list with the result of f for each item.
func mapped[T, U any](list []T, f func(T) U) []U {
	out := make([]U, 0, len(list))
	for _, v := range list {
		out = append(out, f(v))
	}
	return out
}
