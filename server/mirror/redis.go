package mirror

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
)

const (
	maxConns = 4
	// maxChanges is the approximate number of entries that the stream of changes keeps. A reader that has
	// missed older entries must read the hash again.
	maxChanges = 1000
	// maxListed limits how many changes of one update get an entry each in the stream. If an update has more
	// changes, the stream gets a single entry, changeAll.
	maxListed = 200
	// perCommand limits how many fields one Redis command sets or deletes.
	perCommand = 200
)

// These constants are the kinds of entries in the stream of changes.
const (
	changeSet  = "set"  // the finding is new or changed: the reader gets it from the hash
	changeGone = "gone" // the finding was removed
	changeAll  = "all"  // the reader gets the whole hash
)

// errRaced means that another program has written to the board's keys since the last sync.
var errRaced = errors.New("another program writes into the board's keys")

type keys struct{ findings, board, changes string }

func keysOf(ref Ref) keys {
	prefix := "agentdungeon:" + ref.Tenant + ":" + ref.ID + ":"
	return keys{prefix + "findings", prefix + "board", prefix + "changes"}
}

// redisBoards reads and writes the boards on one Redis server.
type redisBoards struct {
	client *redis.Client
	server string // Config.Server, which is a part of the name of the set of boards
	boards string // the key of the set that lists the boards of this server
	// patience limits the time of one exchange with Redis. The limit of sync is twice as long.
	patience time.Duration
}

func newRedisBoards(a Address, server string, patience time.Duration) *redisBoards {
	logging.Disable() // the library would write to standard error
	o := *a.options
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = patience, patience, patience, patience
	return &redisBoards{redis.NewClient(&o), server, "agentdungeon:boards:" + server, patience}
}

// member returns the element for a realm in the Redis set agentdungeon:boards:<server>.
func member(ref Ref) string { return ref.Tenant + ":" + ref.ID }

// ping returns the id of the Redis process that answers, "" if the process reports none.
func (p *redisBoards) ping(ctx context.Context) (runID string, err error) {
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	info, err := p.client.Info(ctx, "server").Result()
	if redis.HasErrorPrefix(err, "NOPERM") {
		return "", p.client.Ping(ctx).Err()
	}
	for line := range strings.Lines(info) {
		if id, ok := strings.CutPrefix(line, "run_id:"); ok {
			runID = strings.TrimSpace(id)
		}
	}
	return runID, err
}

// sync updates the hash of b on Redis in one transaction. If b.known is set, sync sends only the changes since then,
// and returns errRaced if Redis has another position. If b.known is nil, sync compares the whole hash. After errRaced
// the caller calls sync again at once, and b.known is nil then.
func (p *redisBoards) sync(ctx context.Context, b *board) error {
	ctx, cancel := context.WithTimeout(ctx, 2*p.patience)
	defer cancel()
	k := keysOf(b.ref)
	err := p.client.Watch(ctx, func(tx *redis.Tx) error {
		at, err := p.position(ctx, tx, k)
		if err != nil {
			return err
		}
		var c changes
		if b.known != nil {
			if at != *b.known {
				return errRaced
			}
			c, err = b.changes()
		} else {
			c, err = p.compare(ctx, tx, k, b)
		}
		if err != nil {
			return err
		}
		if c.empty() && at == b.at() {
			return nil
		}
		_, err = tx.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
			p.write(ctx, pipe, k, b, c)
			return nil
		})
		return err
	}, k.findings, k.board)
	switch {
	case err == nil:
		at := b.at()
		b.known = &at
		clear(b.changed)
		return nil
	case errors.Is(err, redis.TxFailedErr), redis.HasErrorPrefix(err, "WRONGTYPE"):
		err = errRaced
	}
	b.forgetPosition() // it is unknown whether Redis has taken the write
	return err
}

// changes has the differences between a board and its hash on Redis.
type changes struct {
	set      []string // ids and values alternate
	gone     []string
	seqs     []string // the seq of the last change of each id in set; empty if the seqs are unknown
	drop     []string // keys that have the wrong type; they are deleted first
	unlisted bool     // the set of boards lacks the board
}

func (c *changes) empty() bool {
	return len(c.set) == 0 && len(c.gone) == 0 && len(c.drop) == 0 && !c.unlisted
}

// changes returns the changes of b since the last sync.
func (b *board) changes() (c changes, err error) {
	for _, id := range b.changedIDs() {
		value, err := b.encoded(id)
		if err != nil {
			return c, err
		}
		if value == "" { // the board has no finding with that id any more, so there is nothing to set
			continue
		}
		c.set, c.seqs = append(c.set, id, value), append(c.seqs, strconv.FormatInt(b.changed[id], 10))
	}
	return c, nil
}

// position returns the position of the board on Redis. It returns zero if Redis has no such board or another
// server has written it.
func (p *redisBoards) position(ctx context.Context, tx *redis.Tx, k keys) (position, error) {
	got, err := tx.HMGet(ctx, k.board, "schema", "server", "epoch", "seq").Result()
	if redis.HasErrorPrefix(err, "WRONGTYPE") {
		return position{}, nil
	}
	if err != nil {
		return position{}, err
	}
	text := func(i int) string { s, _ := got[i].(string); return s }
	seq, err := strconv.ParseInt(text(3), 10, 64)
	if err != nil || text(0) != strconv.Itoa(schema) || text(1) != p.server {
		return position{}, nil
	}
	return position{text(2), seq}, nil
}

