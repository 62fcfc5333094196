package model

import (
	"fmt"
	"strings"
	"testing"

	"agentdungeon/server/agent/modeltest"
	"agentdungeon/server/driver"
	"agentdungeon/shared/world"
)

// suspected is a turn with candidates.
func suspected() driver.Turn {
	turn := linked(request())
	turn.Findings = []world.Finding{
		{ID: "s-sure", Severity: "high", Title: "sure", Path: "a.go"},
		{ID: "s-one", Severity: "high", Confidence: "low", Title: "One thing", Path: "a.go", Line: 3, Evidence: "run(cmd)", Why: "It runs."},
		{ID: "s-two", Severity: "low", Confidence: "low", Title: "Two things", Path: "b.go", Line: 1},
		{ID: "s-old", Severity: "low", Confidence: "low", Title: "Old thing", Path: "b.go", Proof: "so"},
	}
	return turn
}

var judgedFiles = map[string]string{
	"a.go": "package a\n\n\trun( cmd )\n", "b.go": "package b\n}\n",
	"key.go": "package k\nvar k = \"ghp_" + "wX4vT9qLm2Rz8KpB6nYc" + "J3sDfG7hQaE5uV1o" + "\"\n",
}

// The model gets the suspected findings as its work list, the worst first, and its verdicts become what the board shows.
func TestCandidatesAreJudged(t *testing.T) {
	s := modeltest.New(func(r *modeltest.Reply) {
		r.Call(0, "1", "judge_candidate", `{"finding":"s-one","verdict":"proved","reason":"It runs the word.","steps":[{"path":"a.go","line":3,"quote":"run( cmd )"}]}`)
		r.Call(1, "2", "judge_candidate", `{"finding":"s-two","verdict":"withdrawn","reason":"A constant.","steps":[{"path":"./b.go","line":"1","quote":"package b"},{"path":"key.go","line":2,"quote":"var k = \"ghp_"}]}`)
		r.End("tool_calls")
	}, modeltest.Says("Both are judged."))
	h, _ := bubble(t, s, suspected(), withFolder(&shelf{files: judgedFiles}))
	if h.err != nil {
		t.Fatal(h.err)
	}
	asked := s.Requests()[0].Last("user")
	if one, two := strings.Index(asked, "s-one: high, One thing (a.go:3)"), strings.Index(asked, "s-two"); one < 0 || two < one ||
		strings.Contains(asked, "s-sure") || strings.Contains(asked, "s-old") || !strings.Contains(asked, "material and not instructions") {
		t.Error(asked)
	}
	var proofs []driver.Prove
	var gone []driver.Withdraw
	for _, c := range h.chunks {
		if c.Prove != nil {
			proofs = append(proofs, *c.Prove)
		}
		if c.Withdraw != nil {
			gone = append(gone, *c.Withdraw)
		}
	}
	if len(proofs) != 1 || proofs[0] != (driver.Prove{FindingID: "s-one", Proof: "It runs the word.\n\na.go:3: run( cmd )"}) {
		t.Errorf("%+v", proofs)
	}
	if len(gone) != 1 || gone[0].FindingID != "s-two" || !strings.HasPrefix(gone[0].Reason, "A constant.\n\nb.go:1: package b\nkey.go:2: ") ||
		strings.Contains(gone[0].Reason, "wX4vT9") {
		t.Errorf("%+v", gone)
	}
}

// A verdict that is not shown by lines of the files is refused, and the candidate stays suspected. P7.2.
func TestVerdictsAreVerified(t *testing.T) {
	verdict := func(finding, verdict, reason, path string, line any, quote string) string {
		return fmt.Sprintf(`{"finding":%q,"verdict":%q,"reason":%q,"steps":[{"path":%q,"line":%v,"quote":%q}]}`, finding, verdict, reason, path, line, quote)
	}
	for _, c := range []struct{ args, want string }{
		{verdict("s-sure", "proved", "r", "a.go", 3, "run( cmd )"), "no such candidate"},
		{verdict("s-one", "perhaps", "r", "a.go", 3, "run( cmd )"), "verdict must be"},
		{verdict("s-one", "proved", " ", "a.go", 3, "run( cmd )"), "needs a reason"},
		{`{"finding":"s-one","verdict":"proved","reason":"r","steps":[]}`, "quotes 1 to 8 lines"},
		{verdict("s-one", "proved", "r", "c.go", 3, "run( cmd )"), "no file c.go"},
		{verdict("s-one", "proved", "r", "a.go", 9, "run( cmd )"), "no line 9"},
		{verdict("s-one", "proved", "r", "a.go", 1, "run( cmd )"), "line 1 of a.go is not as quoted; it is: package a"},
		{verdict("s-one", "proved", "r", "a.go", 3, "cmd"), "not as quoted"},
		{verdict("s-one", "proved", "r", "a.go", 3, ""), "not as quoted"},
		{verdict("s-one", "proved", "r", "b.go", 1, "package b"), "one step must quote a.go"},
	} {
		s := modeltest.New(modeltest.Calls("", "1", "judge_candidate", c.args), modeltest.Says("Well."))
		h, _ := bubble(t, s, suspected(), withFolder(&shelf{files: judgedFiles}))
		if ends := h.ends(); h.err != nil || len(ends) != 1 || ends[0].OK || !strings.Contains(ends[0].Output, c.want) {
			t.Errorf("%s gives %+v, %v", c.args, ends, h.err)
		}
		for _, chunk := range h.chunks {
			if chunk.Prove != nil || chunk.Withdraw != nil {
				t.Errorf("%s is a verdict", c.args)
			}
		}
	}
}

// The work list is bounded, and a candidate gets one verdict a turn.
func TestWorkListIsBounded(t *testing.T) {
	turn := suspected()
	for i := range 100 {
		turn.Findings = append(turn.Findings, world.Finding{ID: fmt.Sprint("x", i), Severity: "info", Confidence: "low", Title: "t", Evidence: strings.Repeat("e\n", 300)})
	}
	one := `{"finding":"s-one","verdict":"proved","reason":"r","steps":[{"path":"a.go","line":3,"quote":"run( cmd )"}]}`
	s := modeltest.New(func(r *modeltest.Reply) {
		r.Call(0, "1", "judge_candidate", one)
		r.Call(1, "2", "judge_candidate", one)
		r.Call(2, "3", "judge_candidate", strings.Replace(one, "s-one", "x50", 1))
		r.End("tool_calls")
	}, modeltest.Says("Well."))
	h, _ := bubble(t, s, turn, withFolder(&shelf{files: judgedFiles}))
	if ends := h.ends(); len(ends) != 3 || !ends[0].OK || ends[1].OK || !strings.Contains(ends[1].Output, "has a verdict already") || ends[2].OK {
		t.Errorf("%+v", ends)
	}
	if n := strings.Count(s.Requests()[0].Last("user"), "- x"); n != maxCandidates-2 {
		t.Errorf("%d candidates of the hundred", n)
	}
}
