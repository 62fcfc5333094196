package world

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// SettingRule is a row of the wire contract's table of settings (section 11). Old is the setting's name in older
// clients and files. The value of a setting is a whole number from Min to Max or, if the rule has Values, one of them.
type SettingRule struct {
	Name   string
	Old    string
	Min    int
	Max    int
	Values []string

	number func(*Settings) *int
	word   func(*Settings) *string
}

// SettingRules lists all settings. Files, flags and player:update-settings are checked against it.
var SettingRules = []SettingRule{
	{Name: "maxAgents", Old: "max_agents", Min: 1, Max: 64,
		number: func(s *Settings) *int { return &s.MaxAgents }},
	{Name: "pace", Old: "pace", Values: []string{PaceWatchable, PaceInstant},
		word: func(s *Settings) *string { return &s.Pace }},
	{Name: "autonomyMode", Old: "autonomy_mode", Values: []string{ModeAutonomous, ModeSupervised, ModeManual},
		word: func(s *Settings) *string { return &s.AutonomyMode }},
	{Name: "turnTimeoutSeconds", Old: "turn_timeout_seconds", Min: 5, Max: 1800,
		number: func(s *Settings) *int { return &s.TurnTimeoutSeconds }},
	{Name: "taskMaxTurns", Old: "task_max_turns", Min: 1, Max: 100,
		number: func(s *Settings) *int { return &s.TaskMaxTurns }},
	{Name: "maxConcurrentConversations", Old: "max_concurrent_conversations", Min: 1, Max: 32,
		number: func(s *Settings) *int { return &s.MaxConcurrentConversations }},
	{Name: "contextWindowMessages", Old: "context_window_messages", Min: 1, Max: 1000,
		number: func(s *Settings) *int { return &s.ContextWindowMessages }},
	{Name: "agentChats", Old: "agent_chats", Values: []string{On, Off},
		word: func(s *Settings) *string { return &s.AgentChats }},
	{Name: "shadows", Old: "shadows", Values: []string{On, Off},
		word: func(s *Settings) *string { return &s.Shadows }},
	{Name: "shadowsFor", Old: "shadows_for", Values: []string{Hosts, Everybody},
		word: func(s *Settings) *string { return &s.ShadowsFor }},
	{Name: "filesFor", Old: "files_for", Values: []string{Hosts, Everybody},
		word: func(s *Settings) *string { return &s.FilesFor }},
}

// UpdateSettings returns s changed by the settings in raw, whose keys are new or old names of settings. If a setting in
// raw is unknown or invalid, UpdateSettings returns s unchanged and an error about the first such setting by name.
func UpdateSettings(s Settings, raw map[string]json.RawMessage) (Settings, error) {
	updated := s
	given := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		rule := settingRule(name)
		if rule == nil {
			return s, fmt.Errorf("there is no setting %q", Clip(name, 64))
		}
		if other, twice := given[rule.Name]; twice {
			return s, fmt.Errorf("%s is set twice, also as %s", name, other)
		}
		given[rule.Name] = name
		if err := rule.set(&updated, raw[name]); err != nil {
			return s, fmt.Errorf("%s %w", name, err)
		}
	}
	return updated, nil
}

func settingRule(name string) *SettingRule {
	for i := range SettingRules {
		if r := &SettingRules[i]; name == r.Name || name == r.Old {
			return r
		}
	}
	return nil
}

// set sets the setting to raw. The text of an error continues a sentence that begins with the setting's name. null, 1.0
// and "1" are not whole numbers.
func (r *SettingRule) set(s *Settings, raw json.RawMessage) error {
	if r.number != nil {
		var n *int
		if err := json.Unmarshal(raw, &n); err != nil || n == nil || *n < r.Min || *n > r.Max {
			return fmt.Errorf("must be a whole number from %d to %d", r.Min, r.Max)
		}
		*r.number(s) = *n
		return nil
	}
	var word string
	if err := json.Unmarshal(raw, &word); err != nil || !slices.Contains(r.Values, word) {
		return fmt.Errorf("must be one of %s", strings.Join(r.Values, ", "))
	}
	*r.word(s) = word
	return nil
}
