package forge

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"agentdungeon/shared/pattern"
)

// aside handles a person's words that do not answer the open question: a question about that question, a request to
// go back, or a request to change an earlier answer. Afterwards the forge asks the open question again. aside
// returns false if the person's words are none of these.
func aside(s *step, in said) bool {
	q := in.question
	if q == nil || len(in.picks) > 0 || nudges(in.text) || s.c.State == Saving {
		return false
	}
	topic, value := wishOf(in.text)
	switch {
	case asks(q.Topic, in.text):
		s.tell("%s", explanation(q.Topic))
		if len(q.Options) == 0 || q.Words {
			s.tell("You can also say `back`, `none` or, for instance, `change the name`; `start over` begins anew.")
		}
		s.menu(*q)
	case says(in.text, backWords), isChange(q.Topic) && says(in.text, cancelWords):
		back(s, q)
	case topic != "" && takesWishes(s.c.State, q.Topic):
		s.c.forget(q)
		if q.Topic == topicWhere {
			s.c.Plan.Held = ""
		}
		change(s, topic, value)
	default:
		return false
	}
	return true
}

var (
	// metaWords match words that always ask about the open question. Any other question can be part of an answer, such
	// as a skill's trigger or example.
	metaWords = pattern.New(
		`(?i)^(?:\?+|help|hilfe|huh|(?:please |can you |could you )?(?:explain|help me)(?: (?:that|this|` +
			`it|please))?|why|warum|wieso|wozu|` +
			`why do you (?:ask|want to know|need)\b.*|what do you (?:mean|want|need)\b.*|what does (?:that|` +
			`this|it) mean\b.*|what is (?:that|this|meant)\b.*|what's (?:that|this)\b.*|` +
			`how (?:does|do) (?:this|it|that|i|you|we)\b.*(?:work|answer|mean)\b.*|i (?:do not|` +
			`don't) (?:understand|know what you mean|get it)\b.*|what are my (?:options|choices)|` +
			`(?:can|could) you give me an example|like what|such as|what should i (?:say|write|answer)\b.*|` +
			`what can i (?:say|do|answer)\b.*|` +
			`was (?:meinst du|bedeutet das|ist das|heißt das|soll ich sagen)\b.*|wie (?:geht|` +
			`funktioniert) (?:das|es)\b.*|(?:das )?verstehe ich nicht|ich verstehe (?:das )?nicht)[\s?!.]*$`)
	// queries match the beginning of a person's question. Answers hardly ever begin with these words.
	queries = pattern.New(
		`(?i)^(?:what|why|how|which|who|whose|where|when|is|are|do|does|did|can|could|may|must|should|` +
			`shall|will|would|was|wie|warum|wieso|wer|welche[rsn]?|wozu|muss|kann|soll|ist|sind)\s`)
	// openers match only those beginnings of a question with which a purpose rarely begins. "Can you ...?" is not
	// among them, because the purpose of a skill can begin like that.
	openers = pattern.New(`(?i)^(?:what|why|how|which|who|whose|was|wie|warum|wieso|wer|welche[rsn]?|wozu)\s`)

	backWords = []string{"back", "go back", "undo", "previous", "one step back", "step back", "zurück",
		"geh zurück", "go back one", "take it back", "oops"}
	// cancelWords cancel a change: the forge drops the question that it asked only for the change.
	cancelWords = []string{"cancel", "never mind", "nevermind", "forget it", "leave it", "abbrechen", "egal",
		"vergiss es"}
)

// isChange reports whether a topic belongs to a question that the forge asks only to change a part of the skill.
func isChange(topic string) bool {
	return topic == topicWhere || topic == topicChange || strings.HasPrefix(topic, topicEdit)
}

// asks reports whether a person's words ask about the question on the topic instead of answering it.
func asks(topic, text string) bool {
	topic = strings.TrimPrefix(topic, topicEdit)
	switch {
	case strings.Contains(text, "\n") || len(text) > 300:
		return false
	case metaWords.MatchString(text):
		return true
	case !strings.HasSuffix(text, "?"):
		return false
	}
	switch topic {
	case topicTriggers, topicExamples, topicOpen, topicExisting:
		return false // an answer on this topic can be a question
	case topicTools, topicReferences, topicScripts, topicName, topicTaken, topicStorage:
		return queries.MatchString(text)
	}
	return !strings.HasPrefix(topic, topicReference) && openers.MatchString(text) && !makeSkill.MatchString(text)
}

// explanation returns a text for the person that says why the forge asks the question on a topic.
func explanation(topic string) string {
	if about := explained[strings.TrimPrefix(topic, topicEdit)]; about != "" {
		return about
	}
	if strings.HasPrefix(topic, topicReference) {
		return "What you write becomes a file beside the skill, which an agent opens when it needs it. " +
			"Facts, rules and names are worth writing down; what is in the repository already is not."
	}
	return "Answer in your own words, or choose a button where there is one."
}