// compare returns the differences between the whole hash on Redis and b.
func (p *redisBoards) compare(ctx context.Context, tx *redis.Tx, k keys, b *board) (c changes, err error) {
	right := map[string]bool{}
	for key, want := range map[string]string{k.findings: "hash", k.board: "hash", k.changes: "stream", p.boards: "set"} {
		kind, err := tx.Type(ctx, key).Result()
		if err != nil {
			return c, err
		}
		if right[key] = kind == want || kind == "none"; !right[key] {
			c.drop = append(c.drop, key)
		}
	}
	missing := make(map[string]string, len(b.world.Findings))
	for i := range b.world.Findings {
		f := &b.world.Findings[i]
		if missing[f.ID], err = encodeFinding(f); err != nil {
			return c, err
		}
	}
	if right[p.boards] {
		there, err := tx.SIsMember(ctx, p.boards, member(b.ref)).Result()
		if err != nil {
			return c, err
		}
		c.unlisted = !there
	}
	if right[k.findings] {
		if err := p.scan(ctx, tx, k, missing, &c); err != nil {
			return c, err
		}
	}
	for i := range b.world.Findings { // in the order in which they were posted
		id := b.world.Findings[i].ID
		if value, ok := missing[id]; ok {
			c.set = append(c.set, id, value)
		}
	}
	return c, nil
}

// scan compares the hash of findings on Redis with the board's findings, which the caller has put into missing. It
// deletes from missing each finding that Redis has with the same value, and adds to c.gone the id of each finding that
// only Redis has. HSCAN can return a field twice. If another program writes during the scan, the transaction that sync
// runs fails.
func (p *redisBoards) scan(ctx context.Context, tx *redis.Tx, k keys, missing map[string]string, c *changes) error {
	seen := map[string]bool{}
	for cursor := uint64(0); ; {
		page, next, err := tx.HScan(ctx, k.findings, cursor, "", 500).Result()
		if err != nil {
			return err
		}
		for i := 0; i+1 < len(page); i += 2 {
			id, value := page[i], page[i+1]
			want, ours := missing[id]
			switch {
			case seen[id]:
			case !ours:
				c.gone = append(c.gone, id)
			case want == value:
				delete(missing, id)
			}
			seen[id] = true
		}
		if cursor = next; cursor == 0 {
			return nil
		}
	}
}

// write adds to pipe the commands that make the hash on Redis equal to b.
func (p *redisBoards) write(ctx context.Context, pipe redis.Pipeliner, k keys, b *board, c changes) {
	if len(c.drop) > 0 {
		pipe.Del(ctx, c.drop...)
	}
	for ids := range slices.Chunk(c.gone, perCommand) {
		pipe.HDel(ctx, k.findings, ids...)
	}
	for pairs := range slices.Chunk(c.set, 2*perCommand) {
		pipe.HSet(ctx, k.findings, pairs)
	}
	pipe.HSet(ctx, k.board, "schema", schema, "server", p.server, "epoch", b.epoch, "seq", b.seq, "findings",
		len(b.world.Findings))
	pipe.SAdd(ctx, p.boards, member(b.ref))
	list := func(what, id, seq string) {
		pipe.XAdd(ctx, &redis.XAddArgs{Stream: k.changes, MaxLen: maxChanges, Approx: true,
			Values: []string{"change", what, "id", id, "epoch", b.epoch, "seq", seq}})
	}
	seq := strconv.FormatInt(b.seq, 10)
	if len(c.set)/2+len(c.gone) > maxListed {
		list(changeAll, "", seq)
		return
	}
	for _, id := range c.gone {
		list(changeGone, id, seq)
	}
	for i := 0; i < len(c.set); i += 2 {
		at := seq
		if c.seqs != nil {
			at = c.seqs[i/2]
		}
		list(changeSet, c.set[i], at)
	}
}

// delete removes a board from Redis.
func (p *redisBoards) delete(ctx context.Context, ref Ref) error {
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	k := keysOf(ref)
	if _, err := p.client.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.Del(ctx, k.findings, k.board, k.changes)
		pipe.SRem(ctx, p.boards, member(ref))
		return nil
	}); err != nil {
		return fmt.Errorf("remove the board of realm %s: %w", ref.ID, err)
	}
	return nil
}

// list returns the realms whose boards this server has put on Redis.
func (p *redisBoards) list(ctx context.Context) ([]Ref, error) {
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	names, err := p.client.SMembers(ctx, p.boards).Result()
	if redis.HasErrorPrefix(err, "WRONGTYPE") { // another program has replaced the set: the next comparison repairs it
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []Ref
	for _, name := range names {
		if tenant, id, ok := strings.Cut(name, ":"); ok {
			out = append(out, Ref{tenant, id})
		}
	}
	return out, nil
}
