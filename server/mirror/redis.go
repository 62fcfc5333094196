package mirror

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
)

const (
	maxConns = 4
	// maxChanges is about how many entries the stream of changes keeps; a slower reader must
	// read the hash again.
	maxChanges = 1000
	// maxTold is how many changes of a comparison are listed one by one; more are listed as
	// "all".
	maxTold = 200
	// perCommand is how many fields one command sets.
	perCommand = 200
)

// Kinds of entries in the stream of changes.
const (
	changeSet  = "set"  // new or changed: read it from the hash
	changeGone = "gone" // removed from the board
	changeAll  = "all"  // read the whole hash
)

// errRaced: another program has written to the board's keys since the last sync.
var errRaced = errors.New("another program writes into the board's keys")

type keys struct{ findings, board, changes string }

func keysOf(ref Ref) keys {
	prefix := "agentdungeon:" + ref.Tenant + ":" + ref.ID + ":"
	return keys{prefix + "findings", prefix + "board", prefix + "changes"}
}

// places accesses the boards on one Redis server.
type places struct {
	client *redis.Client
	server string // marks our boards; see Config
	boards string // the key of the set of our boards
	// patience bounds one exchange; a whole copy may take twice as long.
	patience time.Duration
}

func newPlaces(a Address, server string, patience time.Duration) *places {
	logging.Disable() // the library would write to standard error
	o := *a.options
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = patience, patience, patience, patience
	return &places{redis.NewClient(&o), server, "agentdungeon:boards:" + server, patience}
}

// member names a board in the set of our boards.
func member(ref Ref) string { return ref.Tenant + ":" + ref.ID }

// look returns an id of the Redis process that answers, "" if it reports none.
func (p *places) look(ctx context.Context) (life string, err error) {
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	info, err := p.client.Info(ctx, "server").Result()
	if redis.HasErrorPrefix(err, "NOPERM") {
		return "", p.client.Ping(ctx).Err()
	}
	for line := range strings.Lines(info) {
		if id, ok := strings.CutPrefix(line, "run_id:"); ok {
			life = strings.TrimSpace(id)
		}
	}
	return life, err
}

// sync writes the board b to its Redis hash in one transaction. If Redis still has the
// state of the last sync, only the changes are sent; otherwise the whole hash is compared.
// After errRaced the caller tries again at once, with a comparison.
func (p *places) sync(ctx context.Context, b *board) error {
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
			c, err = b.since()
		} else {
			c, err = p.compare(ctx, tx, k, b)
		}
		if err != nil {
			return err
		}
		if c.none() && at == b.at() {
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
	b.doubt() // the outcome of the write is unknown
	return err
}

// changes of a board's hash.
type changes struct {
	set  []string // id and value in turn
	gone []string
	seqs []string // seqs of the ids in set, if known
	drop []string // keys of the wrong type, deleted first
	left bool     // the board is missing from the set of boards
}

func (c *changes) none() bool {
	return len(c.set) == 0 && len(c.gone) == 0 && len(c.drop) == 0 && !c.left
}

// since returns the changes counted by the fold.
func (b *board) since() (c changes, err error) {
	for _, id := range b.newest() {
		value, err := b.encoded(id)
		if err != nil {
			return c, err
		}
		if value == "" { // withdrawn before it was posted: nothing to show
			continue
		}
		c.set, c.seqs = append(c.set, id, value), append(c.seqs, strconv.FormatInt(b.changed[id], 10))
	}
	return c, nil
}

// position returns the position of the board on Redis; another server's board has none.
func (p *places) position(ctx context.Context, tx *redis.Tx, k keys) (position, error) {
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
		return position{}, nil // overwritten by others, or nothing yet
	}
	return position{text(2), seq}, nil
}

// compare returns the differences between Redis and b.
func (p *places) compare(ctx context.Context, tx *redis.Tx, k keys, b *board) (c changes, err error) {
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
		c.left = !there
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

// scan removes from missing the findings that the hash has, and collects surplus ones. A hash
// scan may return a field twice while the hash grows; if another program writes meanwhile, the
// transaction fails.
func (p *places) scan(ctx context.Context, tx *redis.Tx, k keys, missing map[string]string, c *changes) error {
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

// write queues the transaction that brings Redis to b.
func (p *places) write(ctx context.Context, pipe redis.Pipeliner, k keys, b *board, c changes) {
	if len(c.drop) > 0 {
		pipe.Del(ctx, c.drop...)
	}
	for rest := c.gone; len(rest) > 0; {
		n := min(len(rest), perCommand)
		pipe.HDel(ctx, k.findings, rest[:n]...)
		rest = rest[n:]
	}
	for rest := c.set; len(rest) > 0; {
		n := min(len(rest), 2*perCommand)
		pipe.HSet(ctx, k.findings, rest[:n])
		rest = rest[n:]
	}
	pipe.HSet(ctx, k.board, "schema", schema, "server", p.server, "epoch", b.epoch, "seq", b.seq, "findings",
		len(b.world.Findings))
	pipe.SAdd(ctx, p.boards, member(b.ref))
	tell := func(what, id, seq string) {
		pipe.XAdd(ctx, &redis.XAddArgs{Stream: k.changes, MaxLen: maxChanges, Approx: true,
			Values: []string{"change", what, "id", id, "epoch", b.epoch, "seq", seq}})
	}
	seq := strconv.FormatInt(b.seq, 10)
	if len(c.set)/2+len(c.gone) > maxTold {
		tell(changeAll, "", seq)
		return
	}
	for _, id := range c.gone {
		tell(changeGone, id, seq)
	}
	for i := 0; i < len(c.set); i += 2 {
		at := seq
		if c.seqs != nil {
			at = c.seqs[i/2]
		}
		tell(changeSet, c.set[i], at)
	}
}

// forget deletes the boards of removed realms on Redis.
func (p *places) forget(ctx context.Context, refs ...Ref) error {
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	for _, ref := range refs {
		k := keysOf(ref)
		if _, err := p.client.TxPipelined(ctx, func(pipe redis.Pipeliner) error {
			pipe.Del(ctx, k.findings, k.board, k.changes)
			pipe.SRem(ctx, p.boards, member(ref))
			return nil
		}); err != nil {
			return fmt.Errorf("remove the board of realm %s: %w", ref.ID, err)
		}
	}
	return nil
}

// ours lists the boards that this server has put on Redis.
func (p *places) ours(ctx context.Context) ([]Ref, error) {
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	names, err := p.client.SMembers(ctx, p.boards).Result()
	if redis.HasErrorPrefix(err, "WRONGTYPE") { // overwritten by others: the next comparison repairs it
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
