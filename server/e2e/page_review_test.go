package e2e

import (
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// A new user links a repository, starts a review and watches it: findings come, are sorted and opened, a quest is taken
// and completed, and the report can be downloaded.
func TestPageReview(t *testing.T) {
	t.Parallel()
	home := NewHome(t, server, "-pace", "instant")
	l := home.Start()
	p := newPerson(t, "Ada")
	p.links(l, flawed(t))
	p.click("open-realms")
	p.sees("template")
	p.until("a code review, which plays itself, first", `document.querySelector('[data-testid="template"]').value === 'code_review'`)
	p.types("problem", "Review it.")
	p.until("who plays", `document.querySelector('[data-testid="driver"]').innerText.includes('Scouts')`)
	p.click("start-process")
	p.until("the end of the review", `window.__dungeon.state().realm.world.processState.status === 'completed'`)
	p.sees("completion")
	p.until("the first step alone as the primary one", `[...document.querySelectorAll('[data-testid="completion"] button.primary')].map(b => b.innerText).join() === 'Show the findings'`)
	p.shot("review-completed")
	p.until("exports", `document.querySelector('[data-testid="completion"] [data-testid="export-sarif"]') !== null`)
	for _, format := range []string{"markdown", "svg", "json", "sarif"} {
		get(t, p.eval(`document.querySelector('[data-testid="completion"] [data-testid="export-`+format+`"]').href`))
	}
	p.do(chromedp.Reload())
	p.until("the board", `document.querySelectorAll('[role="tab"]').length > 3`)
	p.eval(`([...document.querySelectorAll('[role="tab"]')].find(b => b.textContent.includes('Findings')).click(), true)`)
	p.until("findings", `document.querySelectorAll('[data-testid^="finding-s-"]').length >= 3`)
	p.until("the heaviest first", `(() => { const order = ['critical', 'high', 'medium', 'low', 'info']; const ids = [...document.querySelectorAll('[data-testid^="finding-s-"]')].map(e => e.dataset.testid.slice(8)); const at = ids.map(id => order.indexOf(window.__dungeon.state().realm.world.findings.find(f => f.id === id).severity)); return at.every((v, i) => i === 0 || at[i - 1] <= v) })()`)
	p.shot("review-findings")
	p.click("coverage-line")
	p.until("what was read", `document.querySelector('[data-testid="coverage-line"]').innerText === '1 of 1 language read' && document.querySelector('[data-testid="coverage-table"]').textContent.includes('command injection')`)
	p.click("coverage-line")
	flow := p.eval(`window.__dungeon.state().realm.world.findings.find(f => f.check === 'sentinel/command-injection').id`)
	p.eval(`(document.querySelector('[data-testid="finding-` + flow + `"] [data-testid="finding-open"]').click(), true)`)
	p.until("the way of the value", `document.querySelector('[data-testid="finding-steps"]').innerText.includes('main.go:15')`)
	p.until("how to accept it", `document.querySelector('[data-testid="finding-accept"]').innerText.startsWith('sentinel/command-injection main.go:')`)
	p.shot("review-finding")
	p.eval(`([...document.querySelectorAll('[role="tab"]')].find(b => b.textContent.includes('Quests')).click(), true)`)
	p.sees("quests")
	for _, step := range []struct{ button, status string }{{"quest-take", "assigned"}, {"quest-start", "in_progress"}, {"quest-done", "done"}} {
		p.click(step.button)
		p.until(step.status, `window.__dungeon.state().realm.world.quests.some(q => q.status === '`+step.status+`' && q.owner === 'Ada')`)
	}
	p.shot("review-quests")
	p.eval(`([...document.querySelectorAll('[role="tab"]')].find(b => b.textContent.includes('Findings')).click(), true)`)
	p.click("coverage-line")
	p.do(chromedp.EmulateViewport(390, 844))
	p.shot("review-phone")
	if wide := p.eval(`document.documentElement.scrollWidth > innerWidth`); wide != "false" {
		t.Error("the page is wider than a phone")
	}
}

// A review that proves nothing ends with what there is: what was read, that nothing is proved, and the way to what is
// suspected. It has no empty sections.
func TestPageReviewOfWhatIsOnlySuspected(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file(t, filepath.Join(dir, "README.md"), "# Tools\n\nRead about [scanners](database/sql.Scanner).\n")
	file(t, filepath.Join(dir, "main.go"), "// Package main does nothing.\npackage main\n\nfunc main() {}\n")
	l := NewHome(t, server, "-pace", "instant").Start()
	p := newPerson(t, "Ada")
	p.links(l, dir)
	p.click("open-realms")
	p.types("problem", "Review it.")
	p.click("start-process")
	p.sees("completion")
	p.until("the headings of the report", `[...document.querySelectorAll('[data-testid="completion"] .markdown h4')].map(h => h.innerText).join() === 'Coverage,Executive Summary,Suspected,Not looked at,Coverage in detail'`)
	p.until("what is suspected", `document.querySelector('[data-testid="completion"]').innerText.includes('1 finding is only suspected: see Suspected.')`)
	p.click("to-findings")
	p.until("the suspected finding, opened", `document.querySelector('[data-testid="finding-open"][aria-expanded="true"]')?.closest('li').innerText.includes('low severity ·\u00a0suspected')`)
}