var explained = map[string]string{
	topicPurpose: "A skill is a page of instructions for one task, which an agent reads when that task " +
		"comes up. Name the task and its result in a sentence, " +
		"like: Write release notes from the commits since the last tag.",
	topicExisting: "There is a skill already that seems to do something like it. Using it saves the work; " +
		"a new one stands beside it.",
	topicSteps: "The steps are what an agent will follow, in this order. Write one a line, and " +
		"commands in backticks as they are typed.",
	topicTriggers: "Of a skill an agent first sees the name and a description only. The description says " +
		"when it fits: name situations, or words that people use.",
	topicExamples: "An example shows an agent what a good result looks like, better than rules do. Paste " +
		"what is given and what should come of it; a few lines are enough.",
	topicLimits: "A skill that also says when to leave it alone is not used for the wrong task. Name " +
		"tasks that look alike and are not meant, or things that must not happen.",
	topicTools: "These are what an agent may do for this skill without asking a person first. Fewer is " +
		"safer; with none it asks as it would otherwise.",
	topicReferences: "An agent reads these when it needs them. Choose files of the repository, or name what " +
		"is written down nowhere yet.",
	topicScripts: "A script lies beside the skill and is run by an agent, so that a long command is " +
		"typed right each time. Most skills need none.",
	topicName:  "The name is the skill's folder: lower-case letters, digits and hyphens, like release-notes.",
	topicTaken: "Two skills cannot have one name. Replacing the other one overwrites its files.",
	topicDescribe: "The description is all that an agent sees before it opens the skill: what it does and " +
		"when to use it, in at most 1024 characters.",
	topicConfirm: "Above is everything that will be in the skill. Nothing is written before you say " +
		"`yes`; until then all of it can be changed.",
	topicChange:    "Choose what should be different; everything else stays.",
	topicWhere:     "I keep what you said and need to know which part of the skill it belongs to.",
	topicAgain:     "Nothing is lost. Say what should be different, or have it tried again.",
	topicStorage:   "The skill is a folder of files; this is where it will lie.",
	topicSaveError: "The skill is whole and kept here, but the disk did not take it.",
	topicGoOn:      "The step was cut off before it ended. Going on takes it up again.",
	topicOpen:      "The answer helps to fill what is still missing. If there is nothing to say, say `none`.",
}

// back asks the last answered question again, for another answer.
func back(s *step, q *Question) {
	c := &s.c
	c.forget(q)
	further := c.Plan.Back // an earlier step back led to the open question
	c.Plan.Back = false
	switch {
	case q.Topic == topicWhere:
		s.tell("%s is left out.", quote(c.Plan.Held))
		c.Plan.Held = ""
		s.noInference = true
		return
	// The question is about a change that has not been made: there is nothing to take back.
	case q.Topic == topicChange, strings.HasPrefix(q.Topic, topicEdit) && !further:
		s.noInference = true
		return
	case q.Topic == topicTaken:
		change(s, topicName, "")
		return
	case c.State == GatheringPurpose:
		s.tell("This is the first question.")
		s.menu(*q)
		return
	case q.Topic == topicAgain, !slices.Contains([]State{CheckingExisting, GatheringDetails, ConfirmingSpec}, c.State):
		s.to(GatheringDetails, "something is to change")
		s.menu(changeQuestion())
		return
	}
	earlier := c.Plan.Trail
	if i := slices.Index(earlier, strings.TrimPrefix(q.Topic, topicEdit)); i >= 0 {
		earlier = earlier[:i]
	}
	if len(earlier) == 0 || c.State == CheckingExisting {
		s.to(GatheringPurpose, "the purpose is to change")
		c.Plan.Anew = false
		s.menu(purposeAgain(c.SkillPurpose))
		return
	}
	c.Plan.Back = true
	change(s, earlier[len(earlier)-1], "")
}

// changeWish returns a regular expression that matches a wish to change a part of a skill, by any of the part's names.
var changeWish = sync.OnceValue(func() *regexp.Regexp {
	anyPart := "(" + strings.Join(slices.Sorted(maps.Keys(partNames)), "|") + ")"
	return regexp.MustCompile(
		`(?is)^(?:no,?\s+)?(?:please\s+)?(?:i (?:want|would like) to\s+|let me\s+|can you\s+|` +
			`let's\s+)?(?:change|edit|set|correct)\s+(?:the\s+|its\s+|my\s+)?` + anyPart + `(?:\s*(?:to|` +
			`into|:|=)\s+(.+?))?[.!?]?$`)
})

var (
	renameWish = pattern.New(
		`(?is)^(?:no,?\s+)?(?:please\s+)?(?:can you\s+)?(?:rename (?:it|the skill)(?:\s+(?:to|into))?|` +
			`(?:call|name) (?:it|the skill))(?:\s+(\S.{0,100}?))?[.!]?$`)
	shouldWish = pattern.New(
		`(?is)^(?:no,?\s+)?(?:the|its)\s+(name|title|description|purpose)\s+(?:should|must|has to|` +
			`ought to)\s+be\s+(.+?)[.!]?$`)

	// wishFree lists topics on which an answer can look like a request to change something. On these topics the
	// forge never treats words as such a request.
	wishFree = []string{topicPurpose, topicSteps, topicTriggers, topicExamples, topicLimits, topicOpen,
		topicExisting, topicEdit + topicPurpose, topicEdit + topicSteps, topicEdit + topicTriggers,
		topicEdit + topicExamples, topicEdit + topicDescribe, topicEdit + topicLimits}
)

// takesWishes reports whether a person's words can change a part of the skill in that state and while the question on
// that topic is open.
func takesWishes(state State, topic string) bool {
	return slices.Contains([]State{GatheringDetails, ConfirmingSpec, Error}, state) &&
		!slices.Contains(wishFree, topic) && !strings.HasPrefix(topic, topicReference)
}

// wishOf returns the topic that a person's words ask to change, and the new value. topic is "" if the words ask
// for no change.
func wishOf(text string) (topic, value string) {
	for _, m := range [][]string{changeWish().FindStringSubmatch(text), shouldWish.FindStringSubmatch(text)} {
		if m != nil {
			return partNames[strings.ToLower(m[1])], unquoted(m[2])
		}
	}
	if m := renameWish.FindStringSubmatch(text); m != nil {
		return topicName, unquoted(m[1])
	}
	return "", ""
}

// unquoted removes quotation marks around a value.
func unquoted(s string) string { return strings.Trim(strings.TrimSpace(s), "\"'`“”„‘’") }
