package e2e

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// The ledger of a recorded day of Claude Code: a host sees what each session has cost with its sub-agents, and the sum
// equals what the program itself counts. A kill and another reading change nothing (P17.12).
func TestPageLedger_P17_12(t *testing.T) {
	t.Parallel()
	root, err := Root()
	must(t, err)
	claude := t.TempDir()
	must(t, os.CopyFS(claude, os.DirFS(filepath.Join(root, "server", "reader", "claude", "testdata", "day"))))
	must(t, filepath.WalkDir(claude, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		now := time.Now() // the server reads only sessions that changed lately
		return os.Chtimes(path, now, now)
	}))
	home := pageHome(t)
	home.Env = []string{"AGENTDUNGEON_AGENTS=all", "CLAUDE_CONFIG_DIR=" + claude, "HOME=" + t.TempDir(),
		"CODEX_HOME=" + t.TempDir(), "GEMINI_CLI_HOME=" + t.TempDir(), "XDG_DATA_HOME=" + t.TempDir()}
	l := home.Start()
	p := newPerson(t, "Ada")
	p.arrive(l)
	p.types("link-path", repository(t))
	p.click("link-submit")
	const usage = `(window.__dungeon.state().realm?.world.usage ?? [])`
	const micros = usage + `.reduce((n, u) => n + (u.micros ?? 0), 0)`
	// 25 requests of 18240 millionths of a dollar each, of which one was cut off after the first of its 42 tokens.
	p.until("the whole ledger", micros+` === 25 * 18240 - 41 * 20`)
	p.click("ledger-open")
	p.sees("ledger")
	row := id("ledger-claude:a5da0ece-22bb-4ea3-94b3-9522512d4212")
	p.until("the check", `document.querySelector('`+row+`')?.dataset.check === 'same'`)
	p.reads("$0.31")
	p.reads("Claude Code counts $0.09")
	p.shot("ledger")
	p.do(chromedp.EmulateViewport(390, 844))
	p.until("narrow", `innerWidth === 390`)
	p.click("tab-roster")
	p.click("ledger-open")
	p.sees("ledger")
	p.shot("ledger-phone")
	if wide := p.eval(`document.documentElement.scrollWidth > innerWidth`); wide != "false" {
		t.Error("the page is wider than a phone")
	}
	before := p.eval(`JSON.stringify(` + usage + `)`)
	l.Kill()
	l = home.Start()
	p.do(chromedp.Reload())
	p.until("the ledger again", usage+`.length > 0`)
	if after := p.eval(`JSON.stringify(` + usage + `)`); after != before {
		t.Errorf("after a kill the ledger is\n%s\nbefore\n%s", after, before)
	}
	if code := l.Stop(); code != 0 {
		t.Errorf("stopped with %d", code)
	}
}
