package forge

import (
	"slices"
	"strings"
)

// Topics of questions. The topic of a reference file of the skill is topicReference followed by the file's subject.
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
	topicOpen       = "open" // topic of a question that the model has worded
	topicConfirm    = "confirm"
	topicChange     = "change"
	topicEdit       = "edit:" // followed by the topic that the person wants to change
	topicWhere      = "where"
	topicAgain      = "again"
	topicStorage    = "storage"
	topicSaveError  = "save_error"
	topicGoOn       = "go_on"
)

// order lists the topics about which the forge asks in the state gathering_details, in that order.
var order = []string{
	topicSteps, topicTriggers, topicExamples, topicLimits, topicTools, topicReferences, topicScripts, topicName,
}

// part is a part of a skill that a person can see and change, with the topic that the part belongs to.
type part struct {
	topic, label string
	names        string // the names that people use for the part, separated by commas
}

var parts = []part{
	{topicName, "Name", "name,title"},
	{topicDescribe, "Description", "description"},
	{topicPurpose, "Purpose", "purpose,task,goal"},
	{topicSteps, "Steps", "steps,step,workflow"},
	{topicTriggers, "When to use it", "triggers,trigger,when"},
	{topicLimits, "When not to use it", "limits,limit,not for"},
	{topicExamples, "Examples", "examples,example"},
	{topicTools, "Tools", "tools,tool,allowed-tools,permissions"},
	{topicReferences, "References", "references,reference"},
	{topicScripts, "Scripts", "scripts,script"},
}

// partNames maps each name that people use for a part to the part's topic.
var partNames = func() map[string]string {
	out := map[string]string{}
	for _, p := range parts {
		for name := range strings.SplitSeq(p.names, ",") {
			out[name] = p.topic
		}
	}
	return out
}()

// part returns the present content of the skill's part with this topic, as Markdown to show to the person, or "" if
// there is none.
func (c *Context) part(topic string) string {
	if l, ok := lists[topic]; ok {
		return l.show(*l.of(c))
	}
	switch topic {
	case topicName:
		return code(c.SkillName)
	case topicDescribe:
		return c.SkillDescription
	case topicPurpose:
		return c.SkillPurpose
	case topicTools:
		return strings.Join(mapped(c.AllowedTools, code), ", ")
	}
	return ""
}

// listTopic is a topic whose answer is a list of texts.
type listTopic struct {
	of         func(*Context) *[]string
	parse      func(text string, most, size int) []string
	most, size int // limits: the maximum number of texts, and the maximum size of one text in bytes
	show       func([]string) string
	long       bool // people paste long texts, and the forge tells them how much it keeps
}

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

// set replaces the topic's answer by the chosen texts and the texts that it parses from text. It returns the new
// answer.
func (l listTopic) set(c *Context, chosen []string, text string) []string {
	got := l.parse(text, l.most, l.size)
	if len(chosen) > 0 {
		got = distinct(append(chosen, got...), l.most, l.size)
	}
	*l.of(c) = got
	return got
}

// add appends the texts that it finds in a person's words to the answer.
func (l listTopic) add(c *Context, text string) {
	now := l.of(c)
	for _, more := range l.parse(text, l.most, l.size) {
		known := slices.ContainsFunc(*now, func(text string) bool { return strings.EqualFold(text, more) })
		if len(*now) < l.most && !known {
			*now = append(*now, more)
		}
	}
}
