package main
import ("testing";"context";"path/filepath";"database/sql";"os";"fmt")
func TestZZ(t *testing.T) {
	ctx := context.Background()
	code, err := sourceTexts(ctx, 1600)
	if err != nil { code, err = sourceTexts(ctx, 1000) }
	words := newLanguage()
	var short []string
	for range 8000 { short = append(short, words.text(60, 200)) }
	for _, k := range []struct{n string; t []string}{{"code", code},{"short", short}} {
		home := filepath.Join(t.TempDir(), "talk")
		all, index, said, err := talkSizes(ctx, home, k.t)
		if err != nil { t.Fatal(err) }
		fmt.Println(k.n, "all", all, "index", index, "said", said, "ratio", float64(all)/float64(said), "without", float64(all-index)/float64(said))
		if d := os.Getenv("ZZ_KEEP"); d != "" { os.MkdirAll(d, 0o755); raw, _ := os.ReadFile(filepath.Join(home, "realm.db")); os.WriteFile(filepath.Join(d, k.n+".db"), raw, 0o644) }
		db, _ := sql.Open("sqlite", "file:"+filepath.Join(home, "realm.db"))
		rows, err := db.Query("SELECT name, pgsize, payload, ncell, unused FROM dbstat('main', 1) ORDER BY pgsize DESC LIMIT 14")
		if err != nil { t.Fatal(err) }
		for rows.Next() { var n string; var p, pl, nc, un int64; rows.Scan(&n, &p, &pl, &nc, &un); fmt.Printf("  %-32s %9d  %.3f per byte, payload %d cells %d unused %d\n", n, p, float64(p)/float64(said), pl, nc, un) }
		rows.Close(); db.Close()
	}
}
