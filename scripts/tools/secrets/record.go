package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/lucasjones/reggen"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/report"
)

// recorded is a text with its findings. JSON stores the text in base64, so that scanners for
// secrets find none in the file.
type recorded struct {
	Text []byte   `json:"text"`
	Hits []string `json:"hits"` // sorted: the rule, the line from 0, the hash of secret and surroundings
}

// samples is the number of tokens made for each rule.
const samples = 3

// recording makes texts that the rules match, the same each time, and returns them with the
// findings of gitleaks as JSON.
func recording(d *detect.Detector) ([]byte, error) {
	var all []recorded
	var found []string
	for i, id := range slices.Sorted(maps.Keys(d.Config.Rules)) {
		generator, err := reggen.NewGenerator(d.Config.Rules[id].Regex.String())
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", id, err)
		}
		generator.SetSeed(int64(i))
		for n := range samples {
			token := generator.Generate(8)
			for _, text := range around(token, found, n) {
				all = append(all, recorded{Text: []byte(text), Hits: hits(d.DetectString(text))})
			}
			found = append(found, token)
		}
	}
	var b bytes.Buffer
	b.WriteString("[\n")
	for i, r := range all {
		line, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		b.Write(line)
		if i < len(all)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("]\n")
	return b.Bytes(), nil
}

// around returns texts with a token: on a line of its own, on a last line without a line end, with a comment that
// allows it, changed, or beside earlier tokens.
func around(token string, found []string, n int) []string {
	switch n {
	case 0:
		return []string{"first\nkey = \"" + token + "\"\nlast\n", token, "a token\r\n: " + token + "\r\n"}
	case 1:
		return []string{
			"an example\n\nkey: " + token, "key: " + token + " # gitleaks:allow\n",
			"x = '" + token[:len(token)/2] + strings.Repeat("a", len(token)-len(token)/2) + "'\n",
		}
	}
	return []string{strings.Join(append(slices.Clone(found[max(0, len(found)-6):]), token, token), "\n--\n")}
}

func hits(found []report.Finding) []string {
	out := []string{}
	for _, f := range found {
		sum := sha256.Sum256([]byte(f.Secret + "\x00" + f.Line))
		out = append(out, fmt.Sprintf("%s %d %s", f.RuleID, f.StartLine, hex.EncodeToString(sum[:6])))
	}
	slices.Sort(out)
	return out
}
