package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"agentdungeon/server/store/sqlite"
	"agentdungeon/server/store/tables"
	"agentdungeon/shared/world"
)

// Limits of one Search.
const (
	maxHits        = 100
	maxSearchBytes = 1000 // bytes of the query; the rest is ignored
	maxSearchWords = 12   // words of the query; the rest is ignored
	// maxRanked is the maximum number of hits that are ranked: the newest ones. Ranking all rows with a common word
	// would take as long as reading them.
	maxRanked = 1000
	// minPrefix is the minimum length of the last word, in bytes, for a match as a prefix. A prefix of one or two
	// letters would match up to a tenth of all words.
	minPrefix = 3
	// leadBytes is the number of bytes of a row that a hit shows before the first matching word,
	// shownBytes the number of all bytes that it shows. maxSpans limits the matches in a row that
	// are examined.
	leadBytes  = 60
	shownBytes = 300
	maxSpans   = 1000
)

// Search finds closed rows by their words, the best hit first. All words must occur within the first
// 64 KB of a row; case and accents do not matter. Operators have no meaning, and a query of
// punctuation alone finds nothing. The last word also matches as a prefix; rows that contain it as a
// whole word come first.
//
// The best hits are chosen among the newest 1,000. They are sorted by bm25, which ranks rare words
// and short rows higher, and hits of equal rank by time, newest first. If nothing was found, the
// result is empty and not nil.
//
// An error that means damage usually concerns the index alone: transcripts stay readable, and the
// next opening rebuilds the index.
func (r *Reader) Search(ctx context.Context, q world.SearchQuery) ([]world.SearchHit, error) {
	limit := q.Limit
	if limit <= 0 || limit > maxHits {
		limit = maxHits
	}
	query := parseQuery(q.Words)
	hits := make([]world.SearchHit, 0, min(limit, 16))
	for _, prefix := range []bool{false, true} {
		if len(query.phrases) == 0 || len(hits) == limit || prefix && !query.hasPrefix() {
			continue
		}
		var found []world.SearchHit
		err := r.handle.View(func(db *sql.DB) error {
			return sqlite.Snapshot(ctx, db, func(r sqlite.Queryer) (err error) {
				found, err = findRows(ctx, r, query, prefix, q, limit)
				return err
			})
		})
		if err != nil {
			return nil, fmt.Errorf("search the transcripts: %w", err)
		}
		for _, h := range found {
			if len(hits) < limit && !slices.ContainsFunc(hits, func(o world.SearchHit) bool { return o.Seq == h.Seq }) {
				hits = append(hits, h)
			}
		}
	}
	return hits, nil
}

// searchQuery is a parsed query: phrases, each of one or more words that were written together ("don't" is
// the phrase don, t). A word has only letters, digits and their marks, so it cannot contain an operator.
type searchQuery struct{ phrases [][]string }

// parseQuery parses the text that a person typed.
func parseQuery(text string) (s searchQuery) {
	text, _ = world.Cut(strings.ToValidUTF8(text, " "), maxSearchBytes)
	left := maxSearchWords
	for _, field := range strings.Fields(text) {
		words := strings.FieldsFunc(field, func(r rune) bool { return !inWord(r) })
		// A token of combining marks without a letter or digit is no word.
		words = slices.DeleteFunc(words, func(w string) bool { return strings.IndexFunc(w, isLetter) < 0 })
		words = words[:min(len(words), left)]
		if left -= len(words); len(words) > 0 {
			s.phrases = append(s.phrases, words)
		}
	}
	return s
}

// hasPrefix reports whether the last word is long enough to match as a prefix.
func (s searchQuery) hasPrefix() bool {
	last := s.phrases[len(s.phrases)-1]
	return len(last[len(last)-1]) >= minPrefix
}

// match returns the query for FTS5: all phrases, each in quotes. If prefix is set, the last word matches as a prefix.
func (s searchQuery) match(prefix bool) string {
	quoted := make([]string, len(s.phrases))
	for i, words := range s.phrases {
		quoted[i] = `"` + strings.Join(words, " ") + `"`
	}
	out := strings.Join(quoted, " ")
	if prefix {
		out += " *"
	}
	return out
}

// findRows returns the rows that match a query, the best first.
func findRows(ctx context.Context, q sqlite.Queryer, query searchQuery, prefix bool, asked world.SearchQuery,
	limit int) ([]world.SearchHit, error) {
	match := "{content} : (" + query.match(prefix) + ")"
	if asked.ConversationID != "" {
		match += ` AND {conversation} : "` + strings.ReplaceAll(asked.ConversationID, `"`, `""`) + `"`
	}
	if asked.Public { // a spectator's best hits are chosen among the public rows only
		match = "(" + match + ") NOT {conversation} : ^ private"
	}
	type ranked struct {
		seq   int64
		score float64
	}
	best, err := sqlite.Collect(ctx, q, func(rows *sql.Rows) (r ranked, err error) {
		err = rows.Scan(&r.seq, &r.score)
		return r, err
	}, `SELECT seq, score FROM (SELECT rowid AS seq, bm25(search, 0.0, 1.0) AS score FROM search
			WHERE search MATCH ? ORDER BY rowid DESC LIMIT ?)
		ORDER BY score, seq DESC LIMIT ?`, match, maxRanked, limit)
	if err != nil || len(best) == 0 {
		return nil, err
	}
	seqs := make([]int64, len(best))
	for i, r := range best {
		seqs[i] = r.seq
	}
	list, err := json.Marshal(seqs)
	if err != nil {
		return nil, fmt.Errorf("encode hits: %w", err)
	}
	hits, err := sqlite.Collect(ctx, q, func(rows *sql.Rows) (h world.SearchHit, err error) {
		var text string
		var packed []byte
		if err = rows.Scan(&h.Seq, &h.MessageID, &h.ConversationID, &h.Role, &h.Name, (*int64)(&h.At), &h.Kind, &h.Title,
			&text, &packed); err != nil {
			return h, err
		}
		if text, err = tables.UnpackText(h.MessageID, text, packed); err != nil {
			return h, nil // the text cannot be unpacked, so the hit has no parts; opening the conversation shows the damage
		}
		h.Parts = query.parts(tables.SearchText(text), prefix)
		return h, nil
	}, `SELECT m.seq, m.message_id, m.conversation_id, m.role, m.name, m.at, ifnull(c.kind, ''), ifnull(c.title, ''),
			m.content, m.packed
		FROM json_each(?) e JOIN messages m ON m.seq = e.value
		LEFT JOIN conversations c ON c.conversation_id = m.conversation_id`, string(list))
	if err != nil {
		return nil, err
	}
	hits = slices.DeleteFunc(hits, func(h world.SearchHit) bool {
		// FTS5 ignores upper and lower case, so ids are compared again here.
		return asked.ConversationID != "" && h.ConversationID != asked.ConversationID ||
			asked.Public && world.IsPrivate(h.ConversationID)
	})
	slices.SortFunc(hits, func(a, b world.SearchHit) int { return slices.Index(seqs, a.Seq) - slices.Index(seqs, b.Seq) })
	return hits, nil
}
