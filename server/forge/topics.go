package forge

import (
	"slices"
	"strings"
)

// Topics of questions. A reference's topic is topicReference followed by its subject.
const (
	topicPurpose    = "purpose"
	topicExisting   = "existing"
	topicSteps      = "steps"
	topicTriggers   = "triggers"
	topicExamples   = "examples"
	topicLimits     = "limits"
	topicTools      = "tools"
	topicReferences = "references"
	topicReference  = "reference:"
	topicScripts    = "scripts"
	topicName       = "name"
	topicTaken      = "name_taken"
	topicDescribe   = "description"
	topicOpen       = "open" // a question that the model worded
	topicConfirm    = "confirm"
	topicChange     = "change"
	topicEdit       = "edit:" // followed by the topic that the person wants to change
	topicWhere      = "where"
	topicAgain      = "again"
	topicStorage    = "storage"
	topicSaveError  = "save_error"
	topicGoOn       = "go_on"
)

// order lists the questions of gathering in order.
var order = []string{
	topicSteps, topicTriggers, topicExamples, topicLimits, topicTools, topicReferences, topicScripts, topicName,
}

// listTopic is a topic whose answer is a list of texts.
type listTopic struct {
	of         func(*Context) *[]string
	parse      func(text string, most, size int) []string
	most, size int // the limits: number of texts, and bytes of one text
	show       func([]string) string
	// told is set if a person is told when much of a long answer does not fit.
	told bool
}

// lists has the topics that are answered with lists.
var lists = map[string]listTopic{
	topicSteps: {
		func(c *Context) *[]string { return &c.WorkflowSteps }, items, maxSteps, maxStep, numberedList, true,
	},
	topicTriggers: {
		func(c *Context) *[]string { return &c.Triggers }, phrases, maxTriggers, maxTrigger, bulletList, true,
	},
	topicExamples: {
		func(c *Context) *[]string { return &c.Examples }, blocks, maxExamples, maxExample, fencedList, true,
	},
	topicLimits: {
		func(c *Context) *[]string { return &c.Plan.Limits }, items, maxLimits, maxLimit, bulletList, true,
	},
	topicReferences: {
		func(c *Context) *[]string { return &c.ReferencesTopics }, phrases, maxReferences, maxTopic, bulletList, false,
	},
	topicScripts: {
		func(c *Context) *[]string { return &c.ScriptsNeeded }, items, maxScripts, maxTopic, bulletList, false,
	},
}

// set replaces the answer by the chosen texts and those in the words, and returns it.
func (l listTopic) set(c *Context, chosen []string, text string) []string {
	got := l.parse(text, l.most, l.size)
	if len(chosen) > 0 {
		got = distinct(append(chosen, got...), l.most, l.size)
	}
	*l.of(c) = got
	return got
}

// same compares texts without regard to case.
func same(text string) func(string) bool {
	return func(other string) bool { return strings.EqualFold(text, other) }
}

// add appends the texts in the words to the answer.
func (l listTopic) add(c *Context, text string) {
	now := l.of(c)
	for _, more := range l.parse(text, l.most, l.size) {
		if len(*now) < l.most && !slices.ContainsFunc(*now, same(more)) {
			*now = append(*now, more)
		}
	}
}
