// Package skill implements the Agent Skills format: a folder with a SKILL.md, whose frontmatter has the
// fields of Skill, and files below references/ and scripts/.
//
// Write and Parse convert between a Skill and the text of SKILL.md, Check lists the violations of the
// format, and ForPrompt returns the text about a skill for an agent's prompt. The package neither reads nor
// writes files: server/store/files does. server/forge makes skills; the engine puts them into prompts.
package skill

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Skill is a skill in the Agent Skills format: the fields of SKILL.md's frontmatter,
// its Markdown body, and the files beside it by their path ("references/x.md").
type Skill struct {
	Name          string
	Description   string
	License       string // "" for none, as in Compatibility
	Compatibility string
	AllowedTools  []string
	Metadata      map[string]string
	Body          string
	Resources     map[string]string
}

// File is the name of the main file of a skill. A folder that contains it is a skill.
const File = "SKILL.md"

const (
	fence = "---"
	// maxFrontmatter is the maximum size of a frontmatter that Parse passes to the YAML parser, in bytes. The longest
	// valid fields are shorter even with every character escaped.
	maxFrontmatter = 32 << 10
)

// Write returns the text of SKILL.md. Parse returns every field unchanged if it is valid UTF-8. Each value except a
// valid name is a quoted scalar, so that no text of a person can be a key, an alias or the end of the frontmatter.
func Write(s Skill) (string, error) {
	root := &yaml.Node{Kind: yaml.MappingNode}
	add := func(key string, value *yaml.Node) {
		root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, value)
	}
	name := quoted(s.Name)
	if nameForm.MatchString(s.Name) && !slices.Contains(yamlWords, s.Name) {
		name.Style = 0 // the library adds quotes where YAML would read a number or a date
	}
	add("name", name)
	add("description", quoted(s.Description))
	if s.License != "" {
		add("license", quoted(s.License))
	}
	if s.Compatibility != "" {
		add("compatibility", quoted(s.Compatibility))
	}
	if len(s.AllowedTools) > 0 {
		add("allowed-tools", tools(s.AllowedTools))
	}
	if len(s.Metadata) > 0 {
		m := &yaml.Node{Kind: yaml.MappingNode}
		for _, k := range slices.Sorted(maps.Keys(s.Metadata)) {
			m.Content = append(m.Content, quoted(k), quoted(s.Metadata[k]))
		}
		add("metadata", m)
	}
	front, err := yaml.Marshal(root)
	if err != nil {
		return "", fmt.Errorf("write the frontmatter of %s: %w", File, err)
	}
	return fence + "\n" + string(front) + fence + "\n\n" + strings.Trim(s.Body, "\n") + "\n", nil
}

// yamlWords are valid names of skills that some YAML readers do not read as text.
var yamlWords = strings.Fields("yes no on off true false null y n")

func quoted(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: s}
}

// tools encodes the tools as one string with spaces between, which every reader knows, or as a list if a
// tool contains a space.
func tools(list []string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode}
	plain := true
	for _, t := range list {
		n.Content = append(n.Content, quoted(t))
		plain = plain && ValidTool(t) && !strings.ContainsAny(t, " ,")
	}
	if plain {
		return quoted(strings.Join(list, " "))
	}
	return n
}

// Parse reads a SKILL.md. It leaves Resources empty and ignores keys that the format does not name. It returns an
// error if the text does not have the form of a SKILL.md, but does not check the values; Check does.
func Parse(text string) (Skill, error) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\uFEFF"), "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, fence+"\n")
	if !ok {
		return Skill{}, errors.New("the frontmatter is missing: the first line must be ---")
	}
	front, body, ok := strings.Cut("\n"+rest, "\n"+fence+"\n")
	if !ok {
		if front, ok = strings.CutSuffix("\n"+rest, "\n"+fence); !ok {
			return Skill{}, errors.New("the frontmatter has no end: a line --- must follow it")
		}
	}
	if len(front) > maxFrontmatter {
		return Skill{}, fmt.Errorf("the frontmatter has %d bytes, over the limit of %d: move text into the body",
			len(front), maxFrontmatter)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(front), &doc); err != nil {
		return Skill{}, fmt.Errorf("the frontmatter is no YAML: %w", err)
	}
	if len(doc.Content) != 1 || doc.Content[0].Kind != yaml.MappingNode {
		return Skill{}, errors.New("the frontmatter holds no fields: it needs name and description")
	}
	s := Skill{Body: strings.Trim(body, "\n")}
	seen := map[string]bool{}
	for i := 0; i+1 < len(doc.Content[0].Content); i += 2 {
		key, value := doc.Content[0].Content[i], doc.Content[0].Content[i+1]
		if key.Kind != yaml.ScalarNode || seen[key.Value] {
			return Skill{}, fmt.Errorf("the frontmatter has the key %q twice, or not as plain text", key.Value)
		}
		seen[key.Value] = true
		if err := s.field(key.Value, value); err != nil {
			return Skill{}, err
		}
	}
	return s, nil
}

func (s *Skill) field(key string, v *yaml.Node) error {
	var err error
	switch key {
	case "name":
		s.Name, err = scalar(key, v)
	case "description":
		s.Description, err = scalar(key, v)
	case "license":
		s.License, err = scalar(key, v)
	case "compatibility":
		s.Compatibility, err = scalar(key, v)
	case "allowed-tools":
		if v.Kind != yaml.SequenceNode {
			var line string
			line, err = scalar(key, v)
			s.AllowedTools = SplitTools(line)
			return err
		}
		for _, item := range v.Content {
			t, err := scalar(key, item)
			if err != nil {
				return err
			}
			s.AllowedTools = append(s.AllowedTools, t)
		}
	case "metadata":
		if v.Kind != yaml.MappingNode {
			return errors.New("metadata has to be a map of text to text")
		}
		s.Metadata = map[string]string{}
		for i := 0; i+1 < len(v.Content); i += 2 {
			k, err := scalar(key, v.Content[i])
			if err != nil {
				return err
			}
			if s.Metadata[k], err = scalar(key, v.Content[i+1]); err != nil {
				return err
			}
		}
	}
	return err
}

// scalar returns the text of a value. An alias, an anchor, a list or a map is an error.
func scalar(key string, v *yaml.Node) (string, error) {
	if v.Kind != yaml.ScalarNode || v.Anchor != "" {
		return "", fmt.Errorf("%s has to be plain text", key)
	}
	if v.Tag == "!!null" && v.Style == 0 {
		return "", nil
	}
	return v.Value, nil
}
